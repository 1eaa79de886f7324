"""Rows of `inventory.queries` as resources: their fields are the fields of the row type."""

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from rest_framework.serializers import BaseSerializer

from dashboard.api.wire import wire

if TYPE_CHECKING:
    from collections.abc import Collection


class RowSerializer(BaseSerializer[Any]):
    """Reads only. `fields` in the context names the ones to give; without it all are given."""

    row: ClassVar[type[msgspec.Struct]]

    def to_representation(self, instance: msgspec.Struct) -> dict[str, Any]:
        wanted: Collection[str] | None = self.context.get("fields")
        return {
            name: wire(getattr(instance, name))
            for name in instance.__struct_fields__
            if wanted is None or name in wanted
        }
