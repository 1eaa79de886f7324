"""What changed in a time."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import Claim, Cluster, Device, InstantSource, Team, TeamQuota
from inventory.queries.history.changes import Changes, changes
from inventory.queries.history.device_changes import Kind
from inventory.queries.slices import teams
from inventory.queries.usage.rows import Period
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import (
    READ_AT,
    make_claim,
    make_cluster,
    make_device,
    make_namespace,
    make_node,
    make_team,
)
from tests.looking_back import make_event, make_held, make_read, make_there

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
START = READ_AT - DAY


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


@pytest.fixture
def cluster(db: None) -> Cluster:
    """Read for a long time."""
    make_team("vision")
    cluster = make_cluster()
    make_read(cluster, START - 9 * DAY, READ_AT)
    return cluster


def of_vision() -> Viewer:
    return Viewer(frozenset({Team.objects.get(slug="vision").pk}))


def changed(viewer: Viewer = EVERYTHING) -> Changes:
    return changes(Period(START, READ_AT), teams(viewer=viewer), viewer=viewer)


def card(name: str = "gpu-0", node: str = "node-1") -> Device:
    return make_device(name, node=make_node(node))


# --- Devices ---


def test_devices_that_came_together_are_one_row(cluster: Cluster) -> None:
    for number in range(8):
        make_there(card(f"gpu-{number}"), at(2), uuid=f"GPU-{number}")
    make_there(card("gpu-9", "node-2"), at(3))
    found = changed().devices
    assert found.numbers[Kind.CAME] == 9
    assert [(row.number, row.names[0]) for row in found.rows] == [(1, "gpu-9"), (8, "gpu-0")]


def test_a_device_that_went_and_one_that_changed(cluster: Cluster) -> None:
    make_there(card("gone"), START - DAY, at(4))
    larger = card("larger")
    make_there(larger, START - DAY, at(5), capacity={"memory": "40Gi"})
    make_there(larger, at(5), capacity={"memory": "80Gi"})
    changed_row, went = changed().devices.rows
    assert (went.kind, went.names, went.last) == (Kind.WENT, ("gone",), at(4))
    assert changed_row.kind is Kind.CHANGED
    assert changed_row.before is not None
    assert changed_row.after is not None
    assert (str(changed_row.before.capacity["memory"]), str(changed_row.after.capacity["memory"])) == (
        "40Gi",
        "80Gi",
    )


def test_one_that_went_and_came_back_did_both(cluster: Cluster) -> None:
    device = card()
    make_there(device, START - DAY, at(4))
    make_there(device, at(6))
    assert [row.kind for row in changed().devices.rows] == [Kind.CAME, Kind.WENT]


def test_what_was_there_at_the_first_reading_has_not_come(cluster: Cluster) -> None:
    cluster.coverage.all().delete()
    make_read(cluster, at(2), READ_AT)
    make_there(card(), at(2))
    assert changed().devices.rows == ()


def test_what_was_found_after_a_break_says_so(cluster: Cluster) -> None:
    cluster.coverage.all().delete()
    make_read(cluster, START - DAY, at(3))
    make_read(cluster, at(8), READ_AT)
    make_there(card("gone"), START - DAY, at(8))
    make_there(card("new"), at(9))
    new, gone = changed().devices.rows
    assert (new.not_read_since, gone.not_read_since) == (None, at(3))


def test_what_goes_on_has_not_changed(cluster: Cluster) -> None:
    make_there(card(), START - DAY)
    assert changed().devices.rows == ()


# --- Shares ---


def test_shares_are_counted_by_team_and_product(cluster: Cluster) -> None:
    device = card()
    make_there(device, START - DAY)
    make_held(device, at(1), at(2))
    make_held(device, START - HOUR, at(3))
    make_held(device, at(4), team="gone")
    make_held(device, at(4), admin_access=True)
    rows = [
        (row.team.slug if row.team else "", row.product, row.begun, row.ended) for row in changed().shares
    ]
    assert rows == [("vision", "A100", 1, 2), ("gone", "A100", 1, 0)]


def test_what_goes_on_as_another_teams_neither_ended_nor_began(cluster: Cluster) -> None:
    device = card()
    make_there(device, START - DAY)
    before = make_held(device, START - HOUR, at(3))
    make_held(
        device,
        at(3),
        team="other",
        claim_uid=before.claim_uid,
        share_id=before.share_id,
        given_at=before.started_at,
        given_source=InstantSource.ALLOCATION,
    )
    assert changed().shares == ()


def test_what_another_clock_dates_later_than_it_was_seen_began_when_it_was_seen(cluster: Cluster) -> None:
    device = card()
    make_there(device, START - DAY)
    make_held(
        device,
        at(3),
        at(4),
        started_source=InstantSource.OBSERVED,
        given_at=at(300),
        given_source=InstantSource.ALLOCATION,
    )
    assert [(row.begun, row.ended) for row in changed().shares] == [(1, 1)]


def test_shares_of_what_is_no_card_are_not_counted(cluster: Cluster) -> None:
    network = make_device("nic-0", accelerator=False, card=None)
    make_there(network, START - DAY)
    make_held(network, at(1), at(2))
    assert changed().shares == ()


def test_a_share_on_a_card_that_went_keeps_its_product(cluster: Cluster) -> None:
    device = card()
    make_there(device, START - 3 * DAY, START - 2 * DAY)
    make_held(device, START - 3 * DAY, at(1))
    assert [(row.product, row.ended) for row in changed().shares] == [("A100", 1)]


def test_others_are_one_without_a_name(cluster: Cluster) -> None:
    device = card()
    make_there(device, START - DAY)
    for team in ("vision", "secret", "hidden"):
        make_held(device, at(1), team=team)
    found = changed(of_vision())
    own, others = found.shares
    assert (own.team and own.team.slug, own.begun) == ("vision", 1)
    assert (others.team and others.team.name, others.begun) == ("", 2)
    assert "secret" not in repr(found)


# --- Claims, readings, quotas ---


def test_claims_that_wait_since_then_are_named_where_they_may_be(cluster: Cluster) -> None:
    own = make_namespace("team-vision", team=Team.objects.get(slug="vision"))
    for name, namespace, created in (
        ("new", own, at(2)),
        ("old", own, START - HOUR),
        ("other", make_namespace("secret"), at(3)),
    ):
        make_claim(name, namespace=namespace, state=Claim.State.PENDING, created_at=created)
    found = changed(of_vision()).claims
    assert ([row.name for row in found.rows], found.number, found.withheld) == (["new"], 2, 1)


def test_events_are_counted_for_all(cluster: Cluster) -> None:
    make_event(cluster, "created", at(1), team="secret")
    make_event(cluster, "created", START - HOUR)
    assert changed(of_vision()).events == {"created": 1}


def test_a_cluster_that_was_not_read_is_told(cluster: Cluster) -> None:
    cluster.coverage.all().delete()
    make_read(cluster, START - DAY, at(5))
    make_read(cluster, at(7), READ_AT)
    (unread,) = changed().unread
    assert [gap.end - gap.start for gap in unread.unread] == [2 * 3600 * 10**6]
    make_cluster("never")
    assert [one.cluster for one in changed().unread] == ["lab"]
    assert [one.first for one in changed().reads if one.cluster == "never"] == [None]


def test_quotas_that_began_or_ended(cluster: Cluster) -> None:
    team = Team.objects.get(slug="vision")
    TeamQuota.objects.create(team=team, dimension="memory", quantity="1Gi", starts_at=at(1), ends_at=at(9))
    TeamQuota.objects.create(team=team, dimension="cards", quantity="1", starts_at=START - HOUR)
    TeamQuota.objects.create(team=make_team("secret"), dimension="cards", quantity="1", starts_at=at(1))
    found = changed(of_vision()).quotas
    assert [(one.team, one.begins, one.at) for one in found] == [
        ("vision", False, at(9)),
        ("vision", True, at(1)),
    ]


def test_it_asks_as_often_for_many_changes_as_for_few(cluster: Cluster) -> None:
    def add(count: int, offset: int) -> None:
        for number in range(offset, offset + count):
            device = card(f"gpu-{number}", f"node-{number}")
            make_there(device, at(1))
            make_held(device, at(2), team=f"team-{number}")
            make_claim(namespace=make_namespace(f"ns-{number}"), state=Claim.State.PENDING, created_at=at(3))
            quota = {"dimension": "memory", "quantity": f"{number}Gi", "starts_at": at(4)}
            TeamQuota.objects.create(team=make_team(f"team-{number}"), **quota)

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            changed()
        return len(asked)

    add(2, 1)
    few = queries()
    add(9, 3)
    assert queries() == few
