"""Who or what holds how much: shares added up by one group, or by two."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from dashboard.access.viewer import viewer_of
from dashboard.api import paging, parameters, tables
from dashboard.api.conditional import etag, marked, not_modified
from dashboard.api.renderers import wants_csv
from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Share
from inventory.queries import occupancy
from inventory.queries.occupancy import Group, OccupancyFilter, OccupancyRow
from inventory.snapshot import snapshot

_GROUP_BY = "group_by"
_MOST_GROUPS = 2
_PARAMETERS = ("limit", "offset")


class OccupancySerializer(RowSerializer):
    row = OccupancyRow


class OffsetPaging(paging.Paging):
    """Rows that are sums have no ids to go on from."""

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return [one for one in super().get_schema_operation_parameters(view) if one["name"] in _PARAMETERS]

    def of(self, rows: Sequence[Any], request: Request) -> Sequence[Any]:
        self.request, self.page, self.next_id = request, paging.asked_page(request), None
        self.count = len(rows)
        return rows[self.page.offset : self.page.offset + self.page.limit]


class Occupancy(Resource):
    """What is held, by one or two groups; one row for each driver, product and dimension in a group.

    A group of devices also has a total and what remains of it. Teams and namespaces that you may not see are
    one row without a name.
    """

    serializer_class = OccupancySerializer
    row = OccupancyRow
    filters = OccupancyFilter
    kinds = occupancy.KINDS
    pagination_class = OffsetPaging

    def get_queryset(self) -> QuerySet[Share]:
        return Share.objects.order_by()

    @extend_schema(
        operation_id="occupancy",
        parameters=[
            OpenApiParameter(
                _GROUP_BY,
                {"type": "array", "items": {"type": "string", "enum": list(Group)}, "maxItems": _MOST_GROUPS},
                description="One group, or two with a comma between them; default: team.",
                style="form",
                explode=False,
            )
        ],
    )
    def list(self, request: Request) -> HttpResponseBase:
        fields = self._fields(
            request, (*self.filters.base_filters, *_PARAMETERS, _GROUP_BY, *parameters.COMMON)
        )
        groups = asked_groups(request)
        with snapshot():
            filters = self._filters(request)
            self._look(names=request.query_params.getlist("cluster"))
            tag = etag(request, self.generation())
            if (unchanged := not_modified(request, tag, self.freshness.as_of)) is not None:
                return unchanged
            rows = self._rows(filters, groups)
            return marked(self._answer(request, rows, fields), tag, self.freshness.as_of)

    def _filters(self, request: Request) -> OccupancyFilter:
        filters = OccupancyFilter(
            request.query_params, queryset=self.get_queryset(), viewer=viewer_of(request.user)
        )
        if not filters.is_valid():
            raise ValidationError({name: list(map(str, told)) for name, told in filters.errors.items()})
        return filters

    def _rows(self, filters: OccupancyFilter, groups: Sequence[Group]) -> Sequence[OccupancyRow]:
        viewer = viewer_of(self.request.user)
        shares = occupancy.narrowed(filters, viewer=viewer)
        cards = occupancy.cards(self.request.query_params, viewer=viewer)
        return occupancy.rows(shares, cards, groups, viewer=viewer)

    def _answer(
        self, request: Request, rows: Sequence[OccupancyRow], fields: Sequence[str] | None
    ) -> HttpResponseBase:
        paginator = OffsetPaging()
        asked = any(name in request.query_params for name in _PARAMETERS)
        page = paginator.of(rows, request)
        if wants_csv(request):
            paths = tables.columns(OccupancyRow, (), fields)
            return tables.streamed("occupancy", paths, page if asked else rows)
        serializer = self.get_serializer(page, many=True, context={"fields": fields})
        return paginator.envelope(serializer.data, self.freshness)


def asked_groups(request: Request) -> list[Group]:
    """Raises ValidationError."""
    text = parameters.single(request.query_params, _GROUP_BY) or Group.TEAM
    names = text.split(",")
    known = ", ".join(Group)
    if unknown := [name for name in names if name not in list(Group)]:
        raise ValidationError({_GROUP_BY: [f"unknown group {name!r}; known are {known}" for name in unknown]})
    if len(names) > _MOST_GROUPS or len(set(names)) < len(names):
        raise ValidationError({_GROUP_BY: [f"expected one group or two different ones of {known}"]})
    return [Group(name) for name in names]
