"""Device classes: what a request may name to say which devices will do."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
from django.db.models import QuerySet

from inventory.models import DeviceClass
from inventory.queries.filters import Filters, Names, Ordering, Search, cluster_filter
from inventory.queries.requests import expressions

KINDS = ("deviceclasses",)


class DeviceClassRow(msgspec.Struct, frozen=True):
    """A DeviceClass; `selectors` are its CEL expressions, all of which must hold for a device."""

    id: int
    cluster: str
    name: str
    uid: str
    extended_resource_name: str | None
    selectors: tuple[str, ...]
    created_at: datetime | None


class DeviceClassFilter(Filters):
    cluster = cluster_filter()
    device_class = Names(field_name="name")
    extended_resource_name = Names(field_name="extended_resource_name")
    q = Search("name", "extended_resource_name")
    ordering = Ordering(fields={"id": "id", "name": "name", "created_at": "created_at"})

    class Meta:
        model = DeviceClass
        fields = ()


def queryset() -> QuerySet[DeviceClass]:
    return DeviceClass.objects.select_related("cluster")


def rows(page: Iterable[DeviceClass]) -> list[DeviceClassRow]:
    return [_row(one) for one in page]


def one(class_id: int) -> DeviceClassRow | None:
    return next(iter(rows(queryset().filter(pk=class_id))), None)


def _row(one: DeviceClass) -> DeviceClassRow:
    return DeviceClassRow(
        id=one.pk,
        cluster=one.cluster.name,
        name=one.name,
        uid=one.uid,
        extended_resource_name=one.extended_resource_name or None,
        selectors=expressions(one.spec.get("selectors")),
        created_at=one.created_at,
    )
