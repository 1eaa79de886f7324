"""All that the first page says, in a fixed number of queries: how full, who holds it, what waits."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, Exists, F, Min, OuterRef, QuerySet

from inventory.dra.units import Unit
from inventory.kube.quantity import Quantity
from inventory.models import Card, Claim, Cluster, Consumer, Device, Pod, Pool, Share, SkippedObject
from inventory.models.devices import DeviceState
from inventory.models.visibility import VisibleQuerySet
from inventory.queries import holders
from inventory.queries import pods as pod_queries
from inventory.queries.briefs import team_slug
from inventory.queries.kinds import NOTHING, DimensionSum, KindSum, by_kind, over
from inventory.queries.pending import Pending
from inventory.queries.per_cluster import number_of
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


class WaitingPod(msgspec.Struct, frozen=True):
    """`team` is null also where the viewer may not know it."""

    id: int
    namespace: str
    name: str
    team: str | None
    created_at: datetime | None
    waiting: Pending


class Waiting(msgspec.Struct, frozen=True):
    """Pods without a node, the longest waiting first; `claims_unused` wait too, but no Pod uses them.

    All are counted; `pods` are of those that the viewer may see.
    """

    count: int
    since: datetime | None
    pods: tuple[WaitingPod, ...]
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


def overview(
    clusters: Collection[str], known: Mapping[int, TeamBrief], *, viewer: Viewer, waiting_shown: int = 8
) -> Overview:
    """Of the named clusters; of all where none is named.

    `known`: the teams that the viewer may know, by their ids and in their order.
    """
    cards, shares = _in(Card.objects.all(), clusters), _in(Share.objects.all(), clusters)
    pods = _in(pod_queries.queryset(viewer=EVERYTHING), clusters)
    kinds, counts = by_kind(cards, shares, known, viewer=viewer), _counts(cards)
    memory, cores = over(kinds, "memory", Unit.BYTES), over(kinds, "cores", Unit.PERCENT)
    teams = holders.counts_by_team(shares, pods, known, viewer=viewer)
    numbers = _numbers(clusters)
    return Overview(
        withheld=viewer.teams is not None,
        cards=counts,
        kinds=tuple(kinds),
        memory=memory,
        cores=cores,
        teams=_teams(teams, memory, cores),
        pods=sum(team.pods for team in teams),
        waiting=_waiting(clusters, teams, numbers, viewer, waiting_shown),
        oddities=_oddities(clusters, counts, numbers, viewer),
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


class _Numbers(NamedTuple):
    """Of things that are told in a sentence."""

    claims_unused: int
    claims_orphaned: int
    claims_idle: int
    pools: int
    vanished: int
    skipped: int


def _numbers(clusters: Collection[str]) -> _Numbers:
    """In one query."""
    pending = Claim.objects.filter(state=Claim.State.PENDING)
    told = {
        "claims_unused": number_of(pending.filter(pod_claims__isnull=True)),
        "claims_orphaned": number_of(_orphaned()),
        "claims_idle": number_of(Claim.objects.filter(state=Claim.State.ALLOCATED)),
        "pools": number_of(_not_complete()),
        "vanished": number_of(Device.objects.filter(state=DeviceState.NOT_PUBLISHED, shares__gt=0)),
        "skipped": number_of(SkippedObject.objects.all()),
    }
    known = Cluster.objects.filter(name__in=clusters) if clusters else Cluster.objects.all()
    numbers = {f"n_{name}": number for name, number in told.items()}
    rows = list(known.order_by().annotate(**numbers).values(*numbers))
    return _Numbers(**{name: sum(row[f"n_{name}"] for row in rows) for name in told})


def _waiting(
    clusters: Collection[str],
    teams: Iterable[holders.TeamCounts],
    numbers: _Numbers,
    viewer: Viewer,
    shown: int,
) -> Waiting:
    waiting = Pod.objects.filter(pod_queries.waiting())
    everyones = _in(waiting, clusters)
    seen = _in(waiting.visible_to(viewer).select_related("namespace", "team"), clusters)
    longest = seen.order_by(F("created_at").asc(nulls_last=True), "pk")
    return Waiting(
        count=sum(team.waiting for team in teams),
        since=everyones.aggregate(since=Min("created_at"))["since"],
        pods=tuple(_waiting_pod(pod, viewer) for pod in longest[:shown]),
        claims_unused=numbers.claims_unused,
    )


def _waiting_pod(pod: Pod, viewer: Viewer) -> WaitingPod:
    return WaitingPod(
        id=pod.pk,
        namespace=pod.namespace.name,
        name=pod.name,
        team=team_slug(pod.team, viewer),
        created_at=pod.created_at,
        waiting=pod_queries.not_placed(pod.scheduling_reason, pod.scheduling_message),
    )


def _oddities(clusters: Collection[str], cards: CardCounts, numbers: _Numbers, viewer: Viewer) -> Oddities:
    pools = _in(_not_complete().select_related("cluster"), clusters)[:_POOLS_SHOWN]
    orphaned = _in(_orphaned().visible_to(viewer).select_related("namespace"), clusters)
    named = orphaned.order_by("namespace__name", "name")[:_CLAIMS_SHOWN]
    claims = tuple(OddClaim(claim.pk, claim.namespace.name, claim.name) for claim in named)
    return Oddities(
        pools=tuple(map(_odd_pool, pools)),
        pools_more=max(0, numbers.pools - _POOLS_SHOWN),
        tainted=cards.tainted_all,
        over=cards.over,
        vanished=numbers.vanished,
        claims_orphaned=claims,
        claims_orphaned_more=numbers.claims_orphaned - len(claims),
        claims_idle=numbers.claims_idle,
        skipped=numbers.skipped,
    )


def _not_complete() -> QuerySet[Pool]:
    return Pool.objects.exclude(state=Pool.State.COMPLETE)


def _orphaned() -> VisibleQuerySet[Claim]:
    """Claims that hold something, and every consumer of which is a Pod that is gone."""
    # From the few consumers that are gone to their claims, not the other way round.
    left = Claim.objects.filter(pk__in=Consumer.objects.filter(gone=True).order_by().values("claim"))
    there = Consumer.objects.filter(claim=OuterRef("pk")).exclude(gone=True)
    return left.filter(Exists(Share.objects.filter(claim=OuterRef("pk"))), ~Exists(there))


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
