from collections.abc import Iterable

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Pool
from inventory.queries import pools


class PoolSerializer(RowSerializer):
    row = pools.PoolRow


class Pools(Resource):
    """Pools: whether all their resource slices are published, and the counters that partitions share."""

    serializer_class = PoolSerializer
    row = pools.PoolRow
    filters = pools.PoolFilter
    kinds = pools.KINDS

    def get_queryset(self) -> QuerySet[Pool]:
        return pools.queryset()

    def rows(self, page: Iterable[Pool]) -> list[pools.PoolRow]:
        return pools.rows(page)
