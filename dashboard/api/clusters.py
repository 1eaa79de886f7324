from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Cluster
from inventory.queries import clusters


class ClusterSerializer(RowSerializer):
    row = clusters.ClusterRow


class Clusters(Resource):
    """The clusters that are read: versions, how reading each kind went, and what could not be read."""

    serializer_class = ClusterSerializer
    row = clusters.ClusterRow
    filters = clusters.ClusterFilter
    kinds = clusters.KINDS

    def get_queryset(self) -> QuerySet[Cluster]:
        return clusters.queryset()

    def generation(self) -> Sequence[str]:
        """The rows tell of every attempt."""
        return (*super().generation(), *self.freshness.attempts)

    def rows(self, page: Iterable[Cluster]) -> list[clusters.ClusterRow]:
        return clusters.rows(page, self.now)

    def item(self, found: Cluster) -> clusters.ClusterRow | None:
        return clusters.one(found.pk, self.now)
