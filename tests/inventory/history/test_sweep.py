from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inventory.history.axis import Axis
from inventory.history.instants import SECOND, Span
from inventory.history.measures import Sums, add
from inventory.history.sweep import Sweep
from tests.inventory.history.factories import (
    CLUSTER,
    LAST,
    EventT,
    Past,
    brute,
    instants,
    of_card,
    of_share,
    pasts,
    swept,
)

ALL = [0, LAST * SECOND]
borders = st.lists(instants, min_size=2, max_size=6, unique=True).map(
    lambda found: [one * SECOND for one in sorted(found)]
)


def summed(buckets: Sequence[Mapping[Hashable, Sums]]) -> dict[Hashable, Sums]:
    found: dict[Hashable, Sums] = {}
    for bucket in buckets:
        for group, sums in bucket.items():
            add(found.setdefault(group, {}), sums)
    return found


def last_first(events: Sequence[EventT]) -> list[EventT]:
    """Of those that begin at once the last one first."""
    places = range(len(events))
    return [events[place] for place in sorted(places, key=lambda place: (events[place].start, -place))]


@given(pasts(), borders)
def test_integrals_are_the_sums_of_every_second(past: Past, cuts: list[int]) -> None:
    assert swept(past, cuts) == [brute(past, Span(*pair)) for pair in pairwise(cuts)]


@given(pasts(), borders)
def test_buckets_add_up_to_the_whole(past: Past, cuts: list[int]) -> None:
    assert summed(swept(past, cuts)) == swept(past, [cuts[0], cuts[-1]])[0]


@given(pasts(), instants, instants, instants, instants)
def test_two_periods_add_up_to_their_union_and_their_overlap(
    past: Past, first: int, second: int, third: int, fourth: int
) -> None:
    a, b, c, d = (one * SECOND for one in sorted((first, second, third, fourth)))
    whole, overlap = swept(past, [a, d])[0], swept(past, [b, c])[0]
    assert summed([swept(past, [a, c])[0], swept(past, [b, d])[0]]) == summed([whole, overlap])


@given(pasts())
def test_the_order_of_what_begins_at_once_does_not_matter(past: Past) -> None:
    again = Past(
        past.coverage,
        past.devices,
        last_first(past.uses),
        last_first(past.shares),
    )
    assert swept(again, ALL) == swept(past, ALL)


@given(pasts(), borders)
def test_nothing_of_an_unread_time_counts(past: Past, cuts: list[int]) -> None:
    unread = past._replace(coverage=[Span(0, 0)])
    assert swept(unread, cuts) == [{} for _ in cuts[1:]]


@given(pasts())
def test_a_cluster_that_is_not_asked_about_does_not_count(past: Past) -> None:
    axes = {CLUSTER + 1: Axis([Span(*ALL)], ALL)}
    assert Sweep(axes, of_share, of_card).over(past.devices, past.uses, past.shares).integrals() == [{}]
