"""The largest request that limits and devices both allow, from what a poll has read."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from demo.server import ApiServer
from inventory.models import Cluster, ConsumedCapacity, Team, TeamNamespace
from inventory.queries import team_room
from inventory.sync.poll import poll_cluster
from tests.factories import make_balance, make_claim, make_cluster, make_device, make_namespace, make_share
from tests.inventory.queries.test_quotas import limit
from tests.inventory.sync import objects
from tests.inventory.sync.objects import HAMI, card, claim, named, resource_slice, result

NOW = datetime(2026, 12, 1, tzinfo=UTC)
OTHER_CLASS = "gpus-by-another-name"


@pytest.fixture
def team(db: None) -> Team:
    team = Team.objects.create(slug="a", name="a")
    TeamNamespace.objects.create(team=team, namespace="team-a")
    return team


@pytest.fixture
def cluster(team: Team, tmp_path: Path) -> Cluster:
    """Of two cards of 24 GiB, the team holds a half of the first."""
    capacity = {"memory": "12Gi", "cores": "10"}
    held = objects.store(
        resource_slice(card(), card("hami-gpu-1")),
        claim("held", result(consumedCapacity=capacity)),
        named("v1", "Node", "node-1", status={}),
        *(named(objects.DRA, "DeviceClass", name, spec={}) for name in (HAMI, OTHER_CLASS)),
    )
    with ApiServer(held) as server:
        path = server.kubeconfig(tmp_path / "kubeconfig")
        cluster = Cluster.objects.create(name="lab", kubeconfig=str(path))
        assert poll_cluster(cluster.pk).ended == "applied"
    cluster.refresh_from_db()
    return cluster


Largest = Callable[[], dict[str, str]]


@pytest.fixture
def largest(team: Team, cluster: Cluster) -> Largest:
    def found() -> dict[str, str]:
        room = team_room.room(team, cluster, team_room.limits_of(team, cluster, NOW))
        (product,) = room.found.products
        rows: dict[str, Any] = {
            "memory": product.memory and product.memory.memory,
            "cores": product.cores and product.cores.cores,
        }
        return {name: str(one.amount.quantity) for name, one in rows.items() if one}

    return found


def test_without_a_limit_the_cards_alone_decide(largest: Largest) -> None:
    assert largest() == {"memory": "24Gi", "cores": "100"}


def test_a_limit_of_which_the_use_is_not_known_is_told(team: Team, cluster: Cluster) -> None:
    limit(team, "memory", "20Gi")
    limit(team, "cores", "50")
    ConsumedCapacity.objects.filter(dimension="cores").update(amount=None)
    room = team_room.room(team, cluster, team_room.limits_of(team, cluster, NOW))
    assert [(one.dimension, one.quantity) for one in room.unknown] == [("cores", "50")]
    # That another search would tell nothing else of it does not depend on the limit.
    assert team_room.is_whole(room)
    (product,) = room.found.products
    assert product.memory is not None
    assert product.memory.memory is None


def test_what_came_by_another_class_does_not_count_against_the_limit_of_a_class(
    team: Team, largest: Largest
) -> None:
    quota = limit(team, "card_equivalents", "750m", device_class=HAMI)
    # A quarter of a card is left of it: up to 75 of 100 cores on the card with 10 held, and 25 on the other.
    assert largest() == {"memory": "6Gi", "cores": "65"}
    quota.device_class = OTHER_CLASS
    quota.quantity = "250m"
    quota.save()
    assert largest() == {"memory": "6Gi", "cores": "25"}


def test_a_card_held_by_another_class_is_not_yet_one_of_the_limit(team: Team, largest: Largest) -> None:
    quota = limit(team, "cards", "1", device_class=HAMI)
    assert largest()["memory"] == "12Gi"
    quota.device_class = OTHER_CLASS
    quota.quantity = "0"
    quota.save()
    assert largest() == {}


def test_it_is_another_question_when_other_clusters_use_more_of_the_same_limit(
    team: Team, cluster: Cluster, largest: Largest
) -> None:
    limit(team, "memory", "16Gi")
    first = team_room.stamp(team_room.limits_of(team, cluster, NOW))
    assert largest()["memory"] == "4Gi"
    other = make_cluster("other", revision=1)
    device = make_device()
    make_balance(device, "memory", "80Gi", "2Gi")
    claim_there = make_claim(namespace=make_namespace("team-a", team=team))
    make_share(device, claim_there, consumed={"memory": "2Gi"})
    assert largest()["memory"] == "2Gi"
    assert team_room.stamp(team_room.limits_of(team, cluster, NOW)) != first
    limit_of_cluster = limit(team, "memory", "16Gi", cluster=cluster, hard=True)
    alone = team_room.stamp([limit_of_cluster])
    Cluster.objects.filter(pk=other.pk).update(revision=2)
    assert team_room.stamp([limit_of_cluster]) == alone
