from datetime import datetime

import pytest
from pytest_django import Settings

from inventory.models import KindState, Pool, SkippedObject
from inventory.queries.freshness import Freshness, ReadState, freshness, generation
from inventory.viewer import EVERYTHING
from tests.factories import READ_AT, later, make_cluster, make_pool, make_team

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _a_minute(settings: Settings) -> None:
    settings.SLICEBOARD_STALE_SECONDS = 60


def at(now: datetime, **narrowed: object) -> Freshness:
    return freshness(now, viewer=EVERYTHING, **narrowed)  # type: ignore[arg-type]


def generation_at(now: datetime) -> tuple[str, ...]:
    return generation(at(now), viewer=EVERYTHING)


def test_without_a_cluster_there_is_nothing_to_be_stale() -> None:
    assert at(READ_AT).as_of is None
    assert not at(READ_AT).stale


def test_an_answer_is_as_old_as_the_oldest_cluster_behind_it() -> None:
    make_cluster("new", observed_at=later(50))
    make_cluster("old", observed_at=later(10))
    assert at(later(55)).as_of == later(10)
    assert at(later(55), names=["new"]).as_of == later(50)


def test_a_snapshot_turns_stale_after_its_time() -> None:
    make_cluster()
    assert not at(later(60)).stale
    assert at(later(61)).stale
    assert at(later(61)).clusters[0].state is ReadState.STALE


def test_a_cluster_that_was_never_read_is_stale_and_has_no_age() -> None:
    make_cluster(observed_at=None)
    found = at(READ_AT)
    assert (found.as_of, found.stale) == (None, True)
    assert found.clusters[0].state is ReadState.NEVER_READ


def test_a_cluster_whose_last_attempt_failed_keeps_its_snapshot_and_says_why() -> None:
    make_cluster(error_reason="Unreachable", error_message="connection refused", error_at=later(15))
    (one,) = at(later(20)).clusters
    assert one.state is ReadState.FAILING
    assert not one.stale
    assert one.error is not None
    assert one.error.message == "connection refused"


def test_a_kind_that_could_not_be_read_makes_the_answers_old_that_rest_on_it() -> None:
    cluster = make_cluster(observed_at=later(100))
    KindState.objects.create(cluster=cluster, kind="pods", state="forbidden", succeeded_at=later(10))
    assert at(later(100), kinds=["pods"]).as_of == later(10)
    assert at(later(100), kinds=["pods"]).stale
    assert at(later(100), kinds=["resourceslices"]).as_of == later(100)
    assert at(later(100)).clusters[0].forbidden == ("pods",)


def test_an_answer_is_as_old_as_the_oldest_of_the_kinds_that_it_rests_on() -> None:
    cluster = make_cluster(observed_at=later(10))
    for kind, seconds in (("pods", 10), ("resourceslices", 90), ("resourceclaims", 80)):
        KindState.objects.create(cluster=cluster, kind=kind, state="read", succeeded_at=later(seconds))
    devices = at(later(100), kinds=["resourceslices", "resourceclaims"])
    assert (devices.as_of, devices.stale) == (later(80), False)
    assert (at(later(100)).as_of, at(later(100)).stale) == (later(10), True)


def test_a_kind_that_was_never_read_leaves_the_answer_without_an_age() -> None:
    KindState.objects.create(cluster=make_cluster(), kind="pods", state="forbidden")
    found = at(READ_AT, kinds=["pods"])
    assert (found.as_of, found.stale) == (None, True)


def test_skipped_objects_and_incomplete_pools_are_counted() -> None:
    cluster = make_cluster()
    SkippedObject.objects.create(cluster=cluster, kind="pods", reason="no name")
    make_pool("a", state=Pool.State.INCOMPLETE)
    make_pool("b")
    (one,) = at(READ_AT).clusters
    assert (one.objects_skipped, one.pools_incomplete) == (1, 1)


def test_the_generation_changes_with_what_was_found_and_with_staleness() -> None:
    cluster = make_cluster()
    first = generation_at(READ_AT)
    assert generation_at(later(1)) == first
    assert generation_at(later(61)) != first
    cluster.revision += 1
    cluster.save()
    assert generation_at(later(1)) != first


def test_a_poll_that_finds_no_change_is_no_new_generation() -> None:
    cluster = make_cluster()
    first = generation_at(READ_AT)
    cluster.observed_at = cluster.attempted_at = later(15)
    cluster.save()
    assert generation_at(later(15)) == first


def test_a_kind_that_can_no_longer_be_read_makes_another_generation() -> None:
    cluster = make_cluster()
    first = generation_at(READ_AT)
    KindState.objects.create(cluster=cluster, kind="pods", state="forbidden", succeeded_at=READ_AT)
    assert generation_at(READ_AT) != first


def test_the_generation_changes_when_a_team_is_renamed() -> None:
    team = make_team()
    first = generation_at(READ_AT)
    team.slug = "sight"
    team.save()
    assert generation_at(READ_AT) != first
