"""Every route of the URL configuration, filled with everything that there is in the world of the walk."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import combinations, product
from typing import Any, NamedTuple
from urllib.parse import quote

import django_filters
from django.contrib.auth.models import Group, User
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from dashboard.access.models import ApiToken, AuditEntry
from inventory.models import (
    Claim,
    Cluster,
    ConversionPreview,
    Device,
    DeviceClass,
    HamiPod,
    Namespace,
    Node,
    Pod,
    Pool,
    SavedConversion,
    Share,
    Team,
    TeamQuota,
    TeamRule,
)
from inventory.queries.claims import ClaimFilter
from inventory.queries.clusters import ClusterFilter
from inventory.queries.devices import DeviceFilter
from inventory.queries.filters import Filters
from inventory.queries.nodes import NodeFilter
from inventory.queries.occupancy import Group as Grouping
from inventory.queries.pods import PodFilter
from inventory.queries.room import RoomyCardFilter
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.rows import UsageGroup

Values = Callable[[], Sequence[object]]

# Of pages, the filters that their parameters come from.
PAGE_FILTERS: Mapping[str, type[Filters]] = {
    "devices": RoomyCardFilter,
    "devices?show=others": DeviceFilter,
    "nodes": NodeFilter,
    "pods": PodFilter,
    "claims": ClaimFilter,
    "clusters": ClusterFilter,
    "usage": UsageFilter,
    "usage_month": UsageFilter,
}
_BY_GROUP = [f"group_by={group}" for group in UsageGroup]
_IN_TOKYO = ("tz=Asia/Tokyo", "format=csv")
# What a route cannot be asked without, by its name.
_LEAST: Mapping[str, str] = dict.fromkeys(("usage-series", "usage-report", "usage-allocations"), "{span}")
# Parameters that are no filters, by the name of the route.
OTHER_PARAMETERS: Mapping[str, Sequence[str]] = {
    "overview": ["cluster=lab"],
    "devices": ["view=wall", "view=bars", "view=table", "view=wall&at={node}", "show=others", "room=1Gi"],
    "device_by_name": ["cluster=lab&driver={driver}&pool=node-1&device=hami-gpu-0"],
    "device": ["period=month", "period=year", "until={midnight}", "period=day&until={midnight}"],
    "team": ["period=year", "until={midnight}", "period=day&until={midnight}"],
    "waiting": ["period=month", "until={midnight}", "period=day&until={midnight}"],
    "changes": ["period=year", "until={midnight}", "period=week&until={midnight}"],
    "largest": ["cluster=lab", "product=NVIDIA+L4"],
    "node": ["largest=now"],
    "pod": ["fit=now"],
    "claim": ["fit=now"],
    "find": ["q=-", "q=a"],
    "saved_conversion_download": ["what=repository", "what=webhook"],
    "conversion_preview": ["now=1", "now=1&outcome=converted"],
    "conversion_preview_part": ["profile=later"],
    "usage": [*_BY_GROUP, "from=2020-01-01&to=2020-02-01", "step=week&tz=Asia/Tokyo"],
    "usage_month": ["tz=Asia/Tokyo"],
    "usage-series": [f"{{span}}&step=hour&{one}" for one in _BY_GROUP]
    + ["{span}&format=csv", "{span}&tz=Asia/Tokyo"],
    "usage-report": [
        f"{{span}}&{one}" for one in (*_BY_GROUP, "tz=Asia/Tokyo", "format=csv", "group_by=team,node")
    ],
    "usage-allocations": ["{span}&step=day&tz=Asia/Tokyo"],
    "api-docs": ["try=%2Fapi%2Fv1%2Fpods%2F"],
    "stream": ["cluster=lab", "shares=false", "kind=pods", "last_event_id=of-another-stream"],
    "occupancy": [f"group_by={','.join(pair)}" for size in (1, 2) for pair in combinations(Grouping, size)],
}


def _filled(query: str) -> str:
    """`span`: the days of which there is a record; `midnight`: the last one."""
    today = timezone.now().date()
    days = (today - timedelta(days=2), today + timedelta(days=1))
    return query.format(
        node=_columns()[0],
        driver=Device.objects.values_list("pool__driver", flat=True)[0],
        span="from={}&to={}".format(*days),
        midnight=f"{today}T00:00:00Z",
    )


_NOTHING: Sequence[object] = ("nothing",)


def _ids(model: type[Any]) -> Values:
    return lambda: list(model.objects.order_by("pk").values_list("pk", flat=True))


def _columns() -> Sequence[str]:
    return [*(f"n{pk}" for pk in _ids(Node)()), *(f"p{pk}" for pk in _ids(Pool)())]


# By the name of the argument, or of the route and the argument where the same name means several things.
_ARGUMENTS: Mapping[str, Values] = {
    "device_id": _ids(Device),
    "node_id": _ids(Node),
    "pod_id": _ids(Pod),
    "claim_id": _ids(Claim),
    "saved_id": _ids(SavedConversion),
    "preview_id": _ids(ConversionPreview),
    "token_id": _ids(ApiToken),
    "usage_month.asked": lambda: [f"{timezone.now():%Y-%m}"],
    "slug": lambda: list(Team.objects.order_by("pk").values_list("slug", flat=True)),
    "inventory_teamrule_preset.name": lambda: ["rancher"],
    "quotas-detail.pk": _ids(TeamQuota),
    "number": lambda: [1],
    "at": _columns,
    "cluster": lambda: ["lab"],
    "node_by_name.name": lambda: ["node-1"],
    "cluster.name": lambda: ["lab"],
    "clusters-detail.pk": _ids(Cluster),
    "nodes-detail.pk": _ids(Node),
    "pools-detail.pk": _ids(Pool),
    "device-classes-detail.pk": _ids(DeviceClass),
    "devices-detail.pk": _ids(Device),
    "shares-detail.pk": _ids(Share),
    "claims-detail.pk": _ids(Claim),
    "pods-detail.pk": _ids(Pod),
    "view_on_site.content_type_id": lambda: [1],
    "view_on_site.object_id": lambda: [1],
    "auth_user_password_change.id": _ids(User),
}
# Objects of the administration, by application and model.
_ADMIN: Mapping[str, Values] = {
    "inventory/cluster": _ids(Cluster),
    "inventory/team": _ids(Team),
    "inventory/teamrule": _ids(TeamRule),
    "inventory/teamquota": _ids(TeamQuota),
    "inventory/namespace": _ids(Namespace),
    "inventory/hamipod": _ids(HamiPod),
    "inventory/conversionpreview": _ids(ConversionPreview),
    "inventory/savedconversion": _ids(SavedConversion),
    "access/apitoken": _ids(ApiToken),
    "access/auditentry": _ids(AuditEntry),
    "axes/accessattempt": lambda: _NOTHING,
    "axes/accesslog": lambda: _NOTHING,
    "axes/accessfailurelog": lambda: _NOTHING,
    "auth/group": _ids(Group),
    "auth/user": _ids(User),
}
_PATTERNS: Mapping[str, Sequence[str]] = {
    "admin/^(?P<app_label>auth|access|inventory|axes)/$": [
        "admin/access/",
        "admin/inventory/",
        "admin/axes/",
        "admin/auth/",
    ],
    "admin/(?P<url>.*)$": ["admin/nothing"],
    "api/^.*/$": ["api/v1/nothing/"],
}
_CONVERTER = re.compile(r"<(?:\w+:)?(\w+)>")


class Route(NamedTuple):
    """`listed` are the filters of a list of the API."""

    pattern: str
    name: str
    listed: type[Filters] | None = None

    @property
    def is_api(self) -> bool:
        return self.pattern.startswith("api/v1/")

    def paths(self) -> list[str]:
        """Raises KeyError where it is not known what an argument means."""
        if self.pattern in _PATTERNS:
            return [f"/{path}" for path in _PATTERNS[self.pattern]]
        names = _CONVERTER.findall(self.pattern)
        values = [[quote(str(one)) for one in self._values(name)] for name in names]
        template = _CONVERTER.sub("{}", self.pattern)
        return [f"/{template.format(*filled)}" for filled in product(*values)]

    def _values(self, argument: str) -> Sequence[object]:
        if argument == "object_id" and self.pattern.startswith("admin/") and self.name != "view_on_site":
            _, application, model, *_ = self.pattern.split("/")
            return _ADMIN[f"{application}/{model}"]()
        values = _ARGUMENTS.get(f"{self.name}.{argument}") or _ARGUMENTS[argument]
        return values()

    @property
    def filters(self) -> Sequence[tuple[str, type[Filters]]]:
        """The filter classes of its lists, each with the query that leads to them."""
        if self.listed is not None:
            return [(self.least, self.listed)]
        found = []
        for key, filters in PAGE_FILTERS.items():
            name, _, query = key.partition("?")
            if name == self.name:
                found.append((_filled(query), filters))
        return found

    @property
    def least(self) -> str:
        return _filled(_LEAST.get(self.name, ""))

    def queries(self) -> Iterator[str]:
        """Everything that can be asked without a name: orders, formats, pages, and choices."""
        yield self.least
        for query in OTHER_PARAMETERS.get(self.name, ()):
            yield _filled(query)
        for base, filters in self.filters:
            for query in _without_names(filters):
                yield f"{base}&{query}" if base else query
        if self.listed is not None:
            for query in ("format=csv", "cursor=start&limit=1", "limit=1&offset=1", "format=csv&limit=2"):
                yield f"{self.least}&{query}" if self.least else query


def _without_names(filters: type[Filters]) -> Iterator[str]:
    for name, one in filters.base_filters.items():
        choices = [str(value) for value, _ in one.extra.get("choices") or ()]
        if isinstance(one, django_filters.OrderingFilter):
            yield f"{name}={','.join(choices)}"
            yield f"{name}={','.join(reversed(choices))}"
        elif choices:
            yield f"{name}={quote(choices[-1])}"


def every_route() -> list[Route]:
    return list(_routes(get_resolver()))


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[Route]:
    for entry in resolver.url_patterns:
        pattern = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, pattern)
        elif isinstance(entry, URLPattern):
            yield Route(pattern, entry.name or "", _filters_of_list(entry))


def _filters_of_list(entry: URLPattern) -> type[Filters] | None:
    callback: Any = entry.callback
    is_list = "list" in getattr(callback, "actions", {}).values()
    found: type[Filters] | None = callback.cls.filters if is_list else None
    return found
