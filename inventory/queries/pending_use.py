"""What claims of a team would take that are not allocated yet."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
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
from inventory.models import Claim, Device
from inventory.models.amounts import to_quantity
from inventory.reasons import Reason


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

    team: int | None
    cluster: int
    name: str
    claims: int
    requests: Sequence[Sequence[Asked]]
    problem: str = ""


class _Sample(NamedTuple):
    """One device of a kind, as selectors see it."""

    of: KindOf
    subject: Subject


class Alike(NamedTuple):
    """Claims of a team, or of nobody, that ask for the same."""

    team: int | None
    cluster: int
    spec: Mapping[str, Any]
    first: int
    name: str
    number: int


def alike(teams: Collection[int] | None) -> list[Alike]:
    """Pending claims of the teams, of all and of nobody where it is None; those together that are alike."""
    pending = Claim.objects.filter(state=Claim.State.PENDING).order_by()
    if teams is not None:
        pending = pending.filter(team__in=teams)
    found = pending.values_list("team_id", "cluster_id", "spec").annotate(
        first=Min("pk"),
        named=Min(Concat("namespace__name", Value("/"), "name")),
        number=Count("pk"),
    )
    return [Alike(*row) for row in found]


def waiting(pending: Iterable[Alike], classes: Mapping[int, Mapping[str, Any]]) -> list[Waiting]:
    """In the order in which they were read first; `classes` by their cluster and name."""
    found = sorted(pending, key=attrgetter("first"))
    clusters = {one.cluster for one in found}
    samples = _samples(clusters)
    choosers = {one: _Chooser(samples[one], classes.get(one, {})) for one in clusters}
    return [_waiting(one, choosers[one.cluster]) for one in found]


def _waiting(row: Alike, chooser: "_Chooser") -> Waiting:
    requests: Sequence[Sequence[Asked]] = ()
    problem = ""
    try:
        asked = claim("", row.name, row.spec).requests
    except (SpecError, UnknownFieldError) as error:
        problem = str(error)
    else:
        requests = [[Asked(one, chooser.kinds(one)) for one in alternatives] for alternatives in asked]
    return Waiting(row.team, row.cluster, row.name, row.number, requests, problem)


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
            return Reason.ITS_CLASS_MISSING.value
        try:
            of_class = class_selectors(name, self._classes[name])
            by_class = [one for one in self._samples if _all_hold(of_class, one.subject)]
            chosen = [one for one in by_class if _all_hold(own, one.subject)]
        except (SpecError, UnknownFieldError, CompileError, EvaluationError, UnsupportedError):
            return Reason.NOT_SELECTABLE.value
        if by_class and not chosen:
            return Reason.SINGLE_DEVICES.value
        return [one.of for one in chosen]


def _all_hold(expressions: Iterable[str], device: Subject) -> bool:
    return all(compiled(one).matches(device) for one in expressions)


def _samples(clusters: Collection[int]) -> defaultdict[int, list[_Sample]]:
    """One device for all that publish the same amounts, in the order in which they were read first."""
    listed = Device.objects.filter(cluster__in=clusters, listed=True).order_by()
    alike = (
        "cluster_id",
        "pool__driver",
        "product",
        "capacity",
        "card__partitioned",
        "shareable",
        "accelerator",
    )
    first = listed.values(*alike).annotate(first=Min("pk")).values("first")
    # With the totals of its card, a row for each.
    amount = tuple(f"card__balances__{name}" for name in ("dimension", "total", "exponent", "notation"))
    rows = Device.objects.filter(pk__in=first).order_by("pk").values_list("pk", *_Published._fields, *amount)
    devices: dict[int, _Published] = {}
    totals: defaultdict[int, dict[str, Quantity | None]] = defaultdict(dict)
    for pk, *columns, dimension_name, total, exponent, notation in rows:
        devices[pk] = _Published(*columns)
        if dimension_name is not None:
            totals[pk][dimension_name] = to_quantity(total, exponent, notation)
    found: defaultdict[int, list[_Sample]] = defaultdict(list)
    for pk, device in devices.items():
        found[device.cluster_id].append(_sample(device, totals[pk]))
    return found


class _Published(NamedTuple):
    """A device by its columns."""

    cluster_id: int
    pool__driver: str
    name: str
    product: str
    attributes: Mapping[str, Any]
    capacity: Mapping[str, Any]
    shareable: bool
    accelerator: bool
    card__partitioned: bool | None


def _sample(device: _Published, card: Mapping[str, Quantity | None]) -> _Sample:
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
    kind = Kind(
        driver=device.pool__driver,
        shareable=device.shareable,
        partition=bool(device.card__partitioned),
        dimensions=dimensions,
        card=card,
        # Quotas are on accelerators.
        counted=device.accelerator,
        problem=problem,
    )
    seen = subject(device.pool__driver, published, lists=True)
    return _Sample(KindOf(device.pool__driver, device.product, kind), seen)


def _dimensions(published: Published) -> tuple[dict[str, Dimension], str]:
    capacity: Mapping[str, Capacity] = published.capacity or {}
    try:
        return {name: dimension(one) for name, one in capacity.items()}, ""
    except QuantityError as error:
        return {}, str(error)
