"""Who held what of a device when."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.history.instants import SECOND, micros
from inventory.models import Device, InstantSource, RollUp, Team
from inventory.queries.history.device import MOST_SHARES, Timeline, timeline
from inventory.queries.usage.rows import Period
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import READ_AT, make_device, make_team
from tests.looking_back import make_held, make_read, make_there, make_used

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
HOURS = 3600 * SECOND
START = READ_AT - 10 * DAY


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


@pytest.fixture
def device(db: None) -> Device:
    """Read for ten days, and published all the time."""
    make_team("vision")
    device = make_device()
    make_read(device.cluster, START, READ_AT)
    make_there(device, START)
    return device


def seen(device: Device, start: float = 0, end: float = 24, viewer: Viewer = EVERYTHING) -> Timeline:
    return timeline(device, Period(at(start), at(end)), viewer=viewer)


def of_vision() -> Viewer:
    return Viewer(frozenset({Team.objects.get(slug="vision").pk}))


def test_each_share_is_a_bar_with_its_claim_and_pods(device: Device) -> None:
    held = make_held(device, at(2), at(5), consumed={"memory": "8Gi"})
    for pod in ("web-0", "web-1"):
        make_used(held, pod)
    (bar,) = seen(device).held
    assert bar.share is not None
    assert (bar.share.claim, bar.share.pods) == (held.claim_name, ("web-0", "web-1"))
    assert str(bar.share.amounts["memory"]) == "8Gi"
    assert (bar.span.start, bar.span.end) == (micros(at(2)), micros(at(5)))
    assert bar.time == 3 * HOURS


def test_a_share_that_another_clock_dates_later_began_when_it_was_seen(device: Device) -> None:
    make_held(
        device,
        at(2),
        at(5),
        started_source=InstantSource.OBSERVED,
        started_not_before=at(1),
        given_at=at(300),
        given_source=InstantSource.ALLOCATION,
    )
    (bar,) = seen(device).held
    assert bar.share is not None
    assert (bar.share.since, bar.share.since_not_before) == (at(2), at(1))
    assert bar.share.since_source is InstantSource.OBSERVED


def test_what_lies_outside_of_the_period_is_cut_off_but_its_ends_are_told(device: Device) -> None:
    make_held(device, at(-30), at(30))
    (bar,) = seen(device).held
    assert bar.time == 24 * HOURS
    assert bar.share is not None
    assert (bar.share.since, bar.share.until) == (at(-30), at(30))


def test_what_is_still_held_lasts_until_the_last_reading_and_not_until_now(device: Device) -> None:
    make_held(device, READ_AT - HOUR)
    found = timeline(device, Period(READ_AT - DAY, READ_AT + DAY), viewer=EVERYTHING)
    assert found.held[0].going_on
    assert found.held[0].time == HOURS
    assert [moment_of(span) for span in found.read.unread] == [(READ_AT, READ_AT + DAY)]


def moment_of(span: tuple[int, int]) -> tuple[datetime, datetime]:
    first, last = ((START + (value - micros(START)) * timedelta(microseconds=1)) for value in span)
    return first, last


def test_a_moment_after_the_last_reading_nothing_is_unread_yet(device: Device) -> None:
    found = timeline(device, Period(READ_AT - DAY, READ_AT + timedelta(seconds=5)), viewer=EVERYTHING)
    assert found.read.unread == ()


def test_time_that_was_not_read_is_not_counted(device: Device) -> None:
    device.cluster.coverage.all().delete()
    make_read(device.cluster, START, at(4))
    make_read(device.cluster, at(6), READ_AT)
    make_held(device, at(2), at(8))
    found = seen(device)
    assert [moment_of(span) for span in found.read.unread] == [(at(4), at(6))]
    assert found.held[0].time == 4 * HOURS


def test_before_the_first_record_nothing_is_read(device: Device) -> None:
    found = seen(device, -48, -24)
    assert not found.anything_read
    assert found.read.first == START


def test_of_what_was_deleted_nothing_is_known(device: Device) -> None:
    RollUp.objects.create(cluster=device.cluster, intervals_from=at(12))
    found = seen(device)
    assert [moment_of(span) for span in found.read.unread] == [(at(0), at(12))]


def test_others_are_merged_and_unnamed(device: Device) -> None:
    make_held(device, at(1), at(3), team="secret", claim_name="hidden")
    make_held(device, at(2), at(6), team="other", claim_name="hidden")
    make_held(device, at(4), at(5))
    found = seen(device, viewer=of_vision())
    foreign, own = found.held
    assert (foreign.share, foreign.shares, foreign.time) == (None, 2, 5 * HOURS)
    assert foreign.team is not None
    assert foreign.team.name == ""
    assert own.share is not None
    assert "hidden" not in repr(found)
    assert "secret" not in repr(found)


def test_what_belongs_to_nobody_is_withheld_too(device: Device) -> None:
    make_held(device, at(1), at(3), team="", claim_name="hidden")
    assert "hidden" not in repr(seen(device, viewer=of_vision()))
    (bar,) = seen(device).held
    assert bar.team is None


def test_admin_access_stands_apart(device: Device) -> None:
    make_held(device, at(1), at(3), admin_access=True)
    make_held(device, at(1), at(3))
    found = seen(device)
    assert sorted(one.admin_access for one in found.held) == [False, True]
    assert [one.admin_access for one in found.totals] == [False, True]


def test_very_many_shares_are_told_team_by_team(device: Device) -> None:
    for number in range(MOST_SHARES + 1):
        make_held(device, at(number / 10), at(number / 10 + 0.05))
    found = seen(device)
    assert found.merged
    assert sum(one.shares for one in found.held) == MOST_SHARES + 1
    (total,) = found.totals
    assert total.time == (MOST_SHARES + 1) * HOURS // 20
    year = timeline(device, Period(READ_AT - timedelta(days=365), READ_AT), viewer=EVERYTHING)
    assert len(year.held) == 1
    assert year.totals[0].time == total.time


def test_a_team_on_it_twice_at_once_was_on_it_once(device: Device) -> None:
    make_held(device, at(1), at(4), consumed={"memory": "1Gi"})
    make_held(device, at(2), at(5), consumed={"memory": "1Gi"})
    (total,) = seen(device).totals
    assert (total.shares, total.time) == (2, 4 * HOURS)


def test_what_its_driver_said_of_it_is_told(device: Device) -> None:
    device.cluster.coverage.all().delete()
    make_read(device.cluster, START - DAY, READ_AT)
    there = device.cluster.device_intervals.get()
    there.ended_at = at(2)
    there.save()
    make_there(device, at(2), at(4), capacity={"memory": "40Gi"})
    make_there(device, at(6), capacity={"memory": "40Gi"})
    found = seen(device)
    kinds = [(one.at, one.before is None, one.after is None) for one in found.changes]
    assert kinds == [(at(0), True, False), (at(2), False, False), (at(4), False, True), (at(6), True, False)]
    assert [moment_of(span) for span in found.absent] == [(at(4), at(6))]


def test_what_was_there_at_the_first_reading_may_have_been_there_before(device: Device) -> None:
    (change,) = seen(device).changes
    assert change.first


def test_a_year_of_a_device_asks_as_often_as_a_day(device: Device) -> None:
    make_held(device, at(1), at(2))

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            timeline(device, Period(READ_AT - timedelta(days=365), READ_AT), viewer=of_vision())
        return len(asked)

    few = queries()
    for number in range(20):
        make_used(make_held(device, at(number), at(number + 1)), f"pod-{number}")
    assert queries() == few


def test_fractions_of_a_second_are_kept(device: Device) -> None:
    first, last = at(1) + timedelta(microseconds=1), at(2) + timedelta(microseconds=30)
    make_held(device, first, last)
    (bar,) = seen(device).held
    assert (bar.span.start, bar.span.end) == (micros(first), micros(last))
