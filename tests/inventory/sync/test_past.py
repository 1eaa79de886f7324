"""What was added up is added up again where the past has changed."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from inventory.models import Cluster, Coverage, RollUp, Team, TeamNamespace
from inventory.sync.past import Past, set_back
from tests.factories import make_cluster, make_team
from tests.inventory.sync.books import allocated
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, claim, resource_slice, store

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def cluster(db: None) -> Cluster:
    made = make_cluster()
    Coverage.objects.create(cluster=made, started_at=NOON - 10 * DAY, ended_at=NOON)
    return made


def added_up(
    cluster: Cluster, changed: datetime | None, **fields: datetime | None
) -> tuple[datetime | None, ...]:
    until = {"hours_until": NOON, "days_until": NOON - 12 * HOUR}
    RollUp.objects.create(cluster=cluster, **{**until, **fields})
    set_back(cluster, Past(changed))
    found = RollUp.objects.get()
    return found.hours_until, found.days_until


def test_it_goes_back_to_the_hour_and_the_day_of_the_change(cluster: Cluster) -> None:
    changed = NOON - 2 * DAY - HOUR / 2
    assert added_up(cluster, changed) == (NOON - 2 * DAY - HOUR, NOON - 2 * DAY - 12 * HOUR)


@pytest.mark.parametrize("changed", [None, NOON, NOON + HOUR])
def test_what_is_not_added_up_yet_changes_nothing(cluster: Cluster, changed: datetime | None) -> None:
    assert added_up(cluster, changed) == (NOON, NOON - 12 * HOUR)


def test_a_day_that_is_not_over_stays_as_it_is(cluster: Cluster) -> None:
    assert added_up(cluster, NOON - HOUR) == (NOON - HOUR, NOON - 12 * HOUR)


def test_nothing_was_counted_before_the_first_reading(cluster: Cluster) -> None:
    first = NOON - 10 * DAY
    assert added_up(cluster, datetime(1, 1, 2, tzinfo=UTC)) == (first, first - 12 * HOUR)


def test_of_what_intervals_are_deleted_the_sums_stay(cluster: Cluster) -> None:
    kept_from = NOON - 5 * DAY - HOUR / 2
    assert added_up(cluster, NOON - 8 * DAY, intervals_from=kept_from) == (
        NOON - 5 * DAY,
        NOON - 5 * DAY + 12 * HOUR,
    )


def test_where_nothing_was_added_up_there_is_nothing_to_set_back(cluster: Cluster) -> None:
    set_back(cluster, Past(NOON))
    assert not RollUp.objects.exists()
    assert added_up(cluster, NOON - DAY, hours_until=None, days_until=None) == (None, None)


# By polls


@pytest.fixture
def read(follow: Follow) -> Followed:
    """A cluster of which more has been added up than there can be, and that was read for ten days."""
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    Coverage.objects.update(started_at=timezone.now() - 10 * DAY)
    RollUp.objects.create(
        cluster=followed.cluster, hours_until=timezone.now() + DAY, days_until=timezone.now() + DAY
    )
    return followed


def hours_until() -> datetime:
    found = RollUp.objects.get().hours_until
    assert found is not None
    return found


def floor(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def test_a_share_that_began_in_the_past_sets_it_back(read: Followed) -> None:
    given = timezone.now().replace(microsecond=0) - 3 * HOUR
    read.store.put(allocated(given))
    read.applied()
    assert hours_until() == floor(given)


def test_an_end_that_is_corrected_sets_it_back(read: Followed) -> None:
    given = timezone.now().replace(microsecond=0) - 3 * HOUR
    read.store.put(allocated(given))
    read.applied()
    read.store.put(claim("c"))
    read.applied()
    RollUp.objects.update(hours_until=timezone.now() + DAY)
    read.store.put(allocated(given + HOUR))
    read.applied()
    assert hours_until() == floor(given + HOUR)


def test_each_reading_sets_it_back_to_where_the_last_one_ended(read: Followed) -> None:
    (ended_at,) = Coverage.objects.values_list("ended_at", flat=True)
    read.applied()
    assert hours_until() == floor(ended_at)


def test_a_change_of_teams_sets_it_back(read: Followed) -> None:
    read.store.put(allocated(timezone.now().replace(microsecond=0)))
    read.applied()
    RollUp.objects.update(hours_until=timezone.now() + DAY)
    team: Team = make_team("vision")
    before = timezone.now()
    TeamNamespace.objects.create(team=team, namespace="team-a")
    assert hours_until() == floor(before)
