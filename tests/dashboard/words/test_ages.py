from datetime import UTC, datetime, timedelta

import pytest

from dashboard.words import ages

NOW = datetime(2026, 11, 29, 15, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("elapsed", "shown"),
    [
        (timedelta(seconds=12), "12 s"),
        (timedelta(seconds=79), "1 min 19 s"),
        (timedelta(minutes=43), "43 min"),
        (timedelta(hours=2, minutes=8), "2 h 8 min"),
        (timedelta(days=1), "2026-11-28"),
        (timedelta(seconds=-5), "0 s"),
    ],
)
def test_ages_up_to_a_day_are_ages_then_dates(elapsed: timedelta, shown: str) -> None:
    assert ages.age(NOW - elapsed, NOW) == shown


def test_short_durations_are_milliseconds_and_long_ones_days() -> None:
    assert ages.duration(timedelta(milliseconds=818)) == "818 ms"
    assert ages.duration(timedelta(days=2, hours=3)) == "2 days"


def test_a_moment_of_today_is_a_time_and_of_another_day_a_date() -> None:
    assert ages.clock(NOW - timedelta(minutes=2), NOW) == "15:02"
    assert ages.clock(NOW - timedelta(days=3), NOW) == "2026-11-26"


def test_what_is_long_ago_is_dated() -> None:
    assert ages.ago(NOW - timedelta(seconds=12), NOW) == "12 s ago"
    assert ages.ago(NOW - timedelta(days=2), NOW) == "on 2026-11-27"
