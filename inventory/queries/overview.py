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
from inventory.queries.at_once import Questions, Rows, number_of
from inventory.queries.holders import CountsByTeam, WaitingCounts
from inventory.queries.kinds import NOTHING, DimensionSum, Kinds, KindSum, over
from inventory.queries.pending import Pending
from inventory.queries.pods import PodState
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


def overview(clusters: Collection[str], *, viewer: Viewer, waiting_shown: int = 8) -> Overview:
    """Of the named clusters; of all where none is named."""
    questions = Questions()
    cards, pods = _in(Card.objects.all(), clusters), _in(pod_queries.queryset(viewer=EVERYTHING), clusters)
    asked_kinds, asked_cards = Kinds(cards, viewer, questions), questions.ask(_counted(cards))
    asked_teams = CountsByTeam(_in(Share.objects.all(), clusters), pods, viewer, questions)
    asked_waiting = _Waiting(pods, clusters, viewer, questions, waiting_shown)
    asked_oddities = _Oddities(clusters, viewer, questions)
    asked_others = questions.ask(_others(_in(Device.objects.filter(accelerator=False), clusters)))
    kinds, counts = asked_kinds.found(), _counts(asked_cards.rows)
    memory, cores = over(kinds, "memory", Unit.BYTES), over(kinds, "cores", Unit.PERCENT)
    teams = asked_teams.found()
    return Overview(
        withheld=viewer.teams is not None,
        cards=counts,
        kinds=tuple(kinds),
        memory=memory,
        cores=cores,
        teams=_teams(teams, memory, cores),
        pods=sum(team.pods for team in teams),
        waiting=asked_waiting.found(),
        oddities=asked_oddities.found(counts),
        others=tuple(OtherDriver(*row) for row in asked_others.rows),
    )


def _in(rows: QuerySet[Any], clusters: Collection[str]) -> QuerySet[Any]:
    return rows.filter(cluster__name__in=clusters) if clusters else rows


def _counted(cards: QuerySet[Card]) -> QuerySet[Any, Any]:
    found: QuerySet[Any, Any] = cards.order_by().values_list("state", "tainted").annotate(number=Count("pk"))
    return found


def _counts(rows: Rows) -> CardCounts:
    found: Counter[str] = Counter()
    for state, tainted, number in rows:
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


class _Waiting:
    def __init__(
        self,
        pods: QuerySet[Any],
        clusters: Collection[str],
        viewer: Viewer,
        questions: Questions,
        shown: int,
    ) -> None:
        self._viewer = viewer
        self._counted = WaitingCounts(pods, _in(Claim.objects.all(), clusters), questions)
        seen = _in(pod_queries.queryset(viewer=viewer), clusters).filter(state=PodState.WAITING)
        longest = seen.order_by(F("created_at").asc(nulls_last=True), "pk").values_list(*_WAITING_POD)
        self._longest = questions.ask(longest[:shown])

    def found(self) -> Waiting:
        counted = self._counted.found()
        longest = tuple(self._pod(*row) for row in self._longest.rows)
        return Waiting(counted.pods, counted.pods_since, longest, counted.claims_unused)

    def _pod(
        self,
        pk: int,
        namespace: str,
        name: str,
        team: int | None,
        slug: str | None,
        created_at: datetime | None,
        reason: str,
        message: str,
    ) -> WaitingPod:
        told = slug if self._viewer.sees(team) else None
        return WaitingPod(pk, namespace, name, told, created_at, pod_queries.not_placed(reason, message))


_WAITING_POD = (
    "pk",
    "namespace__name",
    "name",
    "team_id",
    "team__slug",
    "created_at",
    "scheduling_reason",
    "scheduling_message",
)


class _Oddities:
    def __init__(self, clusters: Collection[str], viewer: Viewer, questions: Questions) -> None:
        pools = _in(Pool.objects.exclude(state=Pool.State.COMPLETE), clusters)
        orphaned = _orphaned(clusters)
        gone = Device.objects.filter(state=DeviceState.NOT_PUBLISHED, shares__gt=0)
        self._pools = questions.ask(pools.values_list(*_ODD_POOL)[:_POOLS_SHOWN])
        self._named = questions.ask(
            orphaned.visible_to(viewer).values_list("pk", "namespace__name", "name")[:_CLAIMS_SHOWN]
        )
        self._numbers = {
            "pools": questions.ask(number_of(pools)),
            "vanished": questions.ask(number_of(_in(gone, clusters))),
            "orphaned": questions.ask(number_of(orphaned)),
            "idle": questions.ask(
                number_of(_in(Claim.objects.filter(state=Claim.State.ALLOCATED), clusters))
            ),
            "skipped": questions.ask(number_of(_in(SkippedObject.objects.all(), clusters))),
        }

    def found(self, cards: CardCounts) -> Oddities:
        numbers = {name: answer.number for name, answer in self._numbers.items()}
        named = tuple(OddClaim(*row) for row in self._named.rows)
        return Oddities(
            pools=tuple(OddPool(*row) for row in self._pools.rows),
            pools_more=max(0, numbers["pools"] - _POOLS_SHOWN),
            tainted=cards.tainted_all,
            over=cards.over,
            vanished=numbers["vanished"],
            claims_orphaned=named,
            claims_orphaned_more=numbers["orphaned"] - len(named),
            claims_idle=numbers["idle"],
            skipped=numbers["skipped"],
        )


_ODD_POOL = ("cluster__name", "driver", "name", "state", "reason", "slices_seen", "slices_expected")


def _orphaned(clusters: Collection[str]) -> VisibleQuerySet[Claim]:
    """Claims that hold something, and every consumer of which is a Pod that is gone."""
    consumers = Consumer.objects.filter(claim=OuterRef("pk"))
    holding = Claim.objects.filter(Exists(Share.objects.filter(claim=OuterRef("pk"))))
    gone = holding.filter(Exists(consumers.filter(gone=True)), ~Exists(consumers.exclude(gone=True)))
    found = gone.order_by("namespace__name", "name")
    return found.filter(cluster__name__in=clusters) if clusters else found


def _others(devices: QuerySet[Device]) -> QuerySet[Any, Any]:
    found: QuerySet[Any, Any] = devices.order_by("pool__driver").values_list("pool__driver")
    return found.annotate(number=Count("pk"))
