from collections.abc import Iterable

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Node
from inventory.queries import nodes


class NodeSerializer(RowSerializer):
    row = nodes.NodeRow


class Nodes(Resource):
    """Nodes that publish devices or run Pods that hold them, with what their cards have left."""

    serializer_class = NodeSerializer
    row = nodes.NodeRow
    filters = nodes.NodeFilter
    kinds = nodes.KINDS

    def get_queryset(self) -> QuerySet[Node]:
        return nodes.queryset()

    def rows(self, page: Iterable[Node]) -> list[nodes.NodeRow]:
        return nodes.rows(page, viewer=self.viewer)
