"""What claims of a team would take that are not allocated yet."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, Min, Value
from django.db.models.functions import Concat

from inventory.dra.cel.errors import CompileError, EvaluationError, UnsupportedError
from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import Subject, subject
from inventory.dra.quotas.pending import Kind
from inventory.dra.simulator.capacity import Dimension, dimension
from inventory.dra.simulator.claims import Request, SpecError, UnknownFieldError, claim
from inventory.dra.simulator.classes import class_selectors
from inventory.kube.objects import Capacity
from inventory.kube.objects import Device as Published
from inventory.kube.quantity import Quantity, QuantityError
from inventory.models import Balance, Claim, Device, DeviceClass
from inventory.models.amounts import to_quantity

SINGLE_DEVICES = "its selectors hold for no device that was tried; they may choose single ones"
NO_CLASS = "its device class is not in the cluster"
NOT_SELECTABLE = "a selector of it cannot be evaluated"


class KindOf(NamedTuple):
    """A kind of devices of a cluster, and what a quota may choose them by."""

    driver: str
    product: str
    kind: Kind


class Asked(NamedTuple):
    """A request with the kinds that it selects, or why that cannot be told."""

    request: Request
    kinds: Sequence[KindOf] | str


class Waiting(NamedTuple):
    """So many claims of a team that ask for the same; `name` is that of one of them, with its namespace.

    `requests`: of each, its alternatives; empty where the spec cannot be read: `problem` says why.
    """

    team: int
    cluster: int
    name: str
    claims: int
    requests: Sequence[Sequence[Asked]]
    problem: str = ""


class _Sample(NamedTuple):
    """One device of a kind, as selectors see it."""

    of: KindOf
    subject: Subject


def of_teams(teams: Collection[int]) -> list[Waiting]:
    """What pending claims of the teams ask for, those together that are alike: a fixed number of queries."""
    pending = Claim.objects.filter(team__in=teams, state=Claim.State.PENDING).order_by()
    alike = pending.values("team_id", "cluster_id", "spec").annotate(first=Min("pk"), number=Count("pk"))
    found = sorted(alike, key=itemgetter("first"))
    if not found:
        return []
    named = Concat("namespace__name", Value("/"), "name")
    names = dict(Claim.objects.filter(pk__in=alike.values("first")).values_list("pk", named))
    clusters = {one["cluster_id"] for one in found}
    samples, classes = _samples(clusters), _classes(clusters)
    choosers = {one: _Chooser(samples[one], classes[one]) for one in clusters}
    return [_waiting(one, names[one["first"]], choosers[one["cluster_id"]]) for one in found]


def _waiting(row: Mapping[str, Any], name: str, chooser: "_Chooser") -> Waiting:
    requests: Sequence[Sequence[Asked]] = ()
    problem = ""
    try:
        asked = claim("", name, row["spec"]).requests
    except (SpecError, UnknownFieldError) as error:
        problem = str(error)
    else:
        requests = [[Asked(one, chooser.kinds(one)) for one in alternatives] for alternatives in asked]
    return Waiting(row["team_id"], row["cluster_id"], name, row["number"], requests, problem)


class _Chooser:
    """Which kinds of devices of a cluster a request selects, tried on one device of each kind."""

    def __init__(self, samples: Sequence[_Sample], classes: Mapping[str, Any]) -> None:
        self._samples, self._classes = samples, classes
        self._known: dict[tuple[str, tuple[str, ...]], Sequence[KindOf] | str] = {}

    def kinds(self, request: Request) -> Sequence[KindOf] | str:
        key = request.device_class, request.selectors
        if key not in self._known:
            self._known[key] = self._chosen(*key)
        return self._known[key]

    def _chosen(self, name: str, own: tuple[str, ...]) -> Sequence[KindOf] | str:
        if name not in self._classes:
            return NO_CLASS
        try:
            of_class = class_selectors(name, self._classes[name])
            by_class = [one for one in self._samples if _all_hold(of_class, one.subject)]
            chosen = [one for one in by_class if _all_hold(own, one.subject)]
        except (SpecError, UnknownFieldError, CompileError, EvaluationError, UnsupportedError):
            return NOT_SELECTABLE
        if by_class and not chosen:
            return SINGLE_DEVICES
        return [one.of for one in chosen]


def _all_hold(expressions: Iterable[str], device: Subject) -> bool:
    return all(compiled(one).matches(device) for one in expressions)


def _classes(clusters: Collection[int]) -> defaultdict[int, dict[str, Any]]:
    found: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    rows = DeviceClass.objects.filter(cluster__in=clusters).order_by()
    for cluster, name, spec in rows.values_list("cluster_id", "name", "spec"):
        found[cluster][name] = spec
    return found


def _samples(clusters: Collection[int]) -> defaultdict[int, list[_Sample]]:
    """One device for all that publish the same amounts, in the order in which they were read first."""
    listed = Device.objects.filter(cluster__in=clusters, listed=True).order_by()
    alike = (
        "cluster_id",
        "pool__driver",
        "product",
        "capacity",
        "shareable",
        "card__partitioned",
        "accelerator",
    )
    first = listed.values(*alike).annotate(first=Min("pk")).values("first")
    devices = list(Device.objects.filter(pk__in=first).select_related("pool", "card").order_by("pk"))
    totals = _card_totals([one.card_id for one in devices if one.card_id])
    found: defaultdict[int, list[_Sample]] = defaultdict(list)
    for device in devices:
        found[device.cluster_id].append(_sample(device, totals[device.card_id or 0]))
    return found


def _card_totals(cards: Collection[int]) -> defaultdict[int, dict[str, Quantity | None]]:
    found: defaultdict[int, dict[str, Quantity | None]] = defaultdict(dict)
    rows = Balance.objects.filter(card__in=cards).order_by()
    for card, name, total, exponent, notation in rows.values_list(
        "card_id", "dimension", "total", "exponent", "notation"
    ):
        found[card][name] = to_quantity(total, exponent, notation)
    return found


def _sample(device: Device, card: Mapping[str, Quantity | None]) -> _Sample:
    published = msgspec.convert(
        {
            "name": device.name,
            "attributes": device.attributes,
            "capacity": device.capacity,
            "allowMultipleAllocations": device.shareable,
        },
        Published,
    )
    dimensions, problem = _dimensions(published)
    partition = bool(device.card and device.card.partitioned)
    kind = Kind(
        driver=device.pool.driver,
        shareable=device.shareable,
        partition=partition,
        dimensions=dimensions,
        card=card,
        # Quotas are on accelerators.
        counted=device.accelerator,
        problem=problem,
    )
    seen = subject(device.pool.driver, published, lists=True)
    return _Sample(KindOf(device.pool.driver, device.product, kind), seen)


def _dimensions(published: Published) -> tuple[dict[str, Dimension], str]:
    capacity: Mapping[str, Capacity] = published.capacity or {}
    try:
        return {name: dimension(one) for name, one in capacity.items()}, ""
    except QuantityError as error:
        return {}, str(error)
