"""Icons and badges: icon and word; the tone only repeats what they say."""

from collections.abc import Iterable

from django import template
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.words import reasons, states
from dashboard.words.states import Badge
from inventory.models import Team
from inventory.queries.slices import OTHER_COLOUR, OTHERS, TeamBrief

register = template.Library()


@register.simple_tag
def icon(name: str, kind: str = "") -> SafeString:
    return format_html('<svg class="i {}" aria-hidden="true"><use href="#i-{}"/></svg>', kind, name)


@register.simple_tag
def badge(word: str | Promise, icon_name: str, tone: str = "") -> SafeString:
    return _shown(Badge(word, icon_name, tone))


@register.simple_tag
def device_state(state: str, reason: str | None = "") -> SafeString:
    return _shown(states.DEVICE[state], reason)


@register.simple_tag
def tainted_badge() -> SafeString:
    return _shown(states.TAINTED)


@register.simple_tag
def claim_state(state: str) -> SafeString:
    return _shown(states.CLAIM[state])


@register.simple_tag
def claim_event(kind: str) -> SafeString:
    return _shown(states.EVENT[kind])


@register.simple_tag
def pool_state(state: str, reason: str | None = "") -> SafeString:
    return _shown(states.POOL[state], reason)


@register.simple_tag
def pod_state(state: str) -> SafeString:
    return _shown(states.POD[state])


@register.simple_tag
def kind_state(state: str) -> SafeString:
    return _shown(states.KIND[state])


@register.simple_tag
def gate_state(state: str) -> SafeString:
    return _shown(states.GATE[state])


@register.simple_tag
def team(brief: TeamBrief | Team | None, namespace: str = "") -> SafeString:
    """A swatch and the name; the namespace where it belongs to no team. A name may be withheld."""
    if brief is None:
        return format_html(
            '<span class="team"><i class="sw t{}"></i><span class="dim">{}</span></span>',
            OTHER_COLOUR,
            namespace or states.NO_TEAM,
        )
    return format_html(
        '<span class="team"><i class="sw t{}"></i>{}</span>', brief.colour, brief.name or states.ANOTHER_TEAM
    )


@register.simple_tag
def another_team() -> SafeString:
    return team(OTHERS)


@register.filter
def reason(text: str) -> SafeString:
    """Why something is as it is; what stays English in another language says so."""
    read = reasons.translated(text)
    return format_html("{}", read) if read is not None else format_html('<span lang="en">{}</span>', text)


@register.filter
def reasons_in_words(texts: Iterable[str]) -> str:
    return "; ".join(map(reasons.said, texts))


@register.filter
def team_name(brief: TeamBrief | None) -> str:
    return states.team_name(brief)


def _shown(known: Badge, reason: str | None = "") -> SafeString:
    title = format_html(' title="{}"', reasons.said(reason)) if reason else SafeString()
    return format_html(
        '<span class="badge {}"{}>{}{}</span>', known.tone, title, icon(known.icon), known.word
    )
