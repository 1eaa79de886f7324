import json
from datetime import timedelta
from typing import Any

import plotly.graph_objects as go
import pytest

from dashboard.charts.trend import label, trend_figure
from inventory.models import Device, TeamQuota
from inventory.queries.history.trend import TrendRow, trends
from inventory.queries.usage.rows import Period
from inventory.viewer import EVERYTHING
from tests.factories import READ_AT, make_device, make_team
from tests.looking_back import make_held, make_read, make_there

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
START = READ_AT - DAY
PERIOD = Period(START, READ_AT)


@pytest.fixture
def device(db: None) -> Device:
    device = make_device()
    make_read(device.cluster, START, START + 6 * HOUR)
    make_read(device.cluster, START + 12 * HOUR, READ_AT)
    make_there(device, START)
    make_held(device, START + HOUR, consumed={"memory": "8Gi"})
    return device


def row(**quota: Any) -> TrendRow:
    team = make_team("vision")
    TeamQuota.objects.create(team=team, dimension="memory", quantity="20Gi", **quota)
    return trends(team, PERIOD, viewer=EVERYTHING).rows[0]


def test_the_line_breaks_where_nothing_was_read_and_the_time_is_grey(device: Device) -> None:
    unread, average, most, _limit = trend_figure(row(), PERIOD, 1)["data"]
    assert (unread["x"], unread["width"]) == ([9 * 3600], [6 * 3600])
    assert None in most["y"]
    assert most["connectgaps"] is False
    assert len(average["x"]) == len(set(most["x"][:-1])) - most["y"].count(None)


def test_the_line_goes_on_until_the_last_step_before_a_break_ends(device: Device) -> None:
    most = trend_figure(row(), PERIOD, 1)["data"][2]
    broken = most["y"].index(None)
    ends = most["x"][broken - 2 : broken + 1]
    assert ends[1:] == [6 * 3600, 6 * 3600]
    assert most["y"][broken - 2] == most["y"][broken - 1] == 8
    assert (most["x"][-1], most["y"][-1]) == (24 * 3600, 8)
    assert len(most["x"]) == len(most["y"]) == len(most["hovertext"])


def test_the_scale_ends_past_the_larger_of_limit_and_use(device: Device) -> None:
    assert trend_figure(row(), PERIOD, 1)["layout"]["yaxis"]["range"] == [0, 22.0]


def test_a_limit_is_drawn_for_as_long_as_it_holds(device: Device) -> None:
    figure = trend_figure(row(starts_at=START + 12 * HOUR, hard=True), PERIOD, 1)
    limit = figure["data"][3]
    assert (limit["x"], limit["y"]) == ([12 * 3600, 24 * 3600], [20.0, 20.0])
    assert limit["line"]["dash"] == "dash"


def test_the_figure_is_plain_data_of_tokens_that_plotly_understands(device: Device) -> None:
    figure = trend_figure(row(), PERIOD, 1)
    assert json.loads(json.dumps(figure)) == figure
    go.Figure(data=figure["data"], layout=figure["layout"])
    assert "#" not in json.dumps(figure)


def test_a_label_says_the_most_and_the_limit(device: Device) -> None:
    told = label(row(), PERIOD)
    assert told.endswith("at most 8 GiB. Limit: 20 GiB.")
