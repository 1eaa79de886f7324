from collections.abc import Iterable

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Claim
from inventory.queries import claims


class ClaimSerializer(RowSerializer):
    row = claims.ClaimRow


class Claims(Resource):
    """ResourceClaims: what was asked for, what was allocated, who uses it, what a pending one waits for."""

    serializer_class = ClaimSerializer
    row = claims.ClaimRow
    filters = claims.ClaimFilter
    kinds = claims.KINDS

    def get_queryset(self) -> QuerySet[Claim]:
        return claims.queryset(viewer=self.viewer)

    def rows(self, page: Iterable[Claim]) -> list[claims.ClaimRow]:
        return claims.rows(page, viewer=self.viewer)
