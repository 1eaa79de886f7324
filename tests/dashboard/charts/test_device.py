import json
from typing import Any

import plotly.graph_objects as go

from dashboard.charts.device import dimensions_figure
from tests.dashboard.charts.building import NLP, OTHERS, VISION, Held, track


def _teams(figure: dict[str, Any]) -> list[str]:
    return [trace["marker"]["color"] for trace in figure["data"][1:]]


def test_one_trace_for_each_team_however_many_shares_it_has() -> None:
    held = [Held("1Gi", NLP, (f"pod-{n}",)) for n in range(10)] + [Held("4Gi", VISION)]
    figure = dimensions_figure(
        "gpu-0", [track("memory", "80Gi", *held), track("cores", "100", Held("50", NLP))]
    )
    assert _teams(figure) == ["var(--team-1)", "var(--team-2)"]
    assert len(figure["data"][1]["x"]) == 11


def test_teams_without_a_colour_of_their_own_come_last() -> None:
    figure = dimensions_figure("gpu-0", [track("memory", "80Gi", Held("1Gi", OTHERS), Held("1Gi", VISION))])
    assert _teams(figure) == ["var(--team-2)", "var(--team-0)"]


def test_the_numbers_stand_above_the_bar() -> None:
    figure = dimensions_figure("gpu-0", [track("memory", "80Gi", Held("38Gi"))])
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts[:2] == ["<b>Memory</b>  38 GiB of 80 GiB allocated", "<b>42 GiB</b> left"]


def test_what_is_not_known_has_no_bar() -> None:
    assert dimensions_figure("gpu-0", [track("memory", None)])["data"][0]["x"] == []


def test_the_figure_is_plain_data_that_plotly_understands() -> None:
    figure = dimensions_figure(
        "gpu-0", [track("memory", "80Gi", Held("38Gi")), track("cores", "100")], barred=True
    )
    assert json.loads(json.dumps(figure)) == figure
    go.Figure(data=figure["data"], layout=figure["layout"])


def test_a_figure_names_tokens_and_no_colour_of_its_own() -> None:
    text = json.dumps(dimensions_figure("gpu-0", [track("memory", "80Gi", Held("38Gi"))]))
    assert "#" not in text
    assert '"var(--free)"' in text
