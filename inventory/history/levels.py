"""What one holder's shares of a card come to, in the measure of a quota."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from inventory.dra.quotas import equivalents
from inventory.dra.quotas.equivalents import Part
from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS, is_named
from inventory.dra.quotas.standing import Measured, measured
from inventory.dra.units import Unit, unit_of
from inventory.history.sweep import Device, Share
from inventory.kube.quantity import Quantity
from inventory.reasons import Reason

_NOTHING = Quantity(0)


class Level(NamedTuple):
    """What a card adds to the sum."""

    used: Measured
    units: tuple[Unit, ...] = ()


class Held(NamedTuple):
    share: Share
    device: Device
    published: bool


def level(dimension: str, held: Sequence[Held]) -> Level:
    if dimension == CARDS:
        return Level(Measured(Fraction(1)))
    if dimension == CARD_EQUIVALENTS:
        return Level(_equivalents(held))
    return _amounts(dimension, held)


def _amounts(dimension: str, held: Sequence[Held]) -> Level:
    used, units = Measured(), []
    for one in held:
        if one.share.dedicated and not one.published:
            used += Measured(unknown=1, reasons=(Reason.SHARES_OF_GONE_DEVICE.value,))
            continue
        for name, amount in _by_dimension(one).items():
            if not is_named(dimension, name):
                continue
            if amount is None:
                used += Measured(unknown=1, reasons=(Reason.SHARES_AMOUNT_UNKNOWN.value,))
            else:
                used += Measured(measured(amount))
                units.append(unit_of(one.device.key.driver, name, amount.notation))
    return Level(used, tuple(units))


def _equivalents(held: Sequence[Held]) -> Measured:
    """Per card and holder: the largest sum of any dimension."""
    whole = any(one.share.dedicated and one.device.offer.whole for one in held)
    totals = _totals(held)
    parts = {name: Part(amount, totals.get(name)) for name, amount in _sums(held).items()}
    found = equivalents.of_card(parts, whole=whole)
    if isinstance(found, str):
        return Measured(unknown=1, reasons=(Reason.OF_DEVICE.format(name=held[0].device.card, reason=found),))
    return Measured(found)


def _sums(held: Iterable[Held]) -> dict[str, Quantity | None]:
    """By dimension; None where what one of them holds of it is not known."""
    found: dict[str, Quantity | None] = {}
    for one in held:
        for name, amount in _by_dimension(one).items():
            before = found.get(name, _NOTHING)
            found[name] = None if before is None or amount is None else before + amount
    return found


def _by_dimension(one: Held) -> Mapping[str, Quantity | None]:
    if not one.share.dedicated:
        return one.share.consumed.by_dimension
    capacity = one.device.offer.capacity.by_dimension
    return capacity if one.published else dict.fromkeys(capacity)


def _totals(held: Sequence[Held]) -> Mapping[str, Quantity | None]:
    """Of the card, by any of its devices that is published."""
    for one in held:
        if one.published:
            return one.device.offer.card_capacity.by_dimension
    return {}
