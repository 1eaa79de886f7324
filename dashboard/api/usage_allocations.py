"""What each Pod had of which device and when, for tools that put a price on it: CSV in OpenCost's words."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from dashboard.api import tables
from dashboard.api.hours import Hours, hours
from dashboard.api.renderers import CsvRenderer, JsonRenderer
from dashboard.api.schema import ResourceSchema, problems
from dashboard.api.usage import OverTime
from dashboard.api.usage_parameters import SPAN, STEP, asked_steps, span_parameters, step_parameter
from inventory.kube.quantity import NANO, Quantity
from inventory.queries.usage.pods import pods
from inventory.queries.usage.rows import Period, PodUse
from inventory.snapshot import snapshot

_MINUTE = 60
# As OpenCost's own CSV has it, or else the JSON of its allocations; what it has no word for is in ours.
TITLES: Mapping[str, str] = {
    "date": "Date",
    "cluster": "Cluster",
    "node": "Node",
    "namespace": "Namespace",
    "controller_kind": "ControllerKind",
    "controller_name": "ControllerName",
    "pod": "Pod",
    "window_start": "WindowStart",
    "window_end": "WindowEnd",
    "start": "Start",
    "end": "End",
    "minutes": "Minutes",
    "gpus": "GPUs",
    "gpu_hours": "GPUHours",
    "gpu_hours_exact": "GPUHoursExact",
    "team": "Team",
    "claim": "ResourceClaim",
    "claim_uid": "ResourceClaimUID",
    "pod_uid": "PodUID",
    "reserved_for": "ReservedFor",
    "driver": "Driver",
    "pool": "Pool",
    "device": "Device",
    "product": "Product",
    "dedicated": "Dedicated",
    "part": "Part",
    "allocated_at": "AllocatedAt",
    "released_at": "ReleasedAt",
}


class AllocationLine(msgspec.Struct, frozen=True):
    """One use of a share by one Pod, in a window; the fields are the columns, in their order."""

    date: date
    cluster: str
    node: str | None
    namespace: str
    controller_kind: str | None
    controller_name: str | None
    pod: str | None
    window_start: datetime
    window_end: datetime
    start: datetime
    end: datetime
    minutes: Decimal
    gpus: Decimal | None
    gpu_hours: Decimal | None
    gpu_hours_exact: str | None
    team: str | None
    claim: str
    claim_uid: str
    pod_uid: str | None
    reserved_for: str | None
    driver: str
    pool: str
    device: str
    product: str | None
    dedicated: bool
    part: Decimal | None
    allocated_at: datetime
    released_at: datetime | None


class AllocationSchema(ResourceSchema):
    def get_override_parameters(self) -> Any:
        kept = [one for one in super().get_override_parameters() if one.name not in ("fields", "format")]
        told = "May be given for the sake of clients that always do."
        return [*kept, OpenApiParameter("format", str, enum=["csv"], description=told)]


class UsageAllocations(OverTime):
    """Which Pod had what of which device, and when, in card-equivalent hours.

    As CSV only: columns of OpenCost's CSV, as far as these can be filled, and then more of ours.

    A share has a line for each Pod that used it, and for a time in which none did. Only what you may see by
    name is in it.
    """

    row = AllocationLine
    schema = AllocationSchema()
    pagination_class = None
    asking = (*SPAN, STEP)

    windows: Sequence[Period]

    def get_renderers(self) -> list[Any]:
        return [CsvRenderer()] if self.action == "list" else [JsonRenderer()]

    def known_parameters(self) -> Sequence[str]:
        return (*self.filters.base_filters, *self.asking, "format")

    def prepare(self, request: Request) -> None:
        self.windows = [self.asked.period]
        if STEP in request.query_params:
            _, self.windows = asked_steps(request.query_params, self.asked)

    @extend_schema(
        operation_id="usage_allocations",
        parameters=[*span_parameters(), step_parameter("Windows of that length instead of one.", None)],
        responses={(200, "text/csv"): OpenApiTypes.STR, 304: None, **problems(400, 401, 406, 429)},
    )
    def list(self, request: Request) -> HttpResponseBase:
        return self.over_time(request)

    def answer(self, request: Request, fields: Sequence[str] | None) -> HttpResponseBase:
        # Refused before the first line goes out, if it is: what is oldest goes first.
        pods(self.windows[0], self.wanted, viewer=self.viewer)
        paths = [(name,) for name in TITLES]
        return tables.streamed("allocations", paths, self._lines(), titles=list(TITLES.values()))

    def _lines(self) -> Iterator[AllocationLine]:
        """In one view of the database, however long the client takes to read it."""
        with snapshot():
            for window in self.windows:
                day = window.start.astimezone(self.asked.zone.info).date()
                for use in pods(window, self.wanted, viewer=self.viewer):
                    yield _line(use, window, day)


def _line(use: PodUse, window: Period, day: date) -> AllocationLine:
    held = use.card_equivalents
    gpu_hours = Hours(None, None) if held is None else hours(held)
    return AllocationLine(
        date=day,
        cluster=use.cluster,
        node=use.node,
        namespace=use.namespace,
        controller_kind=use.workload_kind,
        controller_name=use.workload_name,
        pod=use.pod,
        window_start=window.start,
        window_end=window.end,
        start=use.start,
        end=use.end,
        minutes=_decimal(use.read / _MINUTE),
        gpus=None if held is None else _part(held, use.read),
        gpu_hours=gpu_hours.value,
        gpu_hours_exact=gpu_hours.exact,
        team=use.team,
        claim=use.claim,
        claim_uid=use.claim_uid,
        pod_uid=use.pod_uid,
        reserved_for=use.resource,
        driver=use.driver,
        pool=use.pool,
        device=use.device,
        product=use.product,
        dedicated=use.dedicated,
        part=_part(use.part, use.read),
        allocated_at=use.allocated_at,
        released_at=use.released_at,
    )


def _part(seconds: Fraction, read: Fraction) -> Decimal | None:
    """On an average of the time that was read."""
    return _decimal(seconds / read) if read else None


def _decimal(value: Fraction) -> Decimal:
    return Quantity(round(value * NANO)).as_decimal()
