"""What changed in a time: devices, shares, claims that wait, readings, quotas."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

import msgspec
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from inventory.history.sweep import Device, DeviceKey
from inventory.kube.quantity import Quantity
from inventory.models import Claim, ClaimEvent, ShareInterval, TeamQuota
from inventory.models.visibility import visible
from inventory.queries.history.device_changes import DeviceChanges, device_changes
from inventory.queries.history.read import Read, read_in, span_of
from inventory.queries.slices import OTHERS, TeamBrief
from inventory.queries.usage import recorded
from inventory.queries.usage.recorded import Known
from inventory.queries.usage.rows import Period
from inventory.viewer import Viewer

MOST_CLAIMS = 25
MOST_TEAMS = 100
_NAMES = ("cluster", "driver", "pool", "device")
_KEYS = ("cluster_id", "driver", "pool", "device", "team_slug")
_SHARE = (*_NAMES, "claim_uid", "request", "share_id")
# Given before, as another team's; a clock that is ahead may say that what begins was given later.
_GOES_ON = Q(given_at__lte=F("started_at"))


class ShareChange(msgspec.Struct, frozen=True):
    """How many shares of a team on cards of a product began and ended. `team` is None where it is nobody."""

    team: TeamBrief | None
    driver: str
    product: str
    begun: int
    ended: int


class NewClaim(msgspec.Struct, frozen=True):
    id: int
    cluster: str
    namespace: str
    name: str
    team: str | None
    since: datetime | None


class NewClaims(msgspec.Struct, frozen=True):
    """Claims that wait now and were created in the time; `withheld` of them may not be named."""

    rows: tuple[NewClaim, ...]
    number: int
    withheld: int


class QuotaChange(msgspec.Struct, frozen=True):
    at: datetime
    begins: bool
    team: str
    team_name: str
    dimension: str
    devices: tuple[str, ...]
    limit: Quantity
    driver: str
    hard: bool


class Changes(msgspec.Struct, frozen=True):
    """`events` count what happened to claims, whosever they are; `more_shares` rows are not told."""

    period: Period
    reads: tuple[Read, ...]
    devices: DeviceChanges
    shares: tuple[ShareChange, ...]
    more_shares: int
    events: Mapping[str, int]
    claims: NewClaims
    quotas: tuple[QuotaChange, ...]

    @property
    def begun(self) -> int:
        return sum(one.begun for one in self.shares)

    @property
    def ended(self) -> int:
        return sum(one.ended for one in self.shares)

    @property
    def unread(self) -> tuple[Read, ...]:
        """Clusters that were not read for a part of the time in which they were followed."""
        return tuple(one for one in self.reads if one.first is not None and one.enabled and one.unread)


def changes(period: Period, known: Mapping[str, TeamBrief], *, viewer: Viewer) -> Changes:
    """A fixed number of queries. `known`: the teams that the viewer may know."""
    reads = read_in(period)
    shares = _shares(period, reads, known, viewer)
    return Changes(
        period=period,
        reads=tuple(reads.values()),
        devices=device_changes(period, reads),
        shares=shares,
        more_shares=max(0, len(shares) - MOST_TEAMS),
        events=_events(period, reads),
        claims=_claims(period, viewer),
        quotas=tuple(_quotas(period, viewer)),
    )


# --- Shares ---


def _shares(
    period: Period, reads: Mapping[int, Read], known: Mapping[str, TeamBrief], viewer: Viewer
) -> tuple[ShareChange, ...]:
    """The busiest first, others last."""
    where = _devices(period, reads)
    begun = _counted(_begun(period, reads), where, known, viewer)
    ended = _counted(_ended(period, reads), where, known, viewer)
    rows = [ShareChange(*key, begun[key], ended[key]) for key in {**begun, **ended}]
    return tuple(sorted(rows, key=_order))


def _order(row: ShareChange) -> tuple[bool, int, str, str]:
    return row.team == OTHERS, -(row.begun + row.ended), row.team.slug if row.team else "", row.product


def _begun(period: Period, clusters: Collection[int]) -> QuerySet[ShareInterval]:
    """What goes on as another team's has not begun. Clusters and ends are named for the index."""
    not_over = Q(ended_at=None) | Q(ended_at__gte=period.start)
    of_clusters = ShareInterval.objects.filter(not_over, cluster__in=list(clusters), admin_access=False)
    return of_clusters.filter(started_at__gte=period.start, started_at__lt=period.end).exclude(_GOES_ON)


