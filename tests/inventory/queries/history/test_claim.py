"""What happened to a claim."""

from datetime import timedelta

import pytest

from inventory.models import ClaimEvent, Cluster, Team
from inventory.queries.history.claim import MOST_EVENTS, events
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import READ_AT, make_cluster, make_team
from tests.looking_back import make_event

SECOND = timedelta(seconds=1)


@pytest.fixture
def cluster(db: None) -> Cluster:
    make_team("vision")
    return make_cluster()


def test_events_of_one_instant_are_told_as_they_follow_each_other(cluster: Cluster) -> None:
    happened = ["created", "allocated", "deallocated", "allocated", "reserved"]
    for kind in happened:
        make_event(cluster, kind, READ_AT, claim_uid="one")
    make_event(cluster, "created", READ_AT, claim_uid="other")
    assert [one.kind for one in events("lab", "one", viewer=EVERYTHING).rows] == happened


def test_what_was_only_seen_says_since_when_it_could_have_been(cluster: Cluster) -> None:
    observed = ClaimEvent.Source.OBSERVED
    make_event(cluster, "deleted", READ_AT, claim_uid="one", source=observed, not_before=READ_AT - SECOND)
    (one,) = events("lab", "one", viewer=EVERYTHING).rows
    assert (one.observed, one.not_before) == (True, READ_AT - SECOND)


def test_events_of_a_time_as_another_teams_are_counted_and_withheld(cluster: Cluster) -> None:
    make_event(cluster, "created", READ_AT - SECOND, claim_uid="one", team="before")
    make_event(cluster, "allocated", READ_AT, claim_uid="one", waited=3)
    viewer = Viewer(frozenset({Team.objects.get(slug="vision").pk}))
    found = events("lab", "one", viewer=viewer)
    assert [(one.kind, one.waited) for one in found.rows] == [("allocated", 3_000_000)]
    assert found.withheld == 1


def test_the_latest_of_very_many_are_told(cluster: Cluster) -> None:
    for number in range(MOST_EVENTS + 2):
        make_event(cluster, "reserved", READ_AT + number * SECOND, claim_uid="one")
    found = events("lab", "one", viewer=EVERYTHING)
    assert found.earlier == 2
    assert found.rows[-1].at == READ_AT + (MOST_EVENTS + 1) * SECOND
