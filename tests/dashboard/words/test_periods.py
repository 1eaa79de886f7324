from datetime import UTC, datetime

import pytest

from dashboard.words import periods
from dashboard.words.periods import PeriodError
from inventory.queries.usage.rows import Period

BERLIN = periods.zone("Europe/Berlin")
UTC_ZONE = periods.zone(None)


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-29", at(2026, 3, 28, 23)),
        ("2026-03-29T12:00", at(2026, 3, 29, 10)),
        ("2026-03-29T12:00:00Z", at(2026, 3, 29, 12)),
        ("2026-03-29T12:00:00-05:00", at(2026, 3, 29, 17)),
        # What a form makes of a plus.
        ("2026-03-29T12:00:00 05:00", at(2026, 3, 29, 7)),
        # Of an hour that comes twice, the first.
        ("2026-10-25T02:30", at(2026, 10, 25, 0, 30)),
    ],
)
def test_what_has_no_offset_goes_by_the_clock_of_the_zone(text: str, instant: datetime) -> None:
    assert periods.instant(text, BERLIN, "from") == instant


def test_a_day_begins_when_the_clocks_do_where_they_leap_over_midnight() -> None:
    beirut = periods.zone("Asia/Beirut")
    assert periods.instant("2026-03-29", beirut, "from") == at(2026, 3, 28, 22)


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-02-30", "2026-11", "26-11-01", "2026-11-01T99:00", "٢٠٢٦-11-01"]
)
def test_what_is_no_instant_is_told_with_what_would_be(text: str) -> None:
    with pytest.raises(PeriodError, match="write a date"):
        periods.instant(text, UTC_ZONE, "from")


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01",
        "0001-12-31T23:59:59Z",
        "0002-01-01T00:00:00+14:00",
        "9999-01-01",
        "9998-12-31T23:00-01:00",
    ],
)
def test_what_no_zone_can_be_counted_in_is_refused(text: str) -> None:
    with pytest.raises(PeriodError, match="outside of the years 2 to 9998"):
        periods.instant(text, UTC_ZONE, "from")


def test_the_ends_of_all_years_are_days_in_any_zone() -> None:
    for name in ("Pacific/Kiritimati", "America/Los_Angeles"):
        zone = periods.zone(name)
        ends = Period(*(periods.instant(text, UTC_ZONE, "from") for text in ("0002-01-01", "9998-12-31")))
        assert periods.span(ends, zone) == periods.between(ends, zone)


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "../../etc/passwd", "Europe", "localtime", "Factory", "x" * 999]
)
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(PeriodError, match="is no time zone"):
        periods.zone(name)


def test_months_go_by_the_zone() -> None:
    found = periods.month(2026, 12, BERLIN)
    assert found == Period(at(2026, 11, 30, 23), at(2026, 12, 31, 23))


def test_whole_days_are_told_as_the_first_and_the_last() -> None:
    assert periods.span(periods.month(2026, 3, BERLIN), BERLIN) == "2026-03-01 to 2026-03-31"
    assert periods.span(Period(at(2026, 3, 1), at(2026, 3, 2)), UTC_ZONE) == "2026-03-01"
    part = Period(at(2026, 3, 1, 6), at(2026, 3, 2, 0, 0, 1))
    assert periods.span(part, UTC_ZONE) == "2026-03-01 06:00 to 2026-03-02 00:00:01"
