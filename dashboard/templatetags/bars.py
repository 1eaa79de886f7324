"""Bars and squares as SVG: sizes in attributes, no inline style, no script."""

from collections.abc import Iterable
from decimal import Decimal

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dashboard.charts.segments import Bar, Ghost, Segment
from dashboard.charts.squares import Square

register = template.Library()

# Targets of a pointer lie 24 pixels apart at least.
_STEP, _SIDE, _IN_A_ROW = 24, 20, 8
# A bar of this height has labels, in segments of at least so many per cent.
_LABELLED, _ROOM, _ROOM_ON_A_PHONE = 16, 8, 24


@register.simple_tag
def bar(picture: Bar, height: int = 12) -> SafeString:
    """A stacked bar. What is free is the track; the label says in words what the bar shows."""
    return format_html(
        '<svg class="bar h{h}" height="{h}" role="img" aria-label="{label}">'
        "{segments}{patterns}{ghost}{limit}</svg>",
        h=height,
        label=picture.label,
        segments=format_html_join("", "{}", ((_segment(one, height),) for one in picture.segments)),
        patterns=format_html_join(
            "",
            '<svg x="{}%" width="{}%" height="{}"><rect width="100%" height="100%" fill="url(#{})"/></svg>',
            ((_placed(start), _placed(width), height, name) for name, start, width in picture.patterns),
        ),
        ghost=_ghost(picture.ghost, height) if picture.ghost else "",
        limit=_line(picture.limit, height) if picture.limit is not None else "",
    )


@register.simple_tag
def squares(cards: Iterable[Square], label: str) -> SafeString:
    """Cards in rows of eight, one square each; colour is the use of the scarcer dimension."""
    drawn = [
        _square(card, _STEP * (place % _IN_A_ROW), _STEP * (place // _IN_A_ROW))
        for place, card in enumerate(cards)
    ]
    return format_html(
        '<svg class="cells" width="{}" height="{}" role="group" aria-label="{}">{}</svg>',
        _STEP * min(len(drawn), _IN_A_ROW),
        _STEP * -(-len(drawn) // _IN_A_ROW),
        label,
        format_html_join("", "{}", ((one,) for one in drawn)),
    )


def _segment(segment: Segment, height: int) -> SafeString:
    return format_html(
        '<svg class="t{}" x="{}%" width="{}%" height="{}"><title>{}</title>'
        '<rect width="100%" height="100%"/>{}</svg>',
        segment.colour,
        _placed(segment.start),
        _placed(segment.width),
        height,
        segment.title,
        _words(segment) if height >= _LABELLED else "",
    )


def _words(segment: Segment) -> SafeString:
    """Whose it is, where there is room for some letters; on a small screen only in wide segments."""
    if len(segment.forms) < 2 or segment.width < _ROOM:
        return SafeString()
    return format_html(
        '<foreignObject width="100%" height="100%"><div class="lbl{}">{}</div></foreignObject>',
        "" if segment.width >= _ROOM_ON_A_PHONE else " m-hide",
        segment.forms[1],
    )


def _ghost(ghost: Ghost, height: int) -> SafeString:
    return format_html(
        '<svg x="{}%" width="{}%" height="{}">'
        '<rect class="ghost{}" x="1" y="1" width="98%" height="{}"/></svg>',
        _placed(ghost.start),
        _placed(ghost.width),
        height,
        "" if ghost.enough else " no",
        height - 2,
    )


def _line(place: Decimal, height: int) -> SafeString:
    return format_html('<line class="limit" x1="{0}%" x2="{0}%" y1="0" y2="{1}"/>', _placed(place), height)


def _placed(per_cent: Decimal) -> str:
    return f"{per_cent:.2f}"


def _square(card: Square, x: int, y: int) -> SafeString:
    return format_html(
        '<a href="{href}" aria-label="{title}"><title>{title}</title>'
        '<rect class="{use}" x="{x}" y="{y}" width="{side}" height="{side}" rx="2"/>{mark}</a>',
        href=card.href,
        title=card.title,
        use=_use_class(card.use),
        x=x,
        y=y + (_STEP - _SIDE) // 2,
        side=_SIDE,
        mark=_mark(card, x + _SIDE // 2, y + _STEP // 2),
    )


def _use_class(use: int | None) -> str:
    """Exactly free has a grey of its own; the ten steps of the scale are for what is in use."""
    if use is None:
        return "unknown"
    return f"use{min(9, use // 10)}" if use else "free"


def _mark(card: Square, x: int, y: int) -> SafeString:
    """A dash or a cross around this point."""
    if card.use is None:
        return format_html('<path class="dash" d="M{} {}h8"/>', x - 4, y)
    if card.tainted:
        return format_html('<path class="cross" d="M{} {}l8 8m0-8l-8 8"/>', x - 4, y - 4)
    return SafeString()
