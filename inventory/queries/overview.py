"""All that the first page says, in a fixed number of queries: how full, who holds it, what waits."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
from django.db.models import Count, Exists, F, OuterRef, QuerySet

from inventory.dra.units import Unit
from inventory.kube.quantity import Quantity
from inventory.models import Card, Claim, Consumer, Device, Pool, Share, SkippedObject
from inventory.models.devices import DeviceState
from inventory.models.visibility import VisibleQuerySet
from inventory.queries import holders
from inventory.queries import pods as pod_queries
from inventory.queries.kinds import NOTHING, DimensionSum, KindSum, by_kind, over
from inventory.queries.pods import PodRow, PodState
from inventory.queries.slices import TeamBrief
from inventory.viewer import EVERYTHING, Viewer

_HELD = (DeviceState.PARTLY_ALLOCATED, DeviceState.FULL, DeviceState.DEDICATED, DeviceState.OVER_ALLOCATED)
_NOT_KNOWN = (DeviceState.NOT_PUBLISHED, DeviceState.UNKNOWN)
_PLACES = ("held", "free", "tainted", "unusable", "unknown")
_COUNTED = (*_PLACES, "over", "tainted_all")
_POOLS_SHOWN = 5
_CLAIMS_SHOWN = 5


class CardCounts(msgspec.Struct, frozen=True):
    """Every card is one of `held`, `free`, `tainted`, `unusable` and `unknown`; the other two cut across."""

    total: int
    held: int
    free: int
    tainted: int
    unusable: int
    unknown: int
    over: int
    tainted_all: int


class TeamUse(msgspec.Struct, frozen=True):
    """What a team (None: namespaces of no team) holds now. `memory_ratio` is its part of all memory."""

    team: TeamBrief | None
    cards: int
    memory: Quantity
    memory_ratio: Decimal | None
    cores: Quantity
    pods: int
    waiting: int


class Waiting(msgspec.Struct, frozen=True):
    """Pods without a node, the longest waiting first; `claims_unused` wait too, but no Pod uses them.

    All are counted; `pods` are of those that the viewer may see.
    """

    count: int
    since: datetime | None
    pods: tuple[PodRow, ...]
    claims_unused: int


class OddPool(msgspec.Struct, frozen=True):
    """A pool whose devices may not all be there."""

    cluster: str
    driver: str
    name: str
    state: str
    reason: str
    slices_seen: int
    slices_expected: int | None


class OddClaim(msgspec.Struct, frozen=True):
    """A claim that holds devices for Pods that are gone."""

    id: int
    namespace: str
    name: str


class Oddities(msgspec.Struct, frozen=True):
    """What needs a look; of pools and of orphaned claims that the viewer may see the first few."""

    pools: tuple[OddPool, ...]
    pools_more: int
    tainted: int
    over: int
    vanished: int
    claims_idle: int
    claims_orphaned: tuple[OddClaim, ...]
    claims_orphaned_more: int
    skipped: int

    def __bool__(self) -> bool:
        several = (self.tainted, self.over, self.vanished, self.claims_idle, self.skipped)
        return bool(self.pools or self.claims_orphaned or any(several))


class OtherDriver(msgspec.Struct, frozen=True):
    """A driver whose devices are shown, but are no cards."""

    driver: str
    devices: int


class Overview(msgspec.Struct, frozen=True):
    """`withheld`: more is counted than the viewer may read the names of."""

    withheld: bool
    cards: CardCounts
    kinds: tuple[KindSum, ...]
    memory: DimensionSum
    cores: DimensionSum
    teams: tuple[TeamUse, ...]
    pods: int
    waiting: Waiting
    oddities: Oddities
    others: tuple[OtherDriver, ...]


def overview(clusters: Collection[str], *, viewer: Viewer, waiting_shown: int = 8) -> Overview:
    """Of the named clusters; of all where none is named."""
    cards, pods = _in(Card.objects.all(), clusters), _in(pod_queries.queryset(viewer=EVERYTHING), clusters)
    kinds, counts = by_kind(cards, viewer=viewer), _counts(cards)
    memory, cores = over(kinds, "memory", Unit.BYTES), over(kinds, "cores", Unit.PERCENT)
    teams = holders.counts_by_team(_in(Share.objects.all(), clusters), pods, viewer=viewer)
    return Overview(
        withheld=viewer.teams is not None,
        cards=counts,
        kinds=tuple(kinds),
        memory=memory,
        cores=cores,
        teams=_teams(teams, memory, cores),
        pods=sum(team.pods for team in teams),
        waiting=_waiting(pods, clusters, viewer, waiting_shown),
        oddities=_oddities(clusters, counts, viewer),
        others=_others(_in(Device.objects.filter(accelerator=False), clusters)),
    )


def _in(rows: QuerySet[Any], clusters: Collection[str]) -> QuerySet[Any]:
    return rows.filter(cluster__name__in=clusters) if clusters else rows


def _counts(cards: QuerySet[Card]) -> CardCounts:
    counted = cards.order_by().values_list("state", "tainted").annotate(Count("pk"))
    found: Counter[str] = Counter()
    for state, tainted, number in counted:
        found[_place(state, tainted=tainted)] += number
        found["over"] += number if state == DeviceState.OVER_ALLOCATED else 0
        found["tainted_all"] += number if tainted else 0
    return CardCounts(
        total=sum(found[place] for place in _PLACES), **{name: found[name] for name in _COUNTED}
    )


def _place(state: str, *, tainted: bool) -> str:
    if state in _HELD:
        return "held"
    if state in _NOT_KNOWN:
        return "unknown"
    if tainted:
        return "tainted"
    return "free" if state == DeviceState.FREE else "unusable"


def _teams(teams: list[holders.TeamCounts], memory: DimensionSum, cores: DimensionSum) -> tuple[TeamUse, ...]:
    memory_of = {part.team: part for part in memory.parts}
    cores_of = {part.team: part.amount for part in cores.parts}
    rows = []
    for row in teams:
        team = holders.whose(row)
        held = memory_of.get(team)
        rows.append(
            TeamUse(
                team=team,
                cards=row.cards,
                memory=held.amount if held else NOTHING,
                memory_ratio=held.ratio if held else None,
                cores=cores_of.get(team, NOTHING),
                pods=row.pods,
                waiting=row.waiting,
            )
        )
    return tuple(
        sorted(rows, key=lambda row: (-row.memory.nanos, -row.cards, row.team.name if row.team else ""))
    )


def _waiting(pods: QuerySet[Any], clusters: Collection[str], viewer: Viewer, shown: int) -> Waiting:
    counted = holders.waiting(pods, _in(Claim.objects.all(), clusters))
    seen = _in(pod_queries.queryset(viewer=viewer), clusters).filter(state=PodState.WAITING)
    longest = seen.order_by(F("created_at").asc(nulls_last=True), "pk")[:shown]
    rows = tuple(pod_queries.rows(longest, viewer=viewer))
    return Waiting(counted.pods, counted.pods_since, rows, counted.claims_unused)


def _oddities(clusters: Collection[str], cards: CardCounts, viewer: Viewer) -> Oddities:
    pools = _in(Pool.objects.exclude(state=Pool.State.COMPLETE).select_related("cluster"), clusters)
    orphaned = _orphaned(clusters)
    named = list(orphaned.visible_to(viewer)[:_CLAIMS_SHOWN])
    return Oddities(
        pools=tuple(map(_odd_pool, pools[:_POOLS_SHOWN])),
        pools_more=max(0, pools.count() - _POOLS_SHOWN),
        tainted=cards.tainted_all,
        over=cards.over,
        vanished=_in(Device.objects.filter(state=DeviceState.NOT_PUBLISHED, shares__gt=0), clusters).count(),
        claims_orphaned=tuple(OddClaim(claim.pk, claim.namespace.name, claim.name) for claim in named),
        claims_orphaned_more=orphaned.count() - len(named),
        claims_idle=_in(Claim.objects.filter(state=Claim.State.ALLOCATED), clusters).count(),
        skipped=_in(SkippedObject.objects.all(), clusters).count(),
    )


def _orphaned(clusters: Collection[str]) -> VisibleQuerySet[Claim]:
    """Claims that hold something, and every consumer of which is a Pod that is gone."""
    consumers = Consumer.objects.filter(claim=OuterRef("pk"))
    holding = Claim.objects.filter(Exists(Share.objects.filter(claim=OuterRef("pk"))))
    gone = holding.filter(Exists(consumers.filter(gone=True)), ~Exists(consumers.exclude(gone=True)))
    found = gone.select_related("namespace").order_by("namespace__name", "name")
    return found.filter(cluster__name__in=clusters) if clusters else found


def _odd_pool(pool: Pool) -> OddPool:
    return OddPool(
        pool.cluster.name,
        pool.driver,
        pool.name,
        pool.state,
        pool.reason,
        pool.slices_seen,
        pool.slices_expected,
    )


def _others(devices: QuerySet[Device]) -> tuple[OtherDriver, ...]:
    counted = devices.order_by("pool__driver").values_list("pool__driver").annotate(Count("pk"))
    return tuple(OtherDriver(driver, number) for driver, number in counted)
