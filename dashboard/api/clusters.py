from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Cluster
from inventory.queries import clusters


class ClusterSerializer(RowSerializer):
    row = clusters.ClusterRow


class Clusters(Resource):
    """The clusters that are read: versions, how reading each kind goes, and what could not be read."""

    serializer_class = ClusterSerializer
    row = clusters.ClusterRow
    filters = clusters.ClusterFilter
    kinds = clusters.KINDS

    def get_queryset(self) -> QuerySet[Cluster]:
        return clusters.queryset()

    def generation(self) -> Sequence[str]:
        """The rows tell how old each kind is at this moment, so no two answers are the same."""
        return (*super().generation(), self.now.isoformat())

    def rows(self, page: Iterable[Cluster]) -> list[clusters.ClusterRow]:
        return clusters.rows(page, self.now, viewer=self.viewer)

    def item(self, found: Cluster) -> clusters.ClusterRow | None:
        return clusters.one(found.pk, self.now, viewer=self.viewer)
