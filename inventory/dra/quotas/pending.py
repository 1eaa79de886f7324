"""What a claim would take that is not allocated yet, by its spec, as the scheduler would take it.

How much that is depends on the device: its policy rounds what is asked, and what is not asked for comes by
default. Where the devices that would do differ, it cannot be told before one of them is chosen.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import msgspec

from inventory.dra.quotas.equivalents import Part, of_card
from inventory.dra.quotas.standing import Measured, measured
from inventory.dra.simulator.capacity import Dimension, needed, violation
from inventory.dra.simulator.claims import Request
from inventory.dra.units import short_name
from inventory.kube.quantity import Quantity
from inventory.reasons import Reason

CARDS, CARD_EQUIVALENTS = "cards", "card_equivalents"


class Kind(msgspec.Struct, frozen=True):
    """Devices that give the same to a request. `card`: the totals of the card that each is, or is a part of.

    `counted`: the quota is on such devices. `problem` says what of them cannot be read.
    """

    driver: str
    shareable: bool
    partition: bool
    dimensions: Mapping[str, Dimension]
    card: Mapping[str, Quantity | None]
    counted: bool = True
    problem: str = ""


def of_request(dimension: str, alternatives: Sequence[tuple[Request, Sequence[Kind] | str]]) -> Measured:
    """Of one request; each alternative with the kinds of devices that it selects, or why it is not known."""
    found = [_of_alternative(dimension, request, kinds) for request, kinds in alternatives]
    distinct = list(dict.fromkeys(found))
    return distinct[0] if len(distinct) == 1 else _unknown(Reason.AMOUNTS_DIFFER.value)


def _of_alternative(dimension: str, request: Request, kinds: Sequence[Kind] | str) -> Measured:
    if request.admin_access:
        return Measured()
    if isinstance(kinds, str):
        return _unknown(kinds)
    kinds = [kind for kind in kinds if suits(request, kind)]
    if not kinds:
        return _unknown(Reason.NO_DEVICE.value)
    counted = [kind for kind in kinds if kind.counted]
    if not counted:
        return Measured()
    if len(counted) < len(kinds):
        return _unknown(Reason.ANY_SET.value)
    if request.everything:
        return _unknown(Reason.ALL_DEVICES.value)
    return _of_kinds(dimension, request, counted)


def _of_kinds(dimension: str, request: Request, kinds: Iterable[Kind]) -> Measured:
    amounts = {_of_one(dimension, request, kind) for kind in kinds}
    if len(amounts) > 1:
        return _unknown(Reason.AMOUNTS_DIFFER.value)
    amount = amounts.pop()
    return _unknown(amount) if isinstance(amount, str) else Measured(amount * request.count)


def _of_one(dimension: str, request: Request, kind: Kind) -> Fraction | str:
    if dimension == CARDS:
        return Fraction(1)
    if kind.problem:
        return kind.problem
    taken = taken_of(request, kind)
    if dimension == CARD_EQUIVALENTS:
        parts = {name: Part(amount, kind.card.get(name)) for name, amount in taken.items()}
        return of_card(parts, whole=not kind.shareable and not kind.partition)
    return sum((measured(amount) for name, amount in taken.items() if is_named(dimension, name)), Fraction(0))


def suits(request: Request, kind: Kind) -> bool:
    """Whether such a device, were it free, has all dimensions that the request names, and enough of each."""
    if kind.problem:
        return True
    if not request.capacity.keys() <= kind.dimensions.keys():
        return False
    return all(_can_be_met(one, request.capacity.get(name)) for name, one in kind.dimensions.items())


def _can_be_met(dimension: Dimension, asked: Quantity | None) -> bool:
    need = needed(dimension, asked)
    return need <= dimension.total and not violation(dimension, need)


def taken_of(request: Request, kind: Kind) -> dict[str, Quantity]:
    """What the request takes of such a device: all of one that is not shared."""
    if not kind.shareable:
        return {name: one.total for name, one in kind.dimensions.items()}
    return {name: needed(one, request.capacity.get(name)) for name, one in kind.dimensions.items()}


def is_named(dimension: str, name: str) -> bool:
    """Whether a limit on `dimension` concerns what a driver calls `name`; without a domain, in any."""
    return name == dimension if "/" in dimension else short_name(name) == dimension


def _unknown(reason: str) -> Measured:
    return Measured(unknown=1, reasons=(reason,))
