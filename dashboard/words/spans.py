"""Times from one instant to another, in words; all in UTC."""

from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.words import ages
from inventory.history.instants import MICROSECOND, Span, moment
from inventory.queries.history.device import Held, OneShare
from inventory.queries.usage.rows import Period


def minute(at: datetime) -> str:
    """`2026-11-29 15:04`."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def of_period(period: Period) -> str:
    return _("%(first)s to %(last)s") % {"first": minute(period.start), "last": minute(period.end)}


def between(span: Span) -> str:
    words = {"first": minute(moment(span.start)), "last": minute(moment(span.end))}
    return _("%(first)s to %(last)s") % words


def of_held(one: Held) -> str:
    """Its true ends, also where they lie outside of what is looked at."""
    start = one.share.since if one.share else moment(one.span.start)
    if one.going_on:
        return _("since %(first)s, still held") % {"first": minute(start)}
    end = one.share.until if one.share and one.share.until else moment(one.span.end)
    return _("%(first)s to %(last)s") % {"first": minute(start), "last": minute(end)}


def lasting(one: Held) -> str:
    """How long of the period it was held, as far as that was read."""
    return duration(one.time)


def duration(microseconds: int) -> str:
    """`2 days 3 h`, `50 min 4 s`."""
    lasts = microseconds * MICROSECOND
    days, rest = divmod(lasts, timedelta(days=1))
    if not days:
        return ages.duration(lasts)
    whole = ages.duration(timedelta(days=days))
    hours = rest // timedelta(hours=1)
    return f"{whole} {ages.duration(timedelta(hours=hours))}" if hours else whole


def holder(one: OneShare) -> str:
    """The first Pod and how many more use the same claim; the claim where no Pod was seen to use it."""
    if not one.pods:
        return one.claim
    more = len(one.pods) - 1 + one.more_pods
    return one.pods[0] + (f" + {more}" if more else "")


def shares(number: int) -> str:
    return ngettext("%(n)s share", "%(n)s shares", number) % {"n": f"{number:,}"}
