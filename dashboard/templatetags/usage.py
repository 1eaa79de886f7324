"""Amounts over time in templates, with the exact value in the title."""

from fractions import Fraction

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard.templatetags.figures import unknown
from dashboard.words import hours, periods, usage
from dashboard.words.periods import Zone
from inventory.queries.usage import sums
from inventory.queries.usage.rows import Integral, Period, Reading, UsageRow
from inventory.queries.usage.sums import Whose

register = template.Library()
register.filter("whose", hours.whose)
register.filter("usage_group", usage.group)
register.filter("each_step", usage.each)
register.filter("not_read", usage.not_read)

_NOTHING = Fraction()


@register.simple_tag
def hours_of(seconds: Fraction, not_known: Fraction = _NOTHING) -> SafeString:
    """`not_known` is for how long shares held what is not known, and is not in the number."""
    if not seconds and not_known:
        return unknown(_("for %(hours)s") % {"hours": hours.hours(not_known)})
    return _exact(hours.hours(seconds), hours.exactly(seconds)) + _rest(not_known)


@register.simple_tag
def hours_text(seconds: Fraction, not_known: Fraction = _NOTHING) -> SafeString:
    """The same for a sentence."""
    if not seconds and not_known:
        told = _("an unknown part of %(hours)s") % {"hours": hours.hours(not_known)}
        return format_html("{}", told)
    shown = _exact(hours.hours(seconds), hours.exactly(seconds))
    if not not_known:
        return shown
    told = _("and %(hours)s of unknown size") % {"hours": hours.hours(not_known)}
    return format_html("{} ({})", shown, told)


@register.simple_tag
def amount_hours(one: Integral | None) -> SafeString:
    """Without one there is no such dimension."""
    if one is None:
        return SafeString()
    if not one.total and one.unknown:
        return unknown(_("for %(hours)s") % {"hours": hours.hours(one.unknown)})
    return _exact(hours.amount(one), hours.exact_amount(one)) + _rest(one.unknown)


@register.filter
def held(row: UsageRow, name: str) -> Integral | None:
    """Of memory or cores."""
    return sums.amount(row.use.amounts, name)


@register.filter
def there(row: UsageRow, name: str) -> Integral | None:
    return sums.capacity(row.there, name)


@register.simple_tag
def swatch(one: Whose) -> SafeString:
    return format_html('<i class="sw t{}"></i>', one.colour)


@register.simple_tag
def unread_hours(one: Reading) -> SafeString:
    return hours_of(sums.unread_seconds(one))


@register.simple_tag
def gap_words(gap: Period, zone: Zone) -> str:
    return periods.between(gap, zone)


def _exact(shown: str, exact: str) -> SafeString:
    return (
        format_html('<span title="{}">{}</span>', exact, shown)
        if shown != exact
        else format_html("{}", shown)
    )


def _rest(seconds: Fraction) -> SafeString:
    if not seconds:
        return SafeString()
    told = _("and %(hours)s of unknown size") % {"hours": hours.hours(seconds)}
    return format_html('<div class="small dim">{}</div>', told)
