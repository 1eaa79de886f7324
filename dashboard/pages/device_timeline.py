"""The part of a device's page that looks back: who held it when, and what its driver said of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts import timeline as charts
from dashboard.charts.segments import colour
from dashboard.pages import spans
from dashboard.pages.pods import HeldAmount, held_amounts
from dashboard.pages.spans import Looked
from dashboard.words import published
from dashboard.words import spans as words
from inventory.models import Device
from inventory.queries.history import device as queries
from inventory.queries.history.device import Held, Timeline
from inventory.queries.slices import TeamBrief
from inventory.viewer import Viewer

_CHANGES_SHOWN = 12
_OTHER_LAST = 9


class Line(NamedTuple):
    held: Held
    amounts: list[HeldAmount]


class TimelinePart(NamedTuple):
    """`figure` is None where there is nothing to draw; `hidden` rows stand in the tables only."""

    looked: Looked
    found: Timeline
    say: str
    label: str
    figure: dict[str, Any] | None
    hidden: int
    legend: Sequence[TeamBrief | None]
    lines: Sequence[Line]
    changes: Sequence[published.Told]
    most: int = queries.MOST_SHARES


def part(
    request: HttpRequest, device: Device, known: Mapping[str, TeamBrief], now: datetime, viewer: Viewer
) -> TimelinePart:
    """With the teams that the viewer may know. Raises Refused."""
    looked = spans.looked_back(request, now, otherwise="week", anchor="#timeline")
    found = queries.timeline(device, looked.period, viewer=viewer, known=known)
    return TimelinePart(
        looked=looked,
        found=found,
        say=_say(found, looked),
        label=charts.label(found),
        figure=charts.timeline_figure(found) if found.held or found.absent else None,
        hidden=charts.hidden_rows(found),
        legend=_legend(found),
        lines=[] if found.merged else _lines(device, found),
        changes=published.told(device.pool.driver, found.changes, most=_CHANGES_SHOWN),
    )


def _lines(device: Device, found: Timeline) -> list[Line]:
    """The latest first."""
    latest = sorted(found.held, key=lambda one: one.span.start, reverse=True)
    return [
        Line(one, held_amounts(device.pool.driver, one.share.amounts, every=True) if one.share else [])
        for one in latest
    ]


def _legend(found: Timeline) -> list[TeamBrief | None]:
    """Teams by their colours; those without one of their own are told in the table."""

    def place(team: TeamBrief | None) -> tuple[int, bool]:
        return colour(team) or _OTHER_LAST, team is None

    return sorted({one.team for one in found.totals}, key=place)[:_OTHER_LAST]


def _say(found: Timeline, looked: Looked) -> str:
    holding = [one for one in found.totals if not one.admin_access]
    if not found.anything_read:
        return words.of_period(looked.period)
    if not holding:
        return _("nobody held anything of it, as far as it was read")
    number, several = sum(one.shares for one in holding), len({one.team for one in holding})
    who = ngettext("%(n)d team", "%(n)d teams", several) % {"n": several}
    return _("%(shares)s, %(teams)s") % {"shares": words.shares(number), "teams": who}
