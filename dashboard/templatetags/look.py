"""Theme, language, and the small machinery of links and tables."""

from collections.abc import Sized
from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.pages.seen import Missing
from dashboard.pages.theme import COOKIE

register = template.Library()

_HTML_LANGUAGES = {"zh-hans": "zh-Hans"}
_NEXT = {"system": "light", "light": "dark", "dark": "system"}


@register.simple_tag
def html_lang(code: str) -> str:
    return _HTML_LANGUAGES.get(code, code)


@register.simple_tag(takes_context=True)
def theme_attribute(context: Context) -> SafeString:
    """A page of the system's own theme has none."""
    theme = _theme(context)
    return format_html(' data-theme="{}"', theme) if theme in ("light", "dark") else SafeString()


@register.simple_tag(takes_context=True)
def theme(context: Context) -> str:
    return _theme(context)


@register.simple_tag(takes_context=True)
def next_theme(context: Context) -> str:
    return _NEXT.get(_theme(context), "light")


@register.filter
def among(missing: Missing, kinds: str | None) -> Missing:
    """Of these kinds, or of all that the page rests on."""
    return missing.among(kinds.split()) if kinds else missing


@register.simple_tag
def poll_seconds() -> int:
    """How long it takes at most until a new cluster is read."""
    seconds: int = settings.SLICEBOARD_POLL_SECONDS
    return seconds


@register.simple_tag(takes_context=True)
def column(context: Context, name: str, label: str, kind: str = "") -> SafeString:
    """The head of a sortable column: a link that sorts by it, and the other way round if it already does."""
    request = context["request"]
    now = request.GET.get("ordering", "")
    query = request.GET.copy()
    query["ordering"] = f"-{name}" if now == name else name
    query.pop("page", None)
    sorted_by = {name: ("ascending", "↑"), f"-{name}": ("descending", "↓")}.get(now)
    state = format_html(' aria-sort="{}"', sorted_by[0]) if sorted_by else SafeString()
    arrow = f" {sorted_by[1]}" if sorted_by else ""
    return format_html(
        '<th scope="col" class="{}"{}><a href="?{}">{}{}</a></th>',
        kind,
        state,
        query.urlencode(),
        label,
        arrow,
    )


@register.filter
def of(known: dict[str, Any], key: str | None) -> Any:
    """The entry of a mapping, None where there is none."""
    return known.get(key or "")


@register.filter
def beyond(listed: Sized, shown: int) -> int:
    """How many of a list come after those that are shown."""
    return max(0, len(listed) - shown)


def _theme(context: Context) -> str:
    request = context.get("request")
    theme: str = request.COOKIES.get(COOKIE, "system") if request else "system"
    return theme
