"""Cards: accelerators as people count them.

A card is one device, or several names for the same silicon: partitions that draw on one counter set,
partitions that name a common parent UUID, or one UUID published for different uses (vfio).
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence

import msgspec

from inventory.dra.counters import Counter, CounterKey, overdrawn
from inventory.dra.ledger import Balance, Books, State
from inventory.kube.quantity import Quantity, total
from inventory.reasons import Reason


class Part(msgspec.Struct, frozen=True):
    """A device as a part of a card: `counter_set`, `uuid` and `parent_uuid` are empty where there is none.

    `draws_all`: it draws every counter of its set to the last unit, so it is the card itself.
    """

    name: str
    counter_set: str = ""
    draws_all: bool = False
    uuid: str = ""
    parent_uuid: str = ""


class Card(msgspec.Struct, frozen=True):
    """The devices of one card; `whole` names the device that is all of it, where one is published."""

    key: str
    parts: tuple[str, ...]
    counter_set: str = ""
    whole: str = ""
    # Other names of the whole, for another use of it: passed through to a virtual machine, say.
    aliases: tuple[str, ...] = ()

    @property
    def partitioned(self) -> bool:
        return len(self.parts) > 1


class Sheet(msgspec.Struct, frozen=True):
    """A card's balances and its state."""

    balances: tuple[Balance, ...]
    state: State
    reason: str


def cards(parts: Iterable[Part]) -> list[Card]:
    """Group the accelerators of one pool into cards, in the order of their first device."""
    parts = list(parts)
    parents = {part.parent_uuid for part in parts if part.parent_uuid}
    uses_of_uuid: defaultdict[str, int] = defaultdict(int)
    for part in parts:
        uses_of_uuid[part.uuid] += 1
    grouped: defaultdict[tuple[str, str], list[Part]] = defaultdict(list)
    for part in parts:
        grouped[_key(part, parents, uses_of_uuid)].append(part)
    found = [_card(kind, key, members) for (kind, key), members in grouped.items()]
    return _with_keys_of_their_own(found, {part.name for part in parts})


def _with_keys_of_their_own(found: Iterable[Card], devices: Container[str]) -> list[Card]:
    """A counter set or a UUID may be spelled like a device; the device keeps its name."""
    taken: set[str] = set()
    named = []
    for card in found:
        clashes = card.key in taken or (card.key in devices and card.key != card.whole)
        # No device, counter set or UUID has a space in it.
        named.append(msgspec.structs.replace(card, key=f"{card.key} ({card.parts[0]})") if clashes else card)
        taken.add(named[-1].key)
    return named


def _key(part: Part, parents: set[str], uses_of_uuid: Mapping[str, int]) -> tuple[str, str]:
    if part.counter_set:
        return "counters", part.counter_set
    if part.parent_uuid:
        return "uuid", part.parent_uuid
    if part.uuid and (part.uuid in parents or uses_of_uuid[part.uuid] > 1):
        return "uuid", part.uuid
    return "device", part.name


def _card(kind: str, key: str, members: Sequence[Part]) -> Card:
    """Called by the name of the device that is all of it, else by what its parts have in common."""
    parts = tuple(part.name for part in members)
    if len(members) == 1:
        return Card(parts[0], parts, whole=parts[0])
    whole, *aliases = [part.name for part in members if _is_whole(kind, key, part)] or [""]
    counter_set = key if kind == "counters" else ""
    return Card(whole or key, parts, counter_set=counter_set, whole=whole, aliases=tuple(aliases))


def _is_whole(kind: str, key: str, part: Part) -> bool:
    return part.draws_all if kind == "counters" else part.uuid == key


def sheet(card: Card, books: Mapping[str, Books], counters: Mapping[CounterKey, Counter]) -> Sheet:
    """The balances of a card from the books of its devices and the counters of its pool."""
    own = {name: books[name] for name in card.parts}
    if not card.partitioned:
        only = own[card.parts[0]]
        return Sheet(only.balances, only.state, only.reason)
    drawn = {key: one for key, one in counters.items() if key[0] == card.counter_set}
    balances = (
        _from_counters(own, {name: one for (_, name), one in drawn.items()}) if card.counter_set else ()
    )
    state, reason = _state(card, own, drawn)
    return Sheet(balances or _from_parts(card, own), state, reason)


