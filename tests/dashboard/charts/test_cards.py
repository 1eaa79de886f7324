import json

import plotly.graph_objects as go
import pytest

from dashboard.charts.cards import cards_figure, main_tracks
from inventory.models.devices import DeviceState
from tests.dashboard.charts.building import Held, card, track

HOSTILE = '<img src=x onerror=alert(1)>&"%{x}'


def test_a_card_has_a_line_with_its_name_state_and_what_is_left() -> None:
    figure = cards_figure([card(track("memory", "80Gi", Held("12Gi")), track("cores", "100", Held("90")))])
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts == [
        '<b><a href="/nodes/3/" target="_self">node-1</a></b>  1 card, A100',
        '<a href="/devices/7/" target="_self">gpu-0</a>  ◐ partly used',
        "68 GiB, 10 % left",
    ]


def test_cards_of_one_node_stand_under_one_heading() -> None:
    cards = [card(id=1, key="gpu-0"), card(id=2, key="gpu-1"), card(id=3, node="node-2", node_id=4)]
    texts = [note["text"] for note in cards_figure(cards)["layout"]["annotations"]]
    assert len([text for text in texts if text.startswith("<b>")]) == 2


def test_a_card_of_no_node_stands_under_its_pool() -> None:
    figure = cards_figure([card(node=None, node_id=None, pool="rack-1")])
    assert figure["layout"]["annotations"][0]["text"] == "<b>rack-1</b>  1 card, A100"


def test_a_taint_is_said_and_not_only_drawn() -> None:
    figure = cards_figure([card(track("memory", "80Gi"), tainted=True, state=DeviceState.FREE)])
    assert figure["layout"]["annotations"][1]["text"].endswith("○ free  ▲ tainted")
    assert figure["data"][0]["marker"]["pattern"]["shape"] == ["/"]


def test_memory_and_cores_are_drawn_and_what_else_there_is_only_without_them() -> None:
    full = card(track("memory", "80Gi"), track("cores", "100"), track("copyEngines", "8"))
    assert [one.name for one in main_tracks(full)] == ["memory", "cores"]
    assert [one.name for one in main_tracks(card(track("seats", "10"), track("slots", "4")))] == ["seats"]


def test_a_bar_leads_to_its_device() -> None:
    figure = cards_figure([card(track("memory", "80Gi", Held("12Gi")))])
    assert [trace["customdata"] for trace in figure["data"]] == [["/devices/7/"], ["/devices/7/"]]


@pytest.mark.parametrize("field", ["key", "product"])
def test_text_of_a_cluster_is_no_markup(field: str) -> None:
    figure = cards_figure(
        [card(track("memory", "80Gi", Held("12Gi", pods=(HOSTILE,), claim=HOSTILE)), **{field: HOSTILE})]
    )
    read_as_markup = [note["text"] for note in figure["layout"]["annotations"]]
    read_as_markup += [text for trace in figure["data"] for text in trace["hovertext"]]
    assert not any("<img" in text for text in read_as_markup)
    assert any("&lt;img" in text for text in read_as_markup)


def test_no_text_of_a_cluster_is_read_as_a_template() -> None:
    text = json.dumps(cards_figure([card(track("memory", "80Gi", Held("12Gi", pods=("%{x}",))))]))
    assert "hovertemplate" not in text
    assert "texttemplate" not in text


def test_plotly_understands_the_figure() -> None:
    figure = cards_figure([card(track("memory", "80Gi", Held("12Gi")), track("cores", "100", stranded=True))])
    go.Figure(data=figure["data"], layout=figure["layout"])
