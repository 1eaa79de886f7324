"""Who held a device when: bars along the time, one trace for each team, never a shape."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from dashboard.charts import times
from dashboard.charts.figure import Figure, layout, note
from dashboard.charts.segments import colour
from dashboard.charts.text import bold, lines, plain
from dashboard.words import spans, states
from inventory.history.instants import Span
from inventory.queries.history.device import Held, Timeline
from inventory.queries.usage.rows import Period

MOST_ROWS = 24
_BAR, _GAP, _HEAD, _AXIS = 20, 4, 18, 24
_OTHER_LAST = 9


class Placed(NamedTuple):
    """A bar in its row, counted from above."""

    held: Held
    row: int


def rows_of(found: Timeline) -> list[list[Held]]:
    """Side by side what was held at once; what holds nothing comes last. Merged, each team has a row."""
    if found.merged:
        return _by_team(found)
    by_kind = [[one for one in found.held if one.admin_access is kind] for kind in (False, True)]
    return [row for held in by_kind for row in _packed(held, found.period)]


def timeline_figure(found: Timeline) -> Figure:
    rows = rows_of(found)[:MOST_ROWS]
    head = _HEAD if found.merged else 0
    step = head + _BAR + _GAP
    height = max(1, len(rows)) * step + _GAP
    middles = [_GAP + place * step + head + _BAR / 2 for place in range(len(rows))]
    placed = [(one, middle) for row, middle in zip(rows, middles, strict=True) for one in row]
    heads = (
        [note(_head(row), 0, middle - _BAR / 2 - 1) for row, middle in zip(rows, middles, strict=True)]
        if found.merged
        else []
    )
    return {
        "data": [*_background(found, height), *_bars(placed, found.period, named=not found.merged)],
        "layout": layout(
            height=height + _AXIS,
            margin={"l": 1, "r": 1, "t": 0, "b": _AXIS, "pad": 0},
            annotations=heads,
            xaxis=times.axis(found.period),
            yaxis={"range": [height, 0], "visible": False},
        ),
        "narrow": {"xaxis": times.fewer(found.period)},
    }


def hidden_rows(found: Timeline) -> int:
    return max(0, len(rows_of(found)) - MOST_ROWS)


def _by_team(found: Timeline) -> list[list[Held]]:
    """In the order of the totals: whoever held it longest comes first."""
    by_whose: defaultdict[Any, list[Held]] = defaultdict(list)
    for one in found.held:
        by_whose[one.team, one.admin_access].append(one)
    return [by_whose[one.team, one.admin_access] for one in found.totals]


def _packed(held: Sequence[Held], period: Period) -> list[list[Held]]:
    """Each in the first row that is free again."""
    rows: list[list[Held]] = []
    ends: list[int] = []
    for one in held:
        start = times.seconds(one.span.start, period)
        row = next((place for place, end in enumerate(ends) if end <= start), len(rows))
        if row == len(rows):
            rows.append([])
            ends.append(0)
        rows[row].append(one)
        ends[row] = start + times.width(one.span, period)
    return rows


def _background(found: Timeline, height: float) -> list[dict[str, Any]]:
    return [
        _behind(found.read.unread, found.period, height, _("not read"), "var(--hatch)", "/"),
        _behind(found.absent, found.period, height, _("not published"), "var(--free)", ""),
    ]


def _behind(
    times_of: Iterable[Span], period: Period, height: float, word: str, tone: str, shape: str
) -> dict[str, Any]:
    found = list(times_of)
    return times.spans_trace(
        found,
        period,
        height,
        hovertext=[lines(bold(word), plain(spans.between(span))) for span in found],
        marker={
            "color": "var(--sunken)" if shape else tone,
            "line": {"width": 0},
            "pattern": {"shape": shape, "fgcolor": tone, "size": 6, "solidity": 0.25},
        },
    )


def _bars(placed: Sequence[tuple[Held, float]], period: Period, *, named: bool) -> list[dict[str, Any]]:
    by_kind: defaultdict[tuple[int, bool], list[tuple[Held, float]]] = defaultdict(list)
    for one, middle in placed:
        by_kind[colour(one.team), one.admin_access].append((one, middle))
    kinds = sorted(by_kind, key=lambda kind: (kind[1], kind[0] or _OTHER_LAST))
    return [_trace(kind, by_kind[kind], period, named=named) for kind in kinds]


def _trace(
    kind: tuple[int, bool], placed: Sequence[tuple[Held, float]], period: Period, *, named: bool
) -> dict[str, Any]:
    """What has admin access holds nothing: it is an outline."""
    number, admin_access = kind
    team = f"var(--team-{number})"
    marker: Mapping[str, Any] = {"color": team, "line": {"width": 1, "color": "var(--surface)"}}
    if admin_access:
        marker = {"color": "var(--surface)", "line": {"width": 1.5, "color": team}}
    trace = {
        "type": "bar",
        "orientation": "h",
        "hoverinfo": "text",
        "y": [middle for _one, middle in placed],
        "width": [_BAR] * len(placed),
        "base": [times.seconds(one.span.start, period) for one, _middle in placed],
        "x": [times.width(one.span, period) for one, _middle in placed],
        "hovertext": [_hover(one) for one, _middle in placed],
        "marker": marker,
    }
    if not named:
        return trace
    return {
        **trace,
        "text": [""] * len(placed),
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"size": 11, "color": "var(--ink)" if admin_access else f"var(--team-{number}-ink)"},
        "meta": {"forms": [_forms(one) for one, _middle in placed]},
    }


def _head(row: Sequence[Held]) -> str:
    team = bold(states.team_name(row[0].team))
    return f"{team} {plain(_('with admin access'))}" if row[0].admin_access else team


def _forms(one: Held) -> list[str]:
    team = states.team_name(one.team)
    if one.share is None:
        return [f"{team} · {spans.shares(one.shares)}", team]
    holder = spans.holder(one.share)
    return [f"{holder} · {team}", holder]


def _hover(one: Held) -> str:
    team = plain(states.team_name(one.team))
    who = f"{bold(spans.holder(one.share))} · {team}" if one.share else f"<b>{team}</b>"
    several = "" if one.share else plain(spans.shares(one.shares))
    claim = _("claim %(name)s") % {"name": f"{one.share.namespace}/{one.share.claim}"} if one.share else ""
    access = _("with admin access, which holds nothing") if one.admin_access else ""
    when, lasting = plain(spans.of_held(one)), plain(spans.lasting(one))
    return lines(who, when, several, lasting, plain(claim), plain(access))


def label(found: Timeline) -> str:
    """For those who do not see it."""
    teams = [one for one in found.totals if not one.admin_access]
    told = _("Timeline of %(shares)s on this device, %(between)s; %(teams)s.")
    names = ", ".join(f"{states.team_name(one.team)} {spans.lasting(one)}" for one in teams[:8])
    return told % {
        "shares": spans.shares(found.shares),
        "between": spans.of_period(found.period),
        "teams": names or _("nobody held anything of it"),
    }
