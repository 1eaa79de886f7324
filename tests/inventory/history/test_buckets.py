from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from inventory.history.buckets import Step, borders, midnight

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC",
        "Europe/Berlin",
        "America/St_Johns",
        "America/Santiago",
        "Asia/Kathmandu",
        "Asia/Shanghai",
        "Australia/Lord_Howe",
        "Pacific/Apia",
    )
]


def local(zone: ZoneInfo, *parts: int) -> datetime:
    year, month, day, hour, minute = (*parts, 0, 0)[:5]
    return datetime(year, month, day, hour, minute, tzinfo=zone)


def hours(found: list[datetime]) -> list[float]:
    return [(end - start) / timedelta(hours=1) for start, end in pairwise(found)]


def test_days_have_23_and_25_hours_where_clocks_are_turned() -> None:
    spring = borders(local(BERLIN, 2026, 3, 28), local(BERLIN, 2026, 3, 31), Step.DAY, BERLIN)
    assert hours(spring) == [24, 23, 24]
    autumn = borders(local(BERLIN, 2026, 10, 24), local(BERLIN, 2026, 10, 27), Step.DAY, BERLIN)
    assert hours(autumn) == [24, 25, 24]
    assert autumn[1] == datetime(2026, 10, 24, 22, tzinfo=UTC)


def test_hours_last_an_hour_also_where_two_have_one_name() -> None:
    found = borders(local(BERLIN, 2026, 10, 25), local(BERLIN, 2026, 10, 26), Step.HOUR, BERLIN)
    assert hours(found) == [1] * 25
    assert [one.astimezone(BERLIN).hour for one in found[:5]] == [0, 1, 2, 2, 3]


def test_days_begin_at_half_hours_of_utc_where_the_zone_does() -> None:
    zone = ZoneInfo("Asia/Kolkata")
    found = borders(local(zone, 2026, 5, 1), local(zone, 2026, 5, 3), Step.DAY, zone)
    assert found[1] == datetime(2026, 5, 1, 18, 30, tzinfo=UTC)
    assert hours(found) == [24, 24]
    within = borders(local(zone, 2026, 5, 1, 0, 45), local(zone, 2026, 5, 1, 3), Step.HOUR, zone)
    assert hours(within) == [0.25, 1, 1]


def test_a_clock_that_leaps_by_half_an_hour_has_one_short_hour() -> None:
    zone = ZoneInfo("Australia/Lord_Howe")
    found = borders(local(zone, 2026, 10, 4), local(zone, 2026, 10, 5), Step.HOUR, zone)
    assert hours(found) == [1, 1, 0.5, *[1] * 21]


def test_months_and_weeks_begin_at_their_first_midnight() -> None:
    months = borders(local(BERLIN, 2025, 12, 15), local(BERLIN, 2026, 4, 1), Step.MONTH, BERLIN)
    firsts = [one.astimezone(BERLIN).date() for one in months]
    assert firsts == [date(2025, 12, 15), *(date(2026, month, 1) for month in (1, 2, 3, 4))]
    assert hours(months)[-1] == 31 * 24 - 1
    weeks = borders(local(BERLIN, 2026, 1, 1), local(BERLIN, 2026, 1, 20), Step.WEEK, BERLIN)
    assert [one.astimezone(BERLIN).day for one in weeks] == [1, 5, 12, 19, 20]


def test_a_day_begins_after_the_leap_where_clocks_leap_over_midnight() -> None:
    zone = ZoneInfo("America/Santiago")
    leap = midnight(date(2026, 9, 6), zone)
    assert leap.astimezone(zone).hour == 1
    assert (leap - timedelta(seconds=1)).astimezone(zone).date() == date(2026, 9, 5)


def test_a_day_that_a_zone_has_left_out_has_no_time() -> None:
    zone = ZoneInfo("Pacific/Apia")
    found = borders(local(zone, 2011, 12, 29), local(zone, 2012, 1, 1), Step.DAY, zone)
    assert hours(found) == [24, 24]


@given(
    st.integers(0, 25 * 365 * 86_400),
    st.integers(1, 90 * 86_400),
    st.sampled_from(Step),
    st.sampled_from(ZONES),
)
def test_buckets_follow_each_other_and_none_crosses_a_border(
    since: int, seconds: int, step: Step, zone: ZoneInfo
) -> None:
    start = datetime(2005, 1, 1, tzinfo=UTC) + timedelta(seconds=since)
    end = start + timedelta(seconds=seconds)
    found = borders(start, end, step, zone)
    assert (found[0], found[-1]) == (start, end)
    assert all(one < other for one, other in pairwise(found))
    for begins, ends in pairwise(found):
        first, last = (one.astimezone(zone) for one in (begins, ends - timedelta(microseconds=1)))
        match step:
            case Step.HOUR:
                assert (first.date(), first.hour) == (last.date(), last.hour)
            case Step.DAY:
                assert first.date() == last.date()
            case Step.WEEK:
                assert first.isocalendar()[:2] == last.isocalendar()[:2]
            case Step.MONTH:
                assert (first.year, first.month) == (last.year, last.month)
