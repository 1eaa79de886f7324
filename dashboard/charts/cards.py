"""Up to 128 cards as bars: one figure, cards under their node, a bar for memory and one for cores."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts.device import drawn, free
from dashboard.charts.figure import Figure, layout, note
from dashboard.charts.segments import is_barred, track_bar
from dashboard.charts.stack import Row, traces
from dashboard.charts.text import bold, lines, link, plain
from dashboard.words import amounts, kinds, states
from inventory.dra.units import short_name
from inventory.models.devices import DeviceState
from inventory.queries.held_cards import HeldCard
from inventory.queries.slices import Track

LARGEST = 128
_PLACE = 36
_NAME = 18
_BAR = 14
_BETWEEN = 2
_GAP = 8


class _Drawing(NamedTuple):
    rows: list[Row]
    notes: list[dict[str, Any]]


def cards_figure(cards: Sequence[HeldCard]) -> Figure:
    drawing = _Drawing([], [])
    y = 0.0
    for _place, members in groupby(cards, key=lambda card: (card.cluster, card.place)):
        y = _draw_place(drawing, list(members), y)
    return {
        "data": traces(drawing.rows),
        "layout": layout(
            height=int(y) + 2,
            margin={"l": 1, "r": 1, "t": 0, "b": 2, "pad": 0},
            annotations=drawing.notes,
            xaxis={"range": [0, 100], "visible": False},
            yaxis={"range": [int(y), 0], "visible": False},
        ),
        "narrow": {},
    }


def main_tracks(card: HeldCard) -> list[Track]:
    """Memory and cores; of a card with neither, its first dimension."""
    named = [track for track in card.tracks if short_name(track.name) in ("memory", "cores")]
    return named or list(card.tracks[:1])


def left(card: HeldCard) -> str:
    """`68 GiB, 10 % left`."""
    known = [track for track in main_tracks(card) if track.remaining is not None]
    if not known:
        return amounts.not_known()
    parts = ", ".join(
        amounts.amount(track.remaining, track.unit) for track in known if track.remaining is not None
    )
    if card.state == DeviceState.UNAVAILABLE:
        return _("%(amount)s left, unavailable") % {"amount": parts}
    return _("%(amount)s left") % {"amount": parts}


def _draw_place(drawing: _Drawing, cards: Sequence[HeldCard], y: float) -> float:
    drawing.notes.append(note(_heading(cards), 0, y + _PLACE - 6, font={"size": 13, "color": "var(--ink)"}))
    y += _PLACE
    for card in cards:
        y = _draw_card(drawing, card, y)
    return y


def _heading(cards: Sequence[HeldCard]) -> str:
    first = cards[0]
    place = link(reverse("node", args=[first.node_id]), first.place) if first.node_id else plain(first.place)
    counted = ngettext("%(n)d card", "%(n)d cards", len(cards)) % {"n": len(cards)}
    products = ", ".join(sorted({kinds.product(card.product) for card in cards}))
    return f"<b>{place}</b>  {plain(f'{counted}, {products}')}"


def _draw_card(drawing: _Drawing, card: HeldCard, y: float) -> float:
    href = reverse("device", args=[card.device])
    drawing.notes.append(note(_name(card, href), 0, y + _NAME))
    drawing.notes.append(note(plain(left(card)), 100, y + _NAME, xanchor="right"))
    y += _NAME
    for track in drawn(main_tracks(card)):
        bar = track_bar(card.key, track, barred=is_barred(card.state, tainted=card.tainted))
        hover = lines(bold(card.key), plain(free(track)))
        drawing.rows.append(Row(y + _BAR / 2, _BAR, bar, hover, href, longest=1))
        y += _BAR + _BETWEEN
    return y + _GAP


def _name(card: HeldCard, href: str) -> str:
    state = states.DEVICE[card.state]
    marks = [f"{state.mark} {state.word}"]
    if card.tainted:
        marks.append(f"{states.TAINTED.mark} {states.TAINTED.word}")
    return f"{link(href, card.key)}  {plain('  '.join(marks))}"
