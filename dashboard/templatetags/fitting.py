"""Where a claim would go, or what stops it, in templates: the words with names as links and amounts exact."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard.templatetags import figures, marks
from dashboard.words import fit, misses
from dashboard.words.helps import Help, Release, helps
from inventory.dra.units import Unit
from inventory.kube.quantity import Quantity
from inventory.queries.fit.answers import (
    DoubtRow,
    ExcludedRow,
    FitRow,
    GroupRow,
    ObstacleRow,
    PlacementRow,
    UnmetRequestRow,
    WaitingPodRow,
    WaitRow,
)

register = template.Library()


class Marked:
    """Words of a page about one cluster. Whatever comes from there is escaped."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster

    def put(self, message: str, **parts: str) -> SafeString:
        return format_html(message % {name: f"{{{name}}}" for name in parts}, **parts)

    def join(self, separator: str, parts: Iterable[str]) -> SafeString:
        return format_html_join(separator, "{}", ((part,) for part in parts))

    def code(self, text: str) -> SafeString:
        return format_html('<code class="wrap">{}</code>', text)

    def said(self, text: str) -> SafeString:
        return format_html('<span lang="en">{}</span>', text)

    def amount(self, quantity: Quantity, unit: Unit) -> SafeString:
        return figures.amount(quantity, unit)

    def node(self, name: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("node_by_name", args=(self._cluster, name)), name)

    def device(self, driver: str, pool: str, name: str) -> SafeString:
        asked = urlencode({"cluster": self._cluster, "driver": driver, "pool": pool, "device": name})
        return format_html('<a href="{}?{}">{}</a>', reverse("device_by_name"), asked, name)


_NO_LINKS = Marked("")


@register.simple_tag
def fit_verdict(row: FitRow) -> SafeString:
    found = fit.verdict(row)
    return marks.badge(found.word, found.icon, found.tone)


@register.filter
def fit_tone(row: FitRow) -> str:
    return fit.verdict(row).tone


@register.filter
def fit_icon(row: FitRow) -> str:
    return fit.verdict(row).icon


@register.filter
def fit_headline(row: FitRow) -> str:
    return fit.headline(row, _NO_LINKS)


@register.filter
def fit_nearest(row: FitRow) -> str:
    return misses.nearest(row, _NO_LINKS)


register.filter("fit_beside", fit.beside_devices)
register.filter("fit_heading", fit.fits_heading)
register.filter("fit_elsewhere_heading", fit.elsewhere_heading)
register.filter("fit_devices", misses.devices)


@register.filter
def fit_placed_for(row: FitRow) -> str:
    return fit.placed_for(row, _NO_LINKS)


@register.filter
def fit_other_pod(row: WaitingPodRow) -> str:
    return fit.other_pod(row, _NO_LINKS)


@register.filter
def fit_placed_together(row: FitRow) -> str:
    return fit.placed_together(row, _NO_LINKS)


@register.filter
def fit_wait(row: WaitRow) -> str:
    return fit.wait(row, _NO_LINKS)


@register.filter
def fit_doubt(row: DoubtRow) -> str:
    return fit.doubt(row, _NO_LINKS)


@register.filter
def fit_request(row: UnmetRequestRow) -> str:
    return misses.request_title(row, _NO_LINKS)


@register.filter
def fit_request_text(row: UnmetRequestRow) -> str:
    """For labels, which have no markup."""
    return misses.request_title(row)


@register.simple_tag
def fit_check(row: GroupRow) -> SafeString:
    found = misses.CHECK[row.check]
    return marks.badge(found.word, found.icon, found.tone)


@register.filter
def fit_why(row: GroupRow) -> str:
    return misses.why(row, _NO_LINKS)


@register.filter
def fit_obstacle(row: ObstacleRow) -> str:
    return fit.obstacle(row, _NO_LINKS)


@register.filter
def fit_excluded(row: ExcludedRow) -> str:
    return fit.excluded(row, _NO_LINKS)


@register.simple_tag
def fit_placement(row: PlacementRow, cluster: str) -> str:
    return fit.placement(row, Marked(cluster))


@register.simple_tag
def fit_node(name: str, cluster: str) -> SafeString:
    return Marked(cluster).node(name)


@register.simple_tag
def fit_example(example: str, cluster: str) -> SafeString:
    """A device as a link, with its pool."""
    found = misses.device_id(example)
    return format_html('{} <span class="dim">{}</span>', Marked(cluster).device(*found), found.pool)


@register.simple_tag
def fit_near(group: GroupRow | None, left: Quantity | None, obstacle: ObstacleRow | None) -> SafeString:
    """What keeps one device from being taken, as a badge with a line below."""
    if group is not None:
        badge, told = fit_check(group), misses.short(group, left, _NO_LINKS)
    else:
        badge = marks.badge(_("fits, wrong node"), "warn", "warn")
        told = fit.obstacle(obstacle, _NO_LINKS) if obstacle is not None else ""
    return format_html('{}<div class="small wrap">{}</div>', badge, told)


@register.simple_tag
def fit_helps(row: FitRow, releases: Sequence[Release], cluster: str) -> list[Help]:
    return helps(row, releases, Marked(cluster))
