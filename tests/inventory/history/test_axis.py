from itertools import count, pairwise

from hypothesis import given
from hypothesis import strategies as st

from inventory.history.axis import Axis, common, united, within, without
from inventory.history.instants import Span

spans = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: Span(*sorted(pair))), max_size=6
)


def moments(found: list[Span]) -> set[int]:
    return {instant for start, end in found for instant in range(start, end)}


@given(spans, spans)
def test_spans_are_the_moments_in_them(some: list[Span], others: list[Span]) -> None:
    assert moments(united(some)) == moments(some)
    assert moments(common(some, others)) == moments(some) & moments(others)
    assert moments(without(some, others)) == moments(some) - moments(others)
    for found in (united(some), common(some, others), without(some, others)):
        assert all(one.end < other.start for one, other in pairwise(found))


@given(spans, spans)
def test_what_lies_within_one_span_is_what_it_has_in_common(some: list[Span], others: list[Span]) -> None:
    for asked in others:
        assert within(united(some), asked) == common(some, [asked])


def test_a_year_of_short_breaks_is_not_looked_at_again_for_each_of_them() -> None:
    """Comparisons are counted: on a busy machine time would tell nothing."""
    many, looks = 2000, count()

    class Counted(int):
        def __lt__(self, other: int) -> bool:
            next(looks)
            return int(self) < int(other)

    read = [Span(Counted(10 * place), Counted(10 * place + 9)) for place in range(many)]
    assert len(without([Span(0, 10 * many)], read)) == many
    assert next(looks) < 50 * many


@given(spans, st.lists(st.integers(0, 30), min_size=2, max_size=5, unique=True).map(sorted))
def test_only_what_lies_in_a_span_takes_time(found: list[Span], borders: list[int]) -> None:
    axis = Axis(found, borders)
    counted = moments(found)
    for instant in range(31):
        assert axis.position(instant) == sum(one < instant for one in counted)
    buckets = pairwise(borders)
    assert axis.lengths == [sum(start <= one < end for one in counted) for start, end in buckets]


def test_a_place_knows_what_is_left_of_its_bucket() -> None:
    axis = Axis([Span(0, 10), Span(20, 30)], [2, 8, 22, 40])
    assert axis.lengths == [6, 4, 8]
    assert axis.bucket(axis.position(0)) == (0, 6)
    assert axis.bucket(axis.position(7)) == (0, 1)
    assert axis.bucket(axis.position(15)) == (1, 2)
    assert axis.bucket(axis.position(99)) == (2, 0)
