"""What is asked of the usage page, and how it is asked for."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard.pages import filtering
from dashboard.pages.around import cluster_names
from dashboard.pages.filtering import Choice, Field, choose, write
from dashboard.pages.refusal import Refused, checked
from dashboard.words import periods
from dashboard.words import usage as words
from dashboard.words.periods import PeriodError, Zone
from inventory.history.buckets import SHORTEST, Step, midnight
from inventory.models import ShareInterval
from inventory.queries import options
from inventory.queries.slices import TeamBrief
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.plan import NoLongerKept
from inventory.queries.usage.reach import Reach
from inventory.queries.usage.rows import Period, UsageGroup
from inventory.viewer import Viewer

_DAYS = 30
# By which the table can be sorted.
_NUMBERS = ("card_equivalents", "cards", "devices")
_MOST_STEPS = 400
# Of a period up to so long, steps of this length are drawn, unless others are asked for.
_LENGTHS = (
    (timedelta(days=3), Step.HOUR),
    (timedelta(days=100), Step.DAY),
    (timedelta(days=400), Step.WEEK),
)
_Word = TypeVar("_Word", bound=StrEnum)


class Nothing(StrEnum):
    """Why there is nothing to tell of a period."""

    NEVER = "never"
    BEFORE = "before"
    FUTURE = "future"
    DETAIL = "detail"


class Question(NamedTuple):
    """`period` is what was asked for, whatever of it is over."""

    period: Period
    zone: Zone
    group: UsageGroup
    step: Step
    ordering: str


class Month(NamedTuple):
    year: int
    month: int

    @property
    def name(self) -> str:
        return periods.month_name(self.year, self.month)

    def link(self, query: QueryDict) -> "Link":
        """To its report, with the same conditions and by the same clocks."""
        kept = query.copy()
        for gone in ("from", "to", "step", "group_by", "ordering", "page"):
            kept.pop(gone, None)
        path = reverse("usage_month", args=(self,))
        return Link(self.name, f"{path}?{kept.urlencode()}" if kept else path)

    def later(self, months: int) -> "Month | None":
        """None outside of all calendars."""
        years, month = divmod(self.year * 12 + self.month - 1 + months, 12)
        return Month(years, month + 1) if 1 <= years <= 9998 else None


class MonthConverter:
    """`2026-11` in a path."""

    regex = "[0-9]{4}-[0-9]{2}"

    def to_python(self, text: str) -> Month:
        """Raises ValueError for what is no month."""
        found = date.fromisoformat(f"{text}-01")
        return Month(found.year, found.month)

    def to_url(self, month: Month) -> str:
        return f"{month.year:04d}-{month.month:02d}"


class Link(NamedTuple):
    name: str
    href: str
    chosen: bool = False


def question_of(query: QueryDict, now: datetime) -> Question:
    """Raises Refused."""
    try:
        zone = periods.zone(query.get("tz"))
        period = _period(query, zone, now)
    except PeriodError as error:
        raise Refused(error.faults) from error
    step = _chosen(query, "step", Step, _length(period))
    if (period.end - period.start) // SHORTEST[step] > _MOST_STEPS:
        fault = _("makes more than %(most)d steps: choose longer ones, or a shorter period")
        raise Refused([("step", fault % {"most": _MOST_STEPS})])
    group = _chosen(query, "group_by", UsageGroup, UsageGroup.TEAM)
    return Question(period, zone, group, step, _ordering(query))


def filters_of(query: QueryDict, viewer: Viewer) -> UsageFilter:
    """Raises Refused."""
    found = UsageFilter(query, queryset=ShareInterval.objects.order_by(), viewer=viewer)
    checked(found)
    return found


def nothing(period: Period, known: Reach, now: datetime) -> Nothing | None:
    if period.start >= known.so_far(now):
        return Nothing.NEVER if known.first is None else Nothing.FUTURE
    if known.first is None:
        return Nothing.NEVER
    return Nothing.BEFORE if period.end <= known.first else None


def kept(read: Callable[[], dict[str, Any]], gone: str, zone: Zone) -> dict[str, Any]:
    """What was read; or, where it is not kept in this detail, under the name `gone` since when it is."""
    try:
        return read()
    except NoLongerKept as error:
        return {gone: periods.local(error.since, zone)}


def so_far(period: Period, known: Reach, now: datetime) -> Period:
    """What of it is over."""
    return Period(period.start, min(period.end, known.so_far(now)))


def form_of(request: HttpRequest, question: Question, known: Mapping[str, TeamBrief]) -> filtering.Form:
    lengths = [(one.value, words.step(one)) for one in Step]
    fields = [
        write(request, "from", _("From"), periods.local(question.period.start, question.zone)),
        write(request, "to", _("To (not included)"), periods.local(question.period.end, question.zone)),
        _group_field(request, question.group),
        choose(request, "step", _("Steps"), lengths)._replace(empty=_("as fits")),
        write(request, "tz", _("Time zone"), periods.UTC_NAME),
        choose(request, "team", _("Team"), options.teams(known.values())),
        choose(request, "product", _("Product"), options.products()),
        choose(request, "cluster", _("Cluster"), cluster_names(request)),
    ]
    return filtering.form(request, fields)


def presets(request: HttpRequest, now: datetime, question: Question) -> list[Link]:
    """The last days, and this month and the last."""
    zone = question.zone
    today = now.astimezone(zone.info).date()
    tomorrow, first = today + timedelta(days=1), today.replace(day=1)
    before = (first - timedelta(days=1)).replace(day=1)
    days = [
        (_("7 days"), tomorrow - timedelta(days=7), tomorrow),
        (_("30 days"), tomorrow - timedelta(days=_DAYS), tomorrow),
        (periods.month_name(first.year, first.month), first, tomorrow),
        (periods.month_name(before.year, before.month), before, first),
    ]
    links = [_preset(request, question, *one) for one in days]
    # On the 30th two of them are the same days.
    chosen = next((place for place, link in enumerate(links) if link.chosen), None)
    return [link._replace(chosen=place == chosen) for place, link in enumerate(links)]


def _preset(request: HttpRequest, question: Question, label: str, start: date, end: date) -> Link:
    query = request.GET.copy()
    for gone in ("page", "step"):
        query.pop(gone, None)
    query["from"], query["to"] = start.isoformat(), end.isoformat()
    period = Period(*(midnight(day, question.zone.info) for day in (start, end)))
    return Link(label, f"?{query.urlencode()}", period == question.period)


def _group_field(request: HttpRequest, chosen: UsageGroup) -> Field:
    choices = [Choice(one.value, words.group(one), one == chosen) for one in UsageGroup]
    return Field("group_by", _("By"), request.GET.get("group_by", ""), choices, always=True)


def _period(query: QueryDict, zone: Zone, now: datetime) -> Period:
    """Up to the end of this day, and for some days, where nothing else is asked for."""
    end = midnight(now.astimezone(zone.info).date() + timedelta(days=1), zone.info)
    if last := query.get("to"):
        end = periods.instant(last, zone, "to")
    first = query.get("from")
    start = periods.instant(first, zone, "from") if first else _days_before(end, zone)
    if start >= end:
        raise PeriodError(("to", _("a period ends later than it starts")))
    return Period(start, end)


def _days_before(end: datetime, zone: Zone) -> datetime:
    return midnight(end.astimezone(zone.info).date() - timedelta(days=_DAYS), zone.info)


def _length(period: Period) -> Step:
    return next((step for longest, step in _LENGTHS if period.end - period.start <= longest), Step.MONTH)


def _ordering(query: QueryDict) -> str:
    ordering = query.get("ordering") or ""
    if ordering and ordering.removeprefix("-") not in _NUMBERS:
        fault = _("“%(value)s” is not one of %(known)s")
        known = ", ".join(_NUMBERS)
        raise Refused([("ordering", fault % {"value": ordering, "known": known})])
    return ordering


def _chosen(query: QueryDict, name: str, known: type[_Word], otherwise: _Word) -> _Word:
    value = query.get(name)
    if value is None:
        return otherwise
    if value not in list(known):
        fault = _("“%(value)s” is not one of %(known)s")
        raise Refused([(name, fault % {"value": value, "known": ", ".join(known)})])
    return known(value)
