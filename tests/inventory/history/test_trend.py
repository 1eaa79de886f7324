"""What was held in the measure of a quota, against a count at every single instant."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.dra.quotas.standing import Measured
from inventory.history.instants import Span
from inventory.history.rates import Amounts, Offer
from inventory.history.steps import Limit, steps
from inventory.history.sweep import ClaimKey, Device, DeviceKey, Share
from inventory.history.trend import Trend
from inventory.kube.quantity import Quantity

END = 30
ASKED = Span(5, 25)
OFFERS = [
    Offer(Amounts({"memory": Quantity.of(size)}), Amounts({"memory": Quantity.of(size)}), whole=True)
    for size in (8, 16)
]


def _key(name: str) -> DeviceKey:
    return DeviceKey(1, "gpu.example.com", "pool", name)


def device(name: str, start: int, end: int | None, offer: Offer = OFFERS[0], product: str = "A100") -> Device:
    return Device(start, end, _key(name), "node-1", product, True, name, offer)


def share(name: str, start: int, end: int | None, memory: int | None = 4, *, whole: bool = False) -> Share:
    held = Amounts({} if whole else {"memory": None if memory is None else Quantity.of(memory)})
    return Share(start, end, _key(name), ClaimKey(1, "uid"), "vision", "ns", whole, held)


def at_each_instant(
    dimension: str, devices: Sequence[Device], shares: Sequence[Share], product: str = ""
) -> list[Measured]:
    trend = Trend(dimension, lambda _share, one: product in ("", one.product))
    found: list[Measured] = []
    for piece in trend.over(ASKED, devices, shares):
        found += [piece.used] * (piece.span.end - piece.span.start)
    return found


# --- The same, counted plainly ---


def _last_said(devices: Sequence[Device], key: DeviceKey, instant: int) -> tuple[Device, bool] | None:
    said = [one for one in devices if one.key == key and one.start <= instant]
    if not said:
        return None
    last = said[-1]
    return last, last.end is None or last.end > instant


def _counted(dimension: str, devices: Sequence[Device], shares: Sequence[Share], instant: int) -> Measured:
    known, unknown, cards = Fraction(0), 0, set()
    parts: dict[str, list[int | None]] = {}
    for one in shares:
        said = _last_said(devices, one.device, instant)
        if not one.start <= instant or (one.end is not None and one.end <= instant) or said is None:
            continue
        last, published = said
        size = last.offer.capacity.by_dimension["memory"]
        assert size is not None
        held = size if one.dedicated else one.consumed.by_dimension["memory"]
        amount = None if held is None or (one.dedicated and not published) else held.nanos
        cards.add(one.device)
        if one.dedicated:
            parts[one.device.device] = [size.nanos]
        of_card = parts.setdefault(one.device.device, [])
        if not one.dedicated:
            of_card.append(amount if published else None)
        if amount is None:
            unknown += 1
        else:
            known += Fraction(amount, 10**9)
    if dimension == "cards":
        return Measured(Fraction(len(cards)))
    return Measured(known, unknown)


def _free_of_overlap(devices: Sequence[Device]) -> list[Device]:
    """A device is published in one way at a time."""
    kept: list[Device] = []
    for one in sorted(devices, key=lambda one: one.start):
        before = [other for other in kept if other.key == one.key]
        if all(other.end is not None and other.end <= one.start for other in before):
            kept.append(one)
    return kept


_names = st.sampled_from(["a", "b"])
_spans = st.tuples(st.integers(0, END), st.one_of(st.none(), st.integers(0, END))).filter(
    lambda pair: pair[1] is None or pair[0] < pair[1]
)


@st.composite
def _devices(draw: st.DrawFn) -> Device:
    start, end = draw(_spans)
    return device(draw(_names), start, end, OFFERS[draw(st.integers(0, 1))])


@st.composite
def _shares(draw: st.DrawFn) -> Share:
    start, end = draw(_spans)
    memory = draw(st.one_of(st.none(), st.integers(0, 20)))
    return share(draw(_names), start, end, memory, whole=draw(st.booleans()))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(_devices(), max_size=6), st.lists(_shares(), max_size=8), st.sampled_from(["memory", "cards"])
)
def test_at_every_instant_it_is_what_is_counted_plainly(
    devices: list[Device], shares: list[Share], dimension: str
) -> None:
    devices, shares = _free_of_overlap(devices), sorted(shares, key=lambda one: one.start)
    found = at_each_instant(dimension, devices, shares)
    for instant, one in zip(range(*ASKED), found, strict=True):
        plain = _counted(dimension, devices, shares, instant)
        assert (one.known, one.unknown) == (plain.known, plain.unknown), instant


# --- Card-equivalents, as quotas have them ---


def equivalents(*shares: Share, devices: Sequence[Device] = ()) -> Measured:
    return at_each_instant("card_equivalents", devices or [device("a", 0, None)], shares)[0]


def test_shares_of_one_card_add_up_and_a_card_counts_once_at_most() -> None:
    quarter, half = share("a", 0, None, 2), share("a", 0, None, 4)
    assert equivalents(quarter, half).exact == Fraction(3, 4)
    assert equivalents(half, half, half).exact == 1
    assert equivalents(share("a", 0, None, whole=True), quarter).exact == 1


def test_what_is_not_known_of_a_card_is_told_with_its_name() -> None:
    found = equivalents(share("a", 0, None, None))
    assert (found.unknown, found.reasons) == (1, ("a: amounts are not known of memory",))
    gone = equivalents(share("a", 0, None, 2), devices=[device("a", 0, 3)])
    assert gone.unknown == 1


def test_a_card_that_came_back_larger_is_another_part() -> None:
    devices = [device("a", 0, 10), device("a", 10, None, OFFERS[1])]
    found = at_each_instant("card_equivalents", devices, [share("a", 0, None, 8)])
    assert [one.exact for one in (found[0], found[-1])] == [1, Fraction(1, 2)]


def test_only_cards_of_the_quota_count() -> None:
    devices = [device("a", 0, None), device("b", 0, 12), device("b", 12, None, product="H100")]
    found = at_each_instant("cards", devices, [share("a", 0, None), share("b", 0, None)], "A100")
    assert [found[0].exact, found[-1].exact] == [2, 1]


# --- Steps ---


def in_steps(
    *shares: Share, read: Sequence[Span] = (ASKED,), limits: Sequence[Limit] = ()
) -> list[tuple[object, ...]]:
    trend = Trend("memory", lambda _share, _device: True)
    pieces = trend.over(ASKED, [device("a", 0, None)], shares)
    return [(one.read, one.peak, one.integral, one.over) for one in steps(pieces, read, (5, 15, 25), limits)]


def test_a_step_has_the_most_and_the_integral() -> None:
    assert in_steps(share("a", 8, 10, 4), share("a", 9, 20, 2)) == [(10, 6, 4 * 2 + 2 * 6, 0), (10, 2, 10, 0)]


def test_of_a_step_that_was_not_read_nothing_is_told() -> None:
    first, second = in_steps(share("a", 0, None, 4), read=[Span(5, 9)])
    assert first == (4, 4, 16, 0)
    assert second == (0, None, 0, 0)


def test_a_limit_counts_from_its_start_until_its_end() -> None:
    limits = [Limit(Span(0, 10), Fraction(2), hard=False), Limit(Span(20, 40), Fraction(3), hard=True)]
    first, second = in_steps(share("a", 8, None, 4), limits=limits)
    assert (first[-1], second[-1]) == (2, 5)


@pytest.mark.parametrize("amount", [4, 5])
def test_exactly_at_the_limit_is_not_over_it(amount: int) -> None:
    limits = [Limit(Span(0, 40), Fraction(4), hard=True)]
    first, _ = in_steps(share("a", 5, None, amount), limits=limits)
    assert first[-1] == (10 if amount == 5 else 0)