def _ended(period: Period, clusters: Collection[int]) -> QuerySet[ShareInterval]:
    same = {name: OuterRef(name) for name in _SHARE}
    goes_on = ShareInterval.objects.filter(_GOES_ON, **same, started_at=OuterRef("ended_at"))
    of_clusters = ShareInterval.objects.filter(cluster__in=list(clusters), admin_access=False)
    return of_clusters.filter(~Exists(goes_on), ended_at__gte=period.start, ended_at__lt=period.end)


def _counted(
    rows: QuerySet[ShareInterval],
    where: Mapping[DeviceKey, Device],
    known: Mapping[str, TeamBrief],
    viewer: Viewer,
) -> Counter[tuple[TeamBrief | None, str, str]]:
    """Of shares on cards, as everywhere."""
    found: Counter[tuple[TeamBrief | None, str, str]] = Counter()
    for *key, slug, number in rows.order_by().values_list(*_KEYS).annotate(Count("pk")):
        device = where.get(DeviceKey(*key))
        if device is not None and device.accelerator:
            found[_whose(slug, known, viewer), device.key.driver, device.product] += number
    return found


def _whose(slug: str, known: Mapping[str, TeamBrief], viewer: Viewer) -> TeamBrief | None:
    if slug in known:
        return known[slug]
    if viewer.teams is not None:
        return OTHERS
    return TeamBrief(slug, slug, 0) if slug else None


def _devices(period: Period, reads: Mapping[int, Read]) -> dict[DeviceKey, Device]:
    """As they were last published before the end: of all, for there are far more shares than devices."""
    windows = {pk: [span_of(period)] for pk in reads}
    return {one.key: one for one in recorded.devices(windows, recorded.ALL, Known())}


# --- Claims and quotas ---


def _events(period: Period, clusters: Collection[int]) -> dict[str, int]:
    of_clusters = ClaimEvent.objects.filter(cluster__in=list(clusters))
    rows = of_clusters.filter(at__gte=period.start, at__lt=period.end).order_by()
    return dict(rows.values_list("kind").annotate(Count("pk")))


def _claims(period: Period, viewer: Viewer) -> NewClaims:
    everyones = Claim.objects.filter(
        state=Claim.State.PENDING, created_at__gte=period.start, created_at__lt=period.end
    )
    seen = everyones.filter(visible(Claim, viewer))
    counts = everyones.aggregate(number=Count("pk"), own=Count("pk", filter=visible(Claim, viewer)))
    latest = seen.select_related("cluster", "namespace", "team").order_by("-created_at", "pk")
    return NewClaims(
        tuple(_claim(one, viewer) for one in latest[:MOST_CLAIMS]),
        counts["number"],
        counts["number"] - counts["own"],
    )


def _claim(one: Claim, viewer: Viewer) -> NewClaim:
    team = one.team if one.team and viewer.sees(one.team.pk) else None
    return NewClaim(
        one.pk, one.cluster.name, one.namespace.name, one.name, team.slug if team else None, one.created_at
    )


def _quotas(period: Period, viewer: Viewer) -> Iterable[QuotaChange]:
    begins = Q(starts_at__gte=period.start, starts_at__lt=period.end)
    ends = Q(ends_at__gte=period.start, ends_at__lt=period.end)
    rows = TeamQuota.objects.filter(begins | ends, visible(TeamQuota, viewer))
    found = [
        _quota(one, at, begins=begins_then)
        for one in rows.select_related("team", "cluster")
        for at, begins_then in ((one.starts_at, True), (one.ends_at, False))
        if at is not None and period.start <= at < period.end
    ]
    return sorted(found, key=lambda one: (one.at, one.team), reverse=True)


def _quota(one: TeamQuota, at: datetime, *, begins: bool) -> QuotaChange:
    chosen = (one.product, one.driver, one.device_class, one.cluster.name if one.cluster else "")
    return QuotaChange(
        at=at,
        begins=begins,
        team=one.team.slug,
        team_name=one.team.name,
        dimension=one.dimension,
        devices=tuple(name for name in chosen if name),
        limit=one.limit,
        driver=one.driver,
        hard=one.hard,
    )