def _from_counters(own: Mapping[str, Books], drawn: Mapping[str, Counter]) -> tuple[Balance, ...]:
    """A card's dimension is the counter of the same name; NVIDIA spells `copyEngines` as `copy-engines`."""
    dimensions = sorted({balance.dimension for books in own.values() for balance in books.balances})
    named = [(dimension, drawn.get(dimension) or drawn.get(_kebab(dimension))) for dimension in dimensions]
    return tuple(_balance(dimension, counter) for dimension, counter in named if counter)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name.rpartition("/")[2]).lower()


def _balance(dimension: str, counter: Counter) -> Balance:
    remaining = (
        None if counter.remaining is None else max(Quantity(0, counter.remaining.notation), counter.remaining)
    )
    return Balance(dimension, counter.total, counter.allocated, remaining, counter.reason)


def _from_parts(card: Card, own: Mapping[str, Books]) -> tuple[Balance, ...]:
    """Without counters the partitions add up; where the whole is published too, its totals are the card's."""
    whole = own.get(card.whole)
    if whole and any(own[name].held for name in card.aliases):
        return tuple(map(_taken, whole.balances))
    pieces = [books for name, books in own.items() if name != card.whole and name not in card.aliases]
    summed = {dimension: _sum(dimension, pieces) for dimension in _dimensions(pieces)}
    if whole is None:
        return tuple(summed.values())
    return tuple(_within(balance, summed.get(balance.dimension)) for balance in whole.balances)


def _taken(balance: Balance) -> Balance:
    if balance.total is None:
        return balance
    return Balance(balance.dimension, balance.total, balance.total, Quantity(0, balance.total.notation))


def _dimensions(pieces: Iterable[Books]) -> list[str]:
    return sorted({balance.dimension for books in pieces for balance in books.balances})


def _sum(dimension: str, pieces: Iterable[Books]) -> Balance:
    found = [balance for books in pieces for balance in books.balances if balance.dimension == dimension]
    reason = next((balance.reason for balance in found if balance.reason), "")
    return Balance(
        dimension,
        _all(balance.total for balance in found),
        _all(balance.allocated for balance in found),
        _all(balance.remaining for balance in found),
        reason,
    )


def _all(quantities: Iterable[Quantity | None]) -> Quantity | None:
    """The sum, unknown as soon as one of them is."""
    known = list(quantities)
    if not known or any(quantity is None for quantity in known):
        return None
    present = [quantity for quantity in known if quantity is not None]
    return total(present, present[0].notation)


def _within(whole: Balance, pieces: Balance | None) -> Balance:
    if whole.total is None or whole.allocated is None or whole.allocated or pieces is None:
        return whole
    if pieces.allocated is None:
        return Balance(whole.dimension, whole.total, None, None, pieces.reason)
    allocated = Quantity(pieces.allocated.nanos, whole.total.notation)
    remaining = Quantity(max(0, whole.total.nanos - allocated.nanos), whole.total.notation)
    return Balance(whole.dimension, whole.total, allocated, remaining)


def _state(card: Card, own: Mapping[str, Books], drawn: Mapping[CounterKey, Counter]) -> tuple[State, str]:
    if fault := _over(own, drawn):
        return State.OVER_ALLOCATED, fault
    for shared in (State.UNKNOWN, State.NOT_PUBLISHED):
        if all(books.state is shared for books in own.values()):
            return shared, next(iter(own.values())).reason
    if any(own[name].held for name in (card.whole, *card.aliases) if name in own):
        return State.DEDICATED, ""
    room = any(
        books.state in (State.FREE, State.PARTLY_ALLOCATED) and not books.reason for books in own.values()
    )
    if any(books.held for books in own.values()):
        return (State.PARTLY_ALLOCATED, "") if room else (State.FULL, "")
    if room:
        return State.FREE, ""
    return State.UNAVAILABLE, next((books.reason for books in own.values() if books.reason), "")


def _over(own: Mapping[str, Books], drawn: Mapping[CounterKey, Counter]) -> str:
    for name, books in own.items():
        if books.state is State.OVER_ALLOCATED:
            return Reason.OF_DEVICE.format(name=name, reason=books.reason)
    return overdrawn(drawn)
