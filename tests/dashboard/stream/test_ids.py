"""Ids of events."""

import pytest

from dashboard.stream import ids
from inventory.queries.news.events import Mark
from inventory.queries.news.rows import Audience
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import make_cluster

STAMP = "9f2c41d07e"


def test_an_id_says_up_to_where_each_cluster_has_been_told_of() -> None:
    marks = {4: Mark(75, 90211, 1), 3: Mark(118)}
    text = ids.text(STAMP, marks)
    assert text == "9f2c41d07e:3.118,4.75.90211.1"
    assert ids.marks_of(text, STAMP, {3: 118, 4: 80}) == marks


def test_without_a_cluster_there_is_still_an_id() -> None:
    assert ids.marks_of(ids.text(STAMP, {}), STAMP, {}) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "9f2c41d07e:3.118",
        "9f2c41d07e:3.118,4.75,5.1",
        "9f2c41d07e:3.119,4.75",
        "0000000000:3.118,4.75",
        "9f2c41d07e:3.118,4.75.1",
        "9f2c41d07e:3.-118,4.75",
        "9f2c41d07e:３.118,4.75",
        "9f2c41d07e:3.118,4.75\x00",
        "9f2c41d07e:3.1184.75",
        "9f2c41d07e:" + ",".join(f"{number}.1" for number in range(5000)),
    ],
)
def test_what_is_no_id_of_this_stream_leads_nowhere(text: str) -> None:
    assert ids.marks_of(text, STAMP, {3: 118, 4: 75}) is None


@pytest.mark.django_db
def test_the_stamp_changes_with_what_is_asked_for_and_what_may_be_seen() -> None:
    clusters = [make_cluster("lab"), make_cluster("farm")]
    all_of_them = frozenset(one.pk for one in clusters)
    audiences = [
        Audience(EVERYTHING, all_of_them, frozenset(), frozenset()),
        Audience(Viewer(frozenset({1})), all_of_them, frozenset(), frozenset()),
        Audience(EVERYTHING, all_of_them, frozenset({"a"}), frozenset()),
        Audience(EVERYTHING, all_of_them, frozenset(), frozenset({"a"})),
        Audience(EVERYTHING, frozenset({clusters[0].pk}), frozenset(), frozenset()),
    ]
    assert len({ids.stamp(one, clusters) for one in audiences}) == len(audiences)
    before = ids.stamp(audiences[0], clusters)
    clusters[0].name = "renamed"
    assert ids.stamp(audiences[0], clusters) != before
