"""The time that a page looks back on: its length and its end, both in the address."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.pages.refusal import Refused
from dashboard.words import periods
from dashboard.words.periods import PeriodError
from inventory.queries.usage.rows import Period

PARAMETERS = ("period", "until")
_UTC = periods.zone(None)
_LENGTHS: Mapping[str, tuple[timedelta, str | Promise]] = {
    "day": (timedelta(days=1), gettext_lazy("24 h")),
    "week": (timedelta(days=7), gettext_lazy("7 d")),
    "month": (timedelta(days=30), gettext_lazy("30 d")),
    "year": (timedelta(days=365), gettext_lazy("1 year")),
}


class Choice(NamedTuple):
    label: str | Promise
    href: str
    chosen: bool


class Looked(NamedTuple):
    """`length` is its name; `later` leads nowhere where the period ends now."""

    period: Period
    length: str
    choices: Sequence[Choice]
    earlier: str
    later: str

    @property
    def label(self) -> str:
        return str(_LENGTHS[self.length][1])

    @property
    def ends_now(self) -> bool:
        return not self.later


def looked_back(request: HttpRequest, now: datetime, *, otherwise: str, anchor: str = "") -> Looked:
    """Raises Refused. `anchor` is where in the page it is chosen."""
    length = request.GET.get("period", otherwise)
    if length not in _LENGTHS:
        fault = _("“%(value)s” is not one of %(known)s")
        raise Refused([("period", fault % {"value": length, "known": ", ".join(_LENGTHS)})])
    until, lasts = _until(request.GET, now), _LENGTHS[length][0]
    end = until or now
    period = Period(end - lasts, end)
    return Looked(
        period=period,
        length=length,
        choices=[
            Choice(label, _href(request.GET, anchor, period=name), name == length)
            for name, (_lasts, label) in _LENGTHS.items()
        ],
        earlier=_href(request.GET, anchor, until=_text(period.start)),
        later=_later(request.GET, anchor, period.end, lasts, now) if until else "",
    )


def _until(query: QueryDict, now: datetime) -> datetime | None:
    """None for now, which goes on."""
    text = query.get("until")
    if text is None:
        return None
    try:
        found = periods.instant(text, _UTC, "until")
    except PeriodError as error:
        raise Refused(error.faults) from error
    return found if found < now else None


def _later(query: QueryDict, anchor: str, end: datetime, lasts: timedelta, now: datetime) -> str:
    if end + lasts >= now:
        return _href(query, anchor, until=None)
    return _href(query, anchor, until=_text(end + lasts))


def _href(query: QueryDict, anchor: str, **changed: str | None) -> str:
    kept = query.copy()
    kept.pop("page", None)
    for name, value in changed.items():
        if value is None:
            kept.pop(name, None)
        else:
            kept[name] = value
    return f"?{kept.urlencode()}{anchor}"


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
