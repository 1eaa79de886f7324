"""How much one request may take of a device by the limits of a team; the device may have less left.

A sum does not show it: 16 GiB of headroom hold no claim of 10 GiB, if of two cards each has 8 left.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import msgspec

from inventory.dra.quotas.equivalents import Part, of_card
from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS, is_named
from inventory.dra.quotas.standing import at_most, measured
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.candidates import Candidate
from inventory.dra.simulator.room import Ceiling
from inventory.kube.quantity import Quantity


class OwnPart(msgspec.Struct, frozen=True):
    """What counts against a limit already of a card, and its totals, where a device is a part of it."""

    parts: Mapping[str, Part] = {}
    whole: bool = False
    unreadable: bool = False
    holds: bool = False


class Limit(msgspec.Struct, frozen=True):
    """A limit with what is left of it, None where that is not known, on the devices that it `concerns`.

    `own` is by each device of the cards that the team holds a part of, and of all partitioned cards.
    """

    dimension: str
    headroom: Fraction | None
    concerns: Callable[[Candidate], bool]
    own: Mapping[DeviceId, OwnPart] = {}


NOTHING_HELD, NO_PART, NO_AMOUNT = OwnPart(), Part(None, None), Quantity(0)


def ceiling_of(limits: Sequence[Limit]) -> Ceiling:
    """For `room`: what may be taken of a device in each limited dimension; None where nothing may be."""

    def ceiling(candidate: Candidate) -> Mapping[str, Quantity] | None:
        found: dict[str, Quantity] = {}
        for limit in (one for one in limits if one.concerns(candidate)):
            most = _most(limit, candidate, limit.own.get(candidate.id, NOTHING_HELD))
            if most is None:
                return None
            for name, amount in most.items():
                found[name] = min(amount, found.get(name, amount))
        return found

    return ceiling


def _most(limit: Limit, candidate: Candidate, held: OwnPart) -> Mapping[str, Quantity] | None:
    """None where nothing may be taken, or nobody can tell."""
    if limit.headroom is None:
        return None
    if limit.dimension == CARDS:
        return {} if held.holds or limit.headroom >= 1 else None
    if limit.dimension == CARD_EQUIVALENTS:
        return _of_equivalents(limit.headroom, candidate, held)
    return {
        name: at_most(limit.headroom, one.total.notation)
        for name, one in candidate.dimensions.items()
        if is_named(limit.dimension, name)
    }


def _of_equivalents(headroom: Fraction, candidate: Candidate, held: OwnPart) -> Mapping[str, Quantity] | None:
    """Up to which amount of each dimension the team's part of the card grows by no more than the headroom."""
    now: Fraction | str = Fraction(0)
    if held.holds:
        now = of_card(held.parts, whole=held.whole, unreadable=held.unreadable)
    if isinstance(now, str) or (not candidate.dimensions and headroom + now < 1):
        return None
    share = min(Fraction(1), now + headroom)
    found = {}
    for name, one in candidate.dimensions.items():
        part = held.parts.get(name, NO_PART)
        left = share * measured(part.total or one.total) - measured(part.held or NO_AMOUNT)
        found[name] = at_most(max(Fraction(0), left), one.total.notation)
    return found
