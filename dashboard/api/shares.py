from collections.abc import Iterable

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Share
from inventory.queries import shares


class ShareSerializer(RowSerializer):
    row = shares.ShareRow


class Shares(Resource):
    """Shares: which claim, and which Pods, hold which slice of which device."""

    serializer_class = ShareSerializer
    row = shares.ShareRow
    filters = shares.ShareFilter
    kinds = shares.KINDS

    def get_queryset(self) -> QuerySet[Share]:
        return shares.queryset(viewer=self.viewer)

    def rows(self, page: Iterable[Share]) -> list[shares.ShareRow]:
        return shares.rows(page, viewer=self.viewer)

    def dimensions(self, queryset: QuerySet[Share]) -> list[str]:
        return shares.dimension_names(queryset)
