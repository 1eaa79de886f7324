"""Whose shares were, and that after any number of changes nothing differs from what the rules say."""

from datetime import timedelta
from random import Random

import pytest

from inventory.models import (
    Share,
    ShareInterval,
    Team,
    TeamNamespace,
)
from inventory.sync.check_teams import differences
from inventory.sync.parts import DEVICES, PARTS, PODS
from inventory.sync.poll import poll_cluster
from tests.factories import make_team
from tests.inventory.sync.books import GIVEN, RESOURCES, allocated, shared
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, claim, pod, resource_slice, store
from tests.inventory.sync.whose import namespace, of_key, reserved, selects


def test_a_share_that_becomes_another_teams_is_two_intervals(busy: Followed, vision: Team, nlp: Team) -> None:
    of_key("team")
    busy.applied()
    busy.store.put(namespace(labels={"team": "nlp"}))
    busy.applied()
    before, after = ShareInterval.objects.order_by("started_at")
    assert (before.team_slug, before.started_at, before.given_at) == ("vision", GIVEN, None)
    assert (after.team_slug, after.started_at, after.ended_at) == ("nlp", before.ended_at, None)
    assert (after.given_at, after.given_source) == (GIVEN, "allocation")
    assert after.consumed == before.consumed


def test_a_share_that_moved_is_still_the_share_it_was(busy: Followed, vision: Team, nlp: Team) -> None:
    of_key("team")
    busy.applied()
    TeamNamespace.objects.create(team=nlp, namespace="team-a")
    TeamNamespace.objects.all().delete()
    busy.store.put(reserved(labels={"touched": "yes"}))
    busy.applied()
    assert Share.objects.get().started_at == GIVEN
    assert [one.team_slug for one in ShareInterval.objects.order_by("pk")] == ["vision", "nlp", "vision"]
    assert ShareInterval.objects.filter(ended_at=None).count() == 1


def test_a_share_given_anew_before_it_moved_is_known_again_whatever_is_read(
    busy: Followed, vision: Team, nlp: Team
) -> None:
    """The clock of the API server is behind, or the poll is."""
    of_key("team")
    busy.applied()
    TeamNamespace.objects.create(team=nlp, namespace="team-a")
    moved_at = ShareInterval.objects.get(ended_at=None).started_at
    again = GIVEN + timedelta(hours=1)
    for touched in ("once", "twice"):
        busy.store.put(allocated(again, shared(), labels={"touched": touched}))
        busy.applied()
        held = ShareInterval.objects.get(ended_at=None)
        assert (held.team_slug, held.started_at) == ("nlp", moved_at)
        assert (held.given_at, held.given_source) == (again, "allocation")
        assert ShareInterval.objects.count() == 3
        assert Share.objects.get().started_at == again


def test_what_was_given_back_stays_whose_it_was(busy: Followed, vision: Team, nlp: Team) -> None:
    of_key("team")
    busy.applied()
    busy.store.put(claim("c"))
    busy.applied()
    busy.store.put(namespace(labels={"team": "nlp"}))
    busy.applied()
    assert ShareInterval.objects.get().team_slug == "vision"


def test_a_share_that_is_first_seen_with_its_pod_has_no_past_as_anybody_elses(
    follow: Follow, vision: Team
) -> None:
    of_key("team", "pod")
    held = store(resource_slice(card()))
    held.put(reserved(held.put(pod("p", metadata={"labels": {"team": "vision"}}))))
    follow(held).applied()
    assert ShareInterval.objects.get().team_slug == "vision"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_all_belongs_to_whom_the_rules_say(follow: Follow, seed: int) -> None:
    """Labels, claims, Pods, reservations and rules come, change and go; after each poll nothing differs.

    Whether one worker reads all of it, or one the Pods and another the rest.
    """
    chance = Random(seed)
    slugs = ["vision", "nlp", "batch", ""]
    for slug in slugs[:3]:
        make_team(slug)
    of_key("team")
    of_key("team", "pod")
    of_key("owner", "claim")
    selects("team,team notin (vision)", make_team("nlp"), position=200)
    selects("!team", make_team("batch"), position=200)
    held = store(resource_slice(card()))
    followed = follow(held)

    def label(key: str) -> dict[str, str]:
        return {key: slug} if (slug := chance.choice(slugs)) else {}

    def change() -> None:
        users = [one for name in "pqr" if (one := held.find(RESOURCES["pods"], "team-a", name))]
        name = chance.choice("pqr")
        match chance.randrange(8):
            case 0:
                held.put(namespace(labels=label("team")))
            case 1 | 2:
                held.put(pod(name, (chance.choice("cd"),), metadata={"labels": label("team")}))
            case 3 if held.find(RESOURCES["pods"], "team-a", name):
                held.delete(RESOURCES["pods"], "team-a", name)
            case 4 if held.find(RESOURCES["resourceclaims"], "team-a", "c"):
                held.delete(RESOURCES["resourceclaims"], "team-a", "c")
            case 5 if held.find(RESOURCES["namespaces"], "", "team-a"):
                held.delete(RESOURCES["namespaces"], "", "team-a")
            case 6:
                TeamNamespace.objects.all().delete()
                if slug := chance.choice(slugs):
                    TeamNamespace.objects.create(team=make_team(slug), namespace="team-a")
            case _:
                reserving = chance.sample(users, chance.randint(0, len(users)))
                held.put(reserved(*reserving, name=chance.choice("cd"), labels=label("owner")))

    for _ in range(12):
        for _ in range(chance.randint(1, 3)):
            change()
        for parts in chance.choice(([PARTS], [[PODS], [DEVICES]], [[DEVICES], [PODS]])):
            assert poll_cluster(followed.cluster.pk, parts).ended == "applied"
        assert [*differences(followed.cluster)] == []
