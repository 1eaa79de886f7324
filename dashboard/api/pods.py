from collections.abc import Iterable

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Pod
from inventory.queries import pods


class PodSerializer(RowSerializer):
    row = pods.PodRow


class Pods(Resource):
    """Pods that hold or await shares: what each one holds, and what it waits for."""

    serializer_class = PodSerializer
    row = pods.PodRow
    filters = pods.PodFilter
    kinds = pods.KINDS

    def get_queryset(self) -> QuerySet[Pod]:
        return pods.queryset(viewer=self.viewer)

    def rows(self, page: Iterable[Pod]) -> list[pods.PodRow]:
        return pods.rows(page, viewer=self.viewer)
