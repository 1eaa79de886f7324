"""The largest request that the limits of a team and the devices both allow.

What is left of a limit is a sum; a request has to fit on one device. Both are asked of each device.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime

import msgspec
from django.db.models import Q

from inventory.dra.cel.errors import CompileError, EvaluationError, UnsupportedError
from inventory.dra.cel.selectors import compiled
from inventory.dra.quotas.ceilings import Limit, OwnPart, ceiling_of
from inventory.dra.quotas.equivalents import Part
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.claims import SpecError, UnknownFieldError
from inventory.dra.simulator.classes import class_selectors
from inventory.models import Balance, Cluster, Device, DeviceClass, Share, Team, TeamQuota
from inventory.models.amounts import to_quantity
from inventory.queries import holdings, largest
from inventory.queries.holdings import CardPart
from inventory.queries.largest import SECONDS, Found
from inventory.queries.quotas import version
from inventory.queries.requested import AsksFor
from inventory.queries.uses import Uses

KINDS = largest.KINDS


class TeamRoom(msgspec.Struct, frozen=True):
    """`unknown`: limits of which it cannot be told what is left; of the devices that they are on, nothing is
    offered."""

    found: Found
    unknown: tuple[TeamQuota, ...]


def is_whole(room: TeamRoom) -> bool:
    """Whether another search would find the same."""
    return largest.is_whole(room.found)


def limits_of(team: Team, cluster: Cluster, now: datetime) -> list[TeamQuota]:
    """Those in force that bear on devices of the cluster."""
    found = TeamQuota.objects.in_force(now).filter(Q(cluster=None) | Q(cluster=cluster), team=team)
    return list(found.select_related("team", "cluster").order_by("pk"))


def stamp(quotas: Sequence[TeamQuota]) -> Hashable:
    """Changes with what the quotas say, and with what is used in other clusters of a limit on all of them."""
    elsewhere = any(one.cluster_id is None for one in quotas)
    revisions = Cluster.objects.order_by("pk").values_list("pk", "revision") if elsewhere else ()
    return tuple(map(version, quotas)), tuple(revisions)


def room(team: Team, cluster: Cluster, quotas: Sequence[TeamQuota], *, seconds: float = SECONDS) -> TeamRoom:
    """Inside of a snapshot, with the cluster as read there."""
    uses = Uses.of(quotas)
    products = _products(cluster)
    own = {one: _own(team, cluster, one) for one in {quota.device_class for quota in quotas}}
    limits = [
        Limit(
            one.dimension,
            uses.standing(one).headroom,
            _concerns(one, cluster, products),
            own[one.device_class],
        )
        for one in quotas
    ]
    unknown = (one for one, limit in zip(quotas, limits, strict=True) if limit.headroom is None)
    return TeamRoom(largest.below(cluster, ceiling_of(limits), seconds=seconds), tuple(unknown))


def _concerns(
    quota: TeamQuota, cluster: Cluster, products: Mapping[DeviceId, str]
) -> Callable[[Candidate], bool]:
    of_class = _class(quota.device_class, cluster) if quota.device_class else None

    def concerns(candidate: Candidate) -> bool:
        if quota.driver not in ("", candidate.id.driver):
            return False
        if quota.product not in ("", products.get(candidate.id, "")):
            return False
        return of_class is None or of_class(candidate)

    return concerns


def _class(name: str, cluster: Cluster) -> Callable[[Candidate], bool]:
    """Whether the class selects a device; where that cannot be told, it may."""
    spec = DeviceClass.objects.filter(cluster=cluster, name=name).values_list("spec", flat=True).first()
    if spec is None:
        return lambda _: False
    try:
        expressions = class_selectors(name, spec)
    except (SpecError, UnknownFieldError):
        return lambda _: True

    def selects(candidate: Candidate) -> bool:
        try:
            return all(compiled(one).matches(candidate.subject) for one in expressions)
        except (CompileError, EvaluationError, UnsupportedError):
            return True

    return selects


def _products(cluster: Cluster) -> dict[DeviceId, str]:
    rows = Device.objects.filter(cluster=cluster, card__isnull=False).order_by()
    columns = ("pool__driver", "pool__name", "name", "card__product")
    return {DeviceId(*names): product or "" for *names, product in rows.values_list(*columns).iterator()}


def _own(team: Team, cluster: Cluster, device_class: str) -> dict[DeviceId, OwnPart]:
    """By device, of cards that the team holds a part of, and of those whose devices are not all of them.

    What came by another class than that of a limit does not count against it.
    """
    shares = Share.objects.filter(claim__team=team, cluster=cluster)
    if device_class:
        shares = shares.filter(AsksFor([device_class], "claim__spec", "request"))
    held = holdings.card_parts(shares, ()).get((), {})
    totals = _totals(cluster)
    rows = Device.objects.filter(Q(card__in=held) | Q(card__partitioned=True), cluster=cluster).order_by()
    columns = ("pool__driver", "pool__name", "name", "card_id")
    return {
        DeviceId(*names): _part(held.get(card), totals[card])
        for *names, card in rows.values_list(*columns).iterator()
    }


def _part(held: CardPart | None, totals: Mapping[str, Part]) -> OwnPart:
    if held is None:
        return OwnPart(parts=totals)
    parts = {**totals, **held.parts}
    return OwnPart(parts, whole=held.whole, unreadable=held.unreadable, holds=True)


def _totals(cluster: Cluster) -> defaultdict[int, dict[str, Part]]:
    """Of partitioned cards; of others they are those of the device."""
    found: defaultdict[int, dict[str, Part]] = defaultdict(dict)
    rows = Balance.objects.filter(cluster=cluster, card__partitioned=True).order_by()
    columns = ("card_id", "dimension", "total", "exponent", "notation")
    for card, name, total, exponent, notation in rows.values_list(*columns).iterator():
        if card is not None:
            quantity = to_quantity(total, exponent, notation)
            found[card][name] = Part(None if quantity is None else quantity - quantity, quantity)
    return found
