"""Quantities, ratios and times in templates, with the exact value in the title."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html, json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard.templatetags.marks import icon
from dashboard.words import ages, amounts, faults, reasons
from inventory.dra import units
from inventory.dra.units import Unit
from inventory.kube.quantity import Notation, Quantity, QuantityError, parse
from inventory.queries.dimensions import Dimension

register = template.Library()


@register.simple_tag
def amount(quantity: Quantity | None, unit: Unit | str, reason: str | None = "") -> SafeString:
    if quantity is None:
        return unknown(reason)
    unit = Unit(unit)
    shown, exact = amounts.amount(quantity, unit), amounts.exact(quantity, unit)
    return (
        format_html('<span title="{}">{}</span>', exact, shown)
        if shown != exact
        else format_html("{}", shown)
    )


@register.simple_tag
def exactly(quantity: Quantity | None, unit: Unit | str, *, inline: bool = False) -> SafeString:
    """The exact value of one that is rounded, below or behind it: a title is for pointers only."""
    if quantity is None or not amounts.is_rounded(quantity, Unit(unit)):
        return SafeString()
    place = ' <span class="small dim">({})</span>' if inline else '<div class="small dim">{}</div>'
    return format_html(place, amounts.written(quantity, Unit(unit)))


@register.simple_tag
def amount_of(part: Quantity, whole: Quantity, unit: Unit) -> SafeString:
    exact = f"{amounts.exact(part, unit)} / {amounts.exact(whole, unit)}"
    return format_html('<span title="{}">{}</span>', exact, amounts.amount_of(part, whole, unit))


@register.simple_tag
def unknown(reason: str | None = "") -> SafeString:
    """Not known is never a dash and never zero."""
    title = format_html(' title="{}"', reasons.said(reason)) if reason else ""
    return format_html('<span class="none part"{}>{}{}</span>', title, icon("part"), _("not known"))


@register.simple_tag
def per_cent(ratio: Decimal | Fraction | None, reason: str | None = "") -> SafeString:
    return unknown(reason) if ratio is None else format_html("{}", amounts.share_of(Fraction(ratio)))


@register.filter
def dimension(name: str) -> str:
    return amounts.dimension_label(name)


@register.filter
def dimension_title(name: str) -> str:
    return amounts.dimension_title(name)


@register.filter
def in_reading_order(by_dimension: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(by_dimension.items(), key=lambda item: units.reading_order(item[0]))


@register.filter
def main_dimensions(capacity: Mapping[str, Dimension]) -> list[tuple[str, Dimension]]:
    """Memory and cores; of a device that has neither, its first."""
    ordered = in_reading_order(capacity)
    return [item for item in ordered if units.short_name(item[0]) in ("memory", "cores")] or ordered[:1]


@register.filter
def count(value: int) -> str:
    return f"{value:,}"


@register.simple_tag
def since(moment: datetime | None) -> SafeString:
    """The age of something, with the instant in the title; the script lets it grow."""
    return _time(moment, ages.age, grows="age")


@register.simple_tag
def ago(moment: datetime | None) -> SafeString:
    return _time(moment, ages.ago, grows="ago")


@register.simple_tag
def at(moment: datetime | None) -> SafeString:
    return _time(moment, ages.clock)


def _time(
    moment: datetime | None, words: Callable[[datetime, datetime], str], *, grows: str = ""
) -> SafeString:
    if moment is None:
        return unknown()
    return format_html(
        '<time datetime="{}" title="{}"{}>{}</time>',
        moment.isoformat(),
        ages.instant(moment),
        format_html(' data-grows="{}"', grows) if grows else "",
        words(moment, timezone.now()),
    )


@register.simple_tag
def clock(now: datetime) -> SafeString:
    """For the script: the time at which the page was made, and the words of ages."""
    return json_script({"now": now.isoformat(), "words": ages.words()}, "clock")


@register.filter
def one_line(message: str) -> str:
    """A message of another program, cut."""
    return faults.short(message)


@register.filter
def instant(moment: datetime) -> str:
    return ages.instant(moment)


@register.filter
def ago_text(moment: datetime) -> str:
    return ages.ago(moment, timezone.now())


@register.filter
def seconds(number: int | Decimal | None) -> str:
    """A duration in words."""
    return amounts.not_known() if number is None else ages.duration(timedelta(seconds=float(number)))


@register.simple_tag
def unit_of(driver: str, name: str, model: Quantity | None) -> Unit:
    """The unit in which a dimension of a driver is read; `model` is any amount of it."""
    return units.unit_of(driver, name, model.notation if model else Notation.DECIMAL)


@register.simple_tag
def quantity(text: str, driver: str, name: str) -> str:
    """An amount as an object of the cluster has it; as it stands there where it cannot be read."""
    try:
        found = parse(text)
    except QuantityError:
        return text
    return amounts.amount(found, units.unit_of(driver, name, found.notation))
