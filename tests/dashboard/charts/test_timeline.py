import json
from datetime import timedelta
from typing import Any

import plotly.graph_objects as go
import pytest

from dashboard.charts.timeline import hidden_rows, rows_of, timeline_figure
from inventory.models import Device
from inventory.queries.history.device import MOST_SHARES, Timeline, timeline
from inventory.queries.usage.rows import Period
from inventory.viewer import EVERYTHING
from tests.factories import READ_AT, make_device, make_team
from tests.looking_back import make_held, make_read, make_there

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
START = READ_AT - DAY


@pytest.fixture
def device(db: None) -> Device:
    device = make_device()
    team = make_team("vision")
    team.colour = 3
    team.save()
    make_read(device.cluster, START + HOUR, READ_AT)
    make_there(device, START + HOUR)
    return device


def looked_at(device: Device) -> Timeline:
    return timeline(device, Period(START, READ_AT), viewer=EVERYTHING)


def of_teams(figure: dict[str, Any]) -> list[str]:
    return [trace["marker"]["color"] for trace in figure["data"][2:]]


def test_shares_at_once_lie_below_each_other_and_later_ones_beside(device: Device) -> None:
    for start, end in ((2, 5), (3, 6), (7, 8)):
        make_held(device, START + start * HOUR, START + end * HOUR)
    first, second = rows_of(looked_at(device))
    assert (len(first), len(second)) == (2, 1)


def test_one_trace_for_each_team_and_none_is_a_shape(device: Device) -> None:
    for number in range(30):
        make_held(device, START + 2 * HOUR, team="vision" if number % 2 else "gone")
    figure = timeline_figure(looked_at(device))
    assert of_teams(figure) == ["var(--team-3)", "var(--team-0)"]
    assert "shapes" not in figure["layout"]
    assert hidden_rows(looked_at(device)) == 6


def test_what_has_admin_access_is_an_outline_below(device: Device) -> None:
    make_held(device, START + 2 * HOUR, admin_access=True)
    make_held(device, START + 3 * HOUR)
    held, watching = timeline_figure(looked_at(device))["data"][2:]
    assert watching["marker"]["color"] == "var(--surface)"
    assert watching["y"] > held["y"]


def test_time_that_was_not_read_is_seen(device: Device) -> None:
    unread = timeline_figure(looked_at(device))["data"][0]
    assert (unread["x"], unread["width"]) == ([1800], [3600])
    assert "not read" in unread["hovertext"][0]


def test_the_number_of_bars_is_bounded(device: Device) -> None:
    for number in range(MOST_SHARES * 2):
        make_held(
            device,
            START + 2 * HOUR + number * timedelta(minutes=4),
            START + 2 * HOUR + number * timedelta(minutes=4) + timedelta(seconds=9),
        )
    figure = timeline_figure(looked_at(device))
    assert len(figure["data"][2]["x"]) <= 400
    assert figure["layout"]["annotations"][0]["text"] == "<b>Vision</b>"


def test_the_figure_is_plain_data_of_tokens_that_plotly_understands(device: Device) -> None:
    make_held(device, START + 2 * HOUR, claim_name="<b>bold</b>")
    figure = timeline_figure(looked_at(device))
    assert json.loads(json.dumps(figure)) == figure
    go.Figure(data=figure["data"], layout=figure["layout"])
    assert "#" not in json.dumps(figure)
    assert "<b>bold</b> " not in json.dumps(figure["data"][2]["hovertext"])
