"""Periods and time zones, as people write them in an address, and in words."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from inventory.history.buckets import midnight
from inventory.queries.usage.rows import Period

UTC_NAME = "UTC"
# Days of any zone, and weeks and months around them, lie in the calendar of computers, 1 to 9999.
_FIRST_YEAR, _LAST_YEAR = 2, 9998
# Of what somebody has written in an address.
_SHOWN = 40
# Names of no place: what the machine is set to, and what is set to nothing.
_NO_ZONES = frozenset({"Factory", "localtime"})


class PeriodError(Exception):
    """`faults` are pairs of the parameter and what is wrong with it."""

    def __init__(self, *faults: tuple[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {fault}" for name, fault in faults))
        self.faults = faults


class Zone(NamedTuple):
    name: str
    info: tzinfo


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    return frozenset({*available_timezones(), UTC_NAME}) - _NO_ZONES


def zone(name: str | None, field: str = "tz") -> Zone:
    """Raises PeriodError."""
    if not name or name == UTC_NAME:
        return Zone(UTC_NAME, UTC)
    if name not in zone_names():
        fault = _("“%(name)s” is no time zone; write one of the IANA database, such as Europe/Berlin")
        raise PeriodError((field, fault % {"name": name[:_SHOWN]}))
    return Zone(name, ZoneInfo(name))


def instant(text: str, where: Zone, field: str) -> datetime:
    """A date is its beginning, a time without an offset one in the zone. Raises PeriodError."""
    try:
        found = _read(text, where).astimezone(UTC)
    except ValueError:
        fault = _("“%(text)s” is no instant; write a date (2026-11-01) or RFC 3339 (2026-11-01T06:00:00Z)")
        raise PeriodError((field, fault % {"text": text[:_SHOWN]})) from None
    except OverflowError:
        raise _outside(field) from None
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise _outside(field)
    return found


def _outside(field: str) -> PeriodError:
    fault = _("lies outside of the years %(first)d to %(last)d")
    return PeriodError((field, fault % {"first": _FIRST_YEAR, "last": _LAST_YEAR}))


def month(year: int, number: int, where: Zone) -> Period:
    """Raises ValueError for a month that no calendar has."""
    following = date(year + number // 12, number % 12 + 1, 1)
    return Period(midnight(date(year, number, 1), where.info), midnight(following, where.info))


def month_name(year: int, number: int) -> str:
    return date_format(date(year, number, 1), "YEAR_MONTH_FORMAT")


def local(moment: datetime, where: Zone) -> str:
    """`2026-11-01`, `2026-11-01 06:00`, the seconds only where there are some."""
    moment = moment.astimezone(where.info)
    if moment.second:
        return moment.strftime("%Y-%m-%d %H:%M:%S")
    return moment.strftime("%Y-%m-%d %H:%M" if moment.hour or moment.minute else "%Y-%m-%d")


def span(period: Period, where: Zone) -> str:
    """Whole days as the first and the last of them."""
    first = period.start.astimezone(where.info).date()
    after = period.end.astimezone(where.info).date()
    if midnight(first, where.info) != period.start or midnight(after, where.info) != period.end:
        return between(period, where)
    last = after - timedelta(days=1)
    return first.isoformat() if first == last else _to(first.isoformat(), last.isoformat())


def between(period: Period, where: Zone) -> str:
    """From one instant to another."""
    return _to(local(period.start, where), local(period.end, where))


def _to(first: str, last: str) -> str:
    return _("%(first)s to %(last)s") % {"first": first, "last": last}


def _read(text: str, where: Zone) -> datetime:
    if len(text) == len("2026-11-01"):
        return midnight(date.fromisoformat(text), where.info)
    # A blank is what a plus in an address is read as.
    found = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    return found if found.tzinfo else found.replace(tzinfo=where.info)
