"""How long claims waited."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory.history.instants import SECOND
from inventory.models import Claim, ClaimEvent, Cluster, Team
from inventory.queries.history.pending import BORDERS
from inventory.queries.history.quantiles import Quantiles, quantiles
from inventory.queries.history.waiting import Waiting, WaitingFilter, waiting
from inventory.queries.usage.rows import Period
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import READ_AT, make_claim, make_cluster, make_device, make_namespace, make_team
from tests.looking_back import make_event, make_held, make_read, make_there

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
START = READ_AT - DAY


@pytest.fixture
def cluster(db: None) -> Cluster:
    make_team("vision")
    cluster = make_cluster()
    make_read(cluster, START, READ_AT)
    return cluster


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def of_vision() -> Viewer:
    return Viewer(frozenset({Team.objects.get(slug="vision").pk}))


def asked(query: str = "", viewer: Viewer = EVERYTHING) -> Waiting:
    filters = WaitingFilter(QueryDict(query), ClaimEvent.objects.all(), viewer=viewer)
    assert filters.is_valid()
    return waiting(Period(START, READ_AT), filters, viewer=viewer)


def plainly(values: Sequence[int | None]) -> Quantiles:
    known = sorted(value for value in values if value is not None)
    unknown = len(values) - len(known)
    if not known:
        return Quantiles(0, unknown)

    def no_larger(hundredth: int) -> int:
        return next(
            one for one in known if 100 * sum(other <= one for other in known) >= hundredth * len(known)
        )

    tally = tuple(sorted(Counter(known).items()))
    return Quantiles(len(known), unknown, no_larger(50), no_larger(90), no_larger(99), known[-1], tally)


@pytest.mark.django_db
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.one_of(st.none(), st.integers(0, 9))), min_size=1, max_size=40
    )
)
def test_quantiles_are_values_that_so_many_of_a_hundred_do_not_exceed(
    given_: list[tuple[str, int | None]],
) -> None:
    ClaimEvent.objects.all().delete()
    for product, waited in given_:
        make_event(make_cluster(), "allocated", READ_AT, product=product, waited=waited)
    found = quantiles(ClaimEvent.objects.all(), "waited_microseconds", ("product",))
    by_product = {
        (name,): plainly(
            [None if one is None else one * SECOND for product, one in given_ if product == name]
        )
        for name in {product for product, _ in given_}
    }
    assert found == by_product


def test_a_distribution_counts_every_known_time_once(cluster: Cluster) -> None:
    for waited in (0, 0.5, 1, 3, 3, 86_400, 10**6):
        make_event(cluster, "allocated", at(1), waited=waited)
    make_event(cluster, "allocated", at(1))
    found = asked()
    assert (found.all.number, found.all.unknown) == (7, 1)
    assert found.counts[0] == 2
    assert found.counts[BORDERS.index(2) + 1] == 2
    assert found.counts[-1] == 2
    assert sum(found.counts) == 7


def test_only_allocations_of_the_period_count(cluster: Cluster) -> None:
    make_event(cluster, "created", at(1))
    make_event(cluster, "allocated", START - HOUR, waited=5)
    make_event(cluster, "allocated", READ_AT, waited=5)
    assert asked().all == Quantiles()


def test_groups_are_told_with_their_own_quantiles(cluster: Cluster) -> None:
    for product, node, waited in (("A100", "n1", 1), ("A100", "n2", 9), ("H100", "n2", 3)):
        make_event(cluster, "allocated", at(1), product=product, node=node, waited=waited)
    found = asked()
    assert [(row.name, row.waited.half) for row in found.products] == [("A100", SECOND), ("H100", 3 * SECOND)]
    assert [(row.cluster, row.name, row.waited.largest) for row in found.nodes] == [
        ("lab", "n2", 9 * SECOND),
        ("lab", "n1", SECOND),
    ]


def test_namespaces_of_others_are_one_without_a_name_and_totals_stay_true(cluster: Cluster) -> None:
    for team, waited in (("vision", 1), ("secret", 5), ("hidden", 9)):
        make_event(cluster, "allocated", at(1), team=team, waited=waited)
    found = asked(viewer=of_vision())
    own, others = found.namespaces
    assert (own.name, own.waited.number) == ("team-vision", 1)
    assert (others.name, others.withheld, others.waited.number, others.waited.largest) == (
        "",
        True,
        2,
        9 * SECOND,
    )
    assert found.all.number == 3
    assert "secret" not in repr(found)


def test_a_name_of_others_is_as_one_that_is_nowhere(cluster: Cluster) -> None:
    make_event(cluster, "allocated", at(1), team="secret", waited=5)
    make_claim(namespace=make_namespace("team-secret"), state=Claim.State.PENDING)
    asked_for = [asked(f"namespace={name}", of_vision()) for name in ("team-secret", "nowhere")]
    assert asked_for[0] == asked_for[1]
    assert asked("namespace=team-secret").all.number == 1


def test_time_is_told_beside_how_busy_the_cards_were(cluster: Cluster) -> None:
    device = make_device()
    make_there(device, START)
    make_held(device, at(2), at(2.5))
    make_event(cluster, "allocated", at(2.2), waited=4)
    found = asked()
    busy = found.steps[2]
    assert (busy.waited.number, busy.in_use) == (1, Fraction(1, 2))
    assert found.steps[0].in_use == 0


def test_a_step_that_was_not_read_says_so(cluster: Cluster) -> None:
    cluster.coverage.all().delete()
    make_read(cluster, at(12), READ_AT)
    found = asked()
    assert [step.not_read for step in found.steps[10:14]] == [True, True, False, False]
    assert found.steps[0].in_use is None


def test_claims_that_still_wait_are_told_with_their_age(cluster: Cluster) -> None:
    own = make_namespace("team-vision", team=Team.objects.get(slug="vision"))
    waiting_claim = make_claim("own", namespace=own, state=Claim.State.PENDING, created_at=READ_AT - 3 * HOUR)
    make_claim("other", namespace=make_namespace("x"), state=Claim.State.PENDING, created_at=READ_AT - HOUR)
    make_claim("odd", namespace=own, state=Claim.State.PENDING)
    make_claim("held", namespace=own)
    found = asked(viewer=of_vision()).pending
    assert (found.number, found.withheld, found.unknown) == (3, 1, 1)
    assert [(row.name, row.waits) for row in found.rows] == [("own", 3 * HOUR), ("odd", None)]
    assert found.rows[0].id == waiting_claim.pk
    assert sum(found.counts) == 2


def test_it_asks_as_often_for_many_events_as_for_few(cluster: Cluster) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked_of:
            asked(viewer=of_vision())
        return len(asked_of)

    make_event(cluster, "allocated", at(1), waited=1)
    few = queries()
    for number in range(30):
        make_event(
            cluster, "allocated", at(number / 2), node=f"n{number}", product=f"p{number}", waited=number
        )
        make_claim(namespace=make_namespace(f"ns-{number}"), state=Claim.State.PENDING, created_at=READ_AT)
    assert queries() == few
