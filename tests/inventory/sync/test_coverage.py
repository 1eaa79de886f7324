"""When a cluster was read, and when it was not."""

from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from demo.faults import Refuse
from inventory.models import Coverage, KindState
from inventory.sync import progress
from tests.drills.faults import ALWAYS
from tests.inventory.sync.conftest import Clock, Follow, Followed
from tests.inventory.sync.objects import card, claim, resource_slice, store

DAY = timedelta(days=1)


@pytest.fixture
def followed(follow: Follow) -> Followed:
    return follow(store(resource_slice(card()), claim("c")))


def spans() -> list[tuple[datetime, datetime]]:
    return list(Coverage.objects.values_list("started_at", "ended_at"))


def test_it_begins_with_the_first_reading_and_grows_with_each(followed: Followed) -> None:
    before = timezone.now()
    followed.applied()
    ((start, first_end),) = spans()
    assert before < start <= first_end <= timezone.now()
    followed.applied()
    ((same, end),) = spans()
    assert (same, end > first_end) == (start, True)


@pytest.mark.parametrize("kind", ["resourceslices", "resourceclaims"])
def test_it_takes_both_slices_and_claims(followed: Followed, kind: str) -> None:
    followed.server.faults.inject(f"*/{kind}", Refuse(500), times=ALWAYS)
    followed.applied()
    assert spans() == []
    followed.server.faults.clear()
    KindState.objects.update(retry_at=None)
    followed.applied()
    assert len(spans()) == 1


@pytest.mark.parametrize("kind", ["resourceslices", "resourceclaims"])
def test_what_was_read_before_there_was_history_is_not_covered(followed: Followed, kind: str) -> None:
    followed.applied()
    Coverage.objects.all().delete()
    progress.begin_anew(followed.cluster)
    followed.server.faults.inject(f"*/{kind}", Refuse(500), times=ALWAYS)
    followed.applied()
    assert spans() == []
    followed.server.faults.clear()
    KindState.objects.update(retry_at=None)
    followed.applied()
    assert len(spans()) == 1


def test_a_break_that_is_too_long_is_told(followed: Followed, clock: Clock) -> None:
    followed.applied()
    clock.wrong_by = DAY
    followed.applied()
    first, second = spans()
    assert second[0] - first[1] > DAY - timedelta(minutes=1)


def test_a_short_break_is_none(followed: Followed, clock: Clock) -> None:
    followed.applied()
    clock.wrong_by = timedelta(seconds=settings.SLICEBOARD_STALE_SECONDS - 30)
    followed.applied()
    assert len(spans()) == 1


def test_a_clock_that_steps_back_takes_nothing_away_and_adds_nothing(
    followed: Followed, clock: Clock
) -> None:
    followed.applied()
    Coverage.objects.update(started_at=timezone.now() - DAY)
    before = spans()
    clock.wrong_by = -timedelta(hours=1)
    followed.applied()
    assert spans() == before


def test_a_clock_that_was_ahead_at_the_first_reading_leaves_that_where_it_was(
    followed: Followed, clock: Clock
) -> None:
    clock.wrong_by = timedelta(hours=1)
    followed.applied()
    (ahead,) = spans()
    clock.wrong_by = timedelta()
    followed.applied()
    followed.applied()
    first, second = spans()
    assert (first[0] < first[1] < ahead[0], second) == (True, ahead)


def test_what_was_read_before_a_clock_went_wrong_goes_on_after_it(followed: Followed, clock: Clock) -> None:
    followed.applied()
    ((start, end),) = spans()
    clock.wrong_by = timedelta(hours=1)
    followed.applied()
    clock.wrong_by = timedelta()
    followed.applied()
    first, second = spans()
    assert (first[0], first[1] > end) == (start, True)
    assert first[1] < second[0]
