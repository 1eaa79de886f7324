"""Times of the past in templates."""

from datetime import UTC, datetime, timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard.words import ages, spans
from inventory.history.instants import MICROSECOND, Span, moment
from inventory.history.steps import Step
from inventory.models import InstantSource
from inventory.queries.history.claim import EventRow
from inventory.queries.history.device import Held
from inventory.queries.history.waiting import WaitingStep
from inventory.queries.usage.rows import Period

register = template.Library()


@register.filter
def minute(at: datetime) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', at.isoformat(), ages.instant(at), spans.minute(at)
    )


@register.simple_tag
def between(period: Period) -> str:
    return spans.of_period(period)


@register.simple_tag
def span(one: Span) -> str:
    return spans.between(one)


@register.simple_tag
def held_for(microseconds: int) -> SafeString:
    return format_html('<span title="{} s">{}</span>', _exact(microseconds), spans.duration(microseconds))


@register.simple_tag
def waited_for(microseconds: int | None) -> SafeString:
    return SafeString() if microseconds is None else held_for(microseconds)


@register.simple_tag
def lasted(time: timedelta) -> SafeString:
    return held_for(time // MICROSECOND)


@register.simple_tag
def since_when(one: Held) -> SafeString:
    """Of one share its own; what was only seen says between which instants it was."""
    share = one.share
    if share is None:
        return minute(moment(one.span.start))
    if share.since_source is not InstantSource.OBSERVED:
        return minute(share.since)
    return format_html(
        '{}<div class="small dim">{}</div>', minute(share.since), _seen(share.since_not_before)
    )


@register.simple_tag
def until_when(one: Held) -> SafeString:
    """When it was seen to be over, and when it was seen last where that was not just before."""
    if one.going_on:
        return format_html("{}", _("still held"))
    share = one.share
    if share is None or share.until is None:
        return minute(moment(one.span.end))
    if share.until_not_before is None or spans.minute(share.until_not_before) == spans.minute(share.until):
        return minute(share.until)
    told = _("last seen held %(instant)s") % {"instant": spans.minute(share.until_not_before)}
    return format_html('{}<div class="small dim">{}</div>', minute(share.until), told)


@register.simple_tag
def step_start(one: Step | WaitingStep) -> SafeString:
    return minute(moment(one.span.start))


@register.simple_tag
def happened(one: EventRow) -> SafeString:
    """When, to the second, and how well that is known."""
    if not one.observed:
        return _instant(one.at)
    if one.not_before is None:
        return format_html("{} {}", _("at the latest"), _instant(one.at))
    return format_html(
        '{}<div class="small dim">{}</div>',
        _instant(one.at),
        _("seen then; not yet %(instant)s") % {"instant": ages.instant(one.not_before)},
    )


def _instant(at: datetime) -> SafeString:
    shown = at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), at.isoformat(), shown)


def _seen(not_before: datetime | None) -> str:
    if not_before is None:
        return _("first seen")
    return _("first seen, not before %(instant)s") % {"instant": spans.minute(not_before)}


def _exact(microseconds: int) -> str:
    seconds, rest = divmod(microseconds, 10**6)
    return f"{seconds:,}" + (f".{rest:06d}".rstrip("0") if rest else "")
