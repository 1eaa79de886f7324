"""What was held over time: added up over a period, or step by step."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar

import msgspec
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api import parameters, tables
from dashboard.api.conditional import etag, marked, not_modified
from dashboard.api.occupancy import OffsetPaging
from dashboard.api.paging import asked_page
from dashboard.api.renderers import wants_csv
from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from dashboard.api.usage_parameters import (
    GROUP_BY,
    SPAN,
    STEP,
    Asked,
    asked,
    asked_steps,
    group_parameter,
    refuse_unknowable,
    span_parameters,
    step_parameter,
)
from dashboard.api.usage_rows import (
    GroupUsageRow,
    UsageLine,
    UsageStepRow,
    dimensions_of,
    group_row,
    lines,
    reading_row,
    step_row,
)
from dashboard.api.wire import wire
from inventory.history.buckets import Step
from inventory.models import ShareInterval
from inventory.queries.freshness import Freshness
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.plan import NoLongerKept
from inventory.queries.usage.reach import Reach, reach
from inventory.queries.usage.report import report, series
from inventory.queries.usage.rows import Period, UsageReport
from inventory.snapshot import snapshot

KINDS = ("resourceslices", "resourceclaims")
_PAGE = ("limit", "offset")
_OF_LINES = ("starts_at", "ends_at", "read_hours", "unread_hours")


class GroupUsageSerializer(RowSerializer):
    row = GroupUsageRow


class UsageStepSerializer(RowSerializer):
    """`fields` are those of the groups."""

    row = UsageStepRow

    def to_representation(self, instance: Any) -> dict[str, Any]:
        groups = GroupUsageSerializer(instance.groups, many=True, context=self.context)
        step = {
            name: wire(getattr(instance, name)) for name in instance.__struct_fields__ if name != "groups"
        }
        return {**step, "groups": groups.data}


class _Paging(OffsetPaging):
    """Beside the rows stands what they are about."""

    about: dict[str, Any]

    def envelope(self, results: Sequence[Any], freshness: Freshness) -> Response:
        found = super().envelope(results, freshness).data
        rows = found.pop("results")
        return Response({**found, **self.about, "results": rows})


class SeriesPaging(_Paging):
    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return _with(super().get_paginated_response_schema(schema), _SPAN_SCHEMA)


class ReportPaging(_Paging):
    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return _with(super().get_paginated_response_schema(schema), _SPAN_SCHEMA | _READ_SCHEMA)


_SPAN_SCHEMA: dict[str, Any] = {
    "starts_at": {"type": "string", "format": "date-time"},
    "ends_at": {"type": "string", "format": "date-time", "description": "Not in the period itself."},
}
_READ_SCHEMA: dict[str, Any] = {
    "exact_until": {
        "type": ["string", "null"],
        "format": "date-time",
        "description": "What is later is not over, or was not read so far.",
    },
    "readings": {"type": "array", "items": {"$ref": "#/components/schemas/Reading"}},
}


def _with(envelope: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    properties = {**envelope["properties"], **more}
    properties["results"] = properties.pop("results")
    return {**envelope, "required": list(properties), "properties": properties}


class OverTime(Resource):
    """What both have in common. `asking` are the parameters that an answer takes besides the filters."""

    row: ClassVar[type[msgspec.Struct]] = GroupUsageRow
    filters = UsageFilter
    kinds = KINDS
    asking: Sequence[str] = (*SPAN, GROUP_BY)

    asked: Asked
    wanted: UsageFilter
    known: Reach

    def get_queryset(self) -> QuerySet[ShareInterval]:
        return ShareInterval.objects.order_by()

    def generation(self) -> Sequence[str]:
        return (*super().generation(), *self.known.generation(self.asked.period.end))

    def known_parameters(self) -> Sequence[str]:
        return (*self.filters.base_filters, *_PAGE, *self.asking, *parameters.COMMON)

    def prepare(self, request: Request) -> None:
        """Raises ValidationError where more is wrong than with period and groups."""

    def answer(self, request: Request, fields: Sequence[str] | None) -> HttpResponseBase:
        raise NotImplementedError

    def over_time(self, request: Request) -> HttpResponseBase:
        fields = self._fields(request, self.known_parameters())
        asked_page(request)
        self.asked = asked(request.query_params)
        self.prepare(request)
        with snapshot():
            self.wanted = self._wanted(request)
            names = request.query_params.getlist("cluster")
            self._look(names=names)
            self.known = reach(names)
            refuse_unknowable(self.asked.period, self.known, self.now)
            tag = etag(request, self.generation())
            if (unchanged := not_modified(request, tag, self.freshness.as_of)) is not None:
                return unchanged
            return marked(self._kept(request, fields), tag, self.freshness.as_of)

    def _kept(self, request: Request, fields: Sequence[str] | None) -> HttpResponseBase:
        """Raises ValidationError where what was asked for is not kept in this detail any more."""
        try:
            return self.answer(request, fields)
        except NoLongerKept as error:
            raise ValidationError({"from": error.messages}) from error

    def table(self, reports: Sequence[UsageReport], fields: Sequence[str] | None) -> HttpResponseBase:
        wanted = None if fields is None else (*_OF_LINES, *fields)
        paths = tables.columns(UsageLine, dimensions_of(reports), wanted)
        return tables.streamed(self.basename, paths, chain.from_iterable(map(lines, reports)))

    def span(self) -> dict[str, Any]:
        return {"starts_at": self.asked.period.start, "ends_at": self.asked.period.end}

    def _wanted(self, request: Request) -> UsageFilter:
        filters = UsageFilter(request.query_params, queryset=self.get_queryset(), viewer=self.viewer)
        if not filters.is_valid():
            raise ValidationError({name: list(map(str, told)) for name, told in filters.errors.items()})
        return filters


class Usage(OverTime):
    """What groups held, step by step: exact integrals of the shares' intervals, in hours.

    A step of which something was not read says so in its `readings`. `limit` and `offset` count steps.
    """

    serializer_class = UsageStepSerializer
    pagination_class = SeriesPaging
    asking = (*OverTime.asking, STEP)

    step: Step
    steps: Sequence[Period]

    def prepare(self, request: Request) -> None:
        self.step, self.steps = asked_steps(request.query_params, self.asked)

    @extend_schema(
        operation_id="usage",
        parameters=[
            *span_parameters(),
            step_parameter("How long each step is.", Step.DAY.value),
            group_parameter(),
        ],
    )
    def list(self, request: Request) -> HttpResponseBase:
        return self.over_time(request)

    def answer(self, request: Request, fields: Sequence[str] | None) -> HttpResponseBase:
        paginator = SeriesPaging()
        page = paginator.of(self.steps, request)
        if wants_csv(request):
            paged = any(name in request.query_params for name in _PAGE)
            return self.table(self._series(page if paged else self.steps), fields)
        rows = [step_row(one) for one in self._series(page)]
        paginator.about = self.span()
        serializer = self.get_serializer(rows, many=True, context={"fields": fields})
        return paginator.envelope(serializer.data, self.freshness)

    def _series(self, steps: Sequence[Period]) -> Sequence[UsageReport]:
        """Steps that follow each other: their ends are ends of steps."""
        if not steps:
            return []
        period, zone = Period(steps[0].start, steps[-1].end), self.asked.zone.info
        groups = self.asked.groups
        return series(period, self.step, groups, self.wanted, zone=zone, viewer=self.viewer).steps


class UsageReports(OverTime):
    """What groups held in a period: exact integrals of the shares' intervals, in hours.

    What was not read of the period is in `readings`; nothing of it is in the numbers.
    """

    serializer_class = GroupUsageSerializer
    pagination_class = ReportPaging

    @extend_schema(operation_id="usage_report", parameters=[*span_parameters(), group_parameter()])
    def list(self, request: Request) -> HttpResponseBase:
        return self.over_time(request)

    def answer(self, request: Request, fields: Sequence[str] | None) -> HttpResponseBase:
        found = report(self.asked.period, self.asked.groups, self.wanted, viewer=self.viewer)
        paginator = ReportPaging()
        page = paginator.of(found.rows, request)
        if wants_csv(request):
            paged = any(name in request.query_params for name in _PAGE)
            return self.table([msgspec.structs.replace(found, rows=page) if paged else found], fields)
        readings = [wire(reading_row(one)) for one in found.readings]
        paginator.about = {**self.span(), "exact_until": found.exact_until, "readings": readings}
        serializer = self.get_serializer(list(map(group_row, page)), many=True, context={"fields": fields})
        return paginator.envelope(serializer.data, self.freshness)
