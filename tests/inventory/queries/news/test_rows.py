"""Who is told what of a share."""

from datetime import timedelta
from typing import Any

import pytest

from inventory.kube.quantity import parse
from inventory.models import Cluster, Device, Share, ShareInterval, Team
from inventory.queries.news.events import Mark, Step, since
from inventory.queries.news.rows import Audience, PastShare, Told, told
from inventory.queries.shares import ShareRow
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import (
    READ_AT,
    make_claim,
    make_cluster,
    make_device,
    make_namespace,
    make_pool,
    make_share,
    make_team,
)
from tests.looking_back import make_held

pytestmark = pytest.mark.django_db
_HOUR = timedelta(hours=1)


@pytest.fixture
def device() -> Device:
    return make_device(pool=make_pool(cluster=make_cluster(revision=9)))


@pytest.fixture
def vision() -> Team:
    return make_team("vision")


@pytest.fixture
def nlp() -> Team:
    return make_team("nlp")


def of(*teams: Team) -> Viewer:
    return Viewer(frozenset(team.pk for team in teams))


def news(
    viewer: Viewer,
    *,
    namespaces: tuple[str, ...] = (),
    teams: tuple[str, ...] = (),
    since_generation: int = 0,
) -> list[Told]:
    cluster = Cluster.objects.get()
    events = since({cluster.pk: Mark(since_generation)}, {cluster.pk: 9}, 100)
    audience = Audience(viewer, frozenset({cluster.pk}), frozenset(namespaces), frozenset(teams))
    slugs = dict(Team.objects.values_list("pk", "slug"))
    return [one for event in events or () if (one := told(event, audience, slugs)) is not None]


def live(device: Device, team: Team, began: int = 3) -> Share:
    claim = make_claim(namespace=make_namespace(f"team-{team.slug}", team=team))
    held(device, team, began, claim_uid=claim.uid, claim_name=claim.name, share_id="s")
    return make_share(device, claim, consumed={"memory": "8Gi"}, share_id="s")


def held(device: Device, team: Team, began: int, ended: int | None = None, **fields: Any) -> ShareInterval:
    end = READ_AT + _HOUR if ended else None
    made: dict[str, Any] = {"began_in": began, "told_in": ended or began, "ended_in": ended, **fields}
    return make_held(device, READ_AT, end, team=team.slug, consumed={"memory": "8Gi"}, **made)


def test_a_share_that_is_held_is_told_of_as_in_every_list(device: Device, vision: Team) -> None:
    share = live(device, vision)
    (one,) = news(of(vision))
    assert one.step is Step.BEGAN
    assert isinstance(one.share, ShareRow)
    assert (one.share.id, one.share.team, one.share.withheld) == (share.pk, "vision", False)


def test_one_that_ended_is_told_of_as_far_as_it_is_known(device: Device, vision: Team) -> None:
    interval = held(device, vision, 2, 4)
    (one,) = news(of(vision), since_generation=3)
    assert one.step is Step.ENDED
    assert isinstance(one.share, PastShare)
    assert one.share.device.id == device.pk
    assert (one.share.claim.id, one.share.claim.uid) == (None, interval.claim_uid)
    assert one.share.consumed == {"memory": parse("8Gi")}
    assert (one.share.started_at, one.share.ended_at) == (READ_AT, READ_AT + _HOUR)


def test_nobody_is_told_of_shares_of_others(device: Device, vision: Team, nlp: Team) -> None:
    live(device, vision)
    held(device, vision, 2, 4)
    assert news(of(nlp)) == []
    assert news(of()) == []
    assert len(news(EVERYTHING)) == 3


def test_what_is_nobodys_is_told_to_operators_alone(device: Device, vision: Team) -> None:
    nobody = Team(slug="")
    held(device, nobody, 2, 4)
    assert news(of(vision)) == []
    assert [one.share.team for one in news(EVERYTHING)] == [None, None]


def test_the_team_of_its_namespace_is_told_too_as_long_as_the_claim_is_there(
    device: Device, vision: Team, nlp: Team
) -> None:
    claim = make_claim(namespace=make_namespace("team-vision", team=vision), team=nlp)
    held(device, nlp, 2, 4, claim_uid=claim.uid, share_id="s")
    (ended,) = news(of(vision), since_generation=3)
    assert (ended.share.team, ended.share.withheld) == (None, True)
    claim.delete()
    assert news(of(vision), since_generation=3) == []
    assert len(news(of(nlp), since_generation=3)) == 1


def test_what_passes_to_another_team_ends_for_one_begins_for_the_other_and_changes_for_who_sees_both(
    device: Device, vision: Team, nlp: Team
) -> None:
    claim = make_claim(namespace=make_namespace("team-nlp", team=nlp))
    same: dict[str, Any] = {"claim_uid": claim.uid, "share_id": "s"}
    before = held(device, vision, 2, 4, **same)
    held(device, nlp, 4, started_at=before.ended_at, given_at=READ_AT, **same)
    make_share(device, claim, consumed={"memory": "8Gi"}, share_id="s")
    steps = {
        name: [one.step for one in news(viewer, since_generation=3)]
        for name, viewer in (
            ("vision", of(vision)),
            ("nlp", of(nlp)),
            ("both", of(vision, nlp)),
            ("all", EVERYTHING),
        )
    }
    assert steps == {
        "vision": [Step.ENDED],
        "nlp": [Step.BEGAN],
        "both": [Step.CHANGED],
        "all": [Step.CHANGED],
    }
    from_the_beginning = [[one.step for one in news(viewer)] for viewer in (of(vision), of(nlp), EVERYTHING)]
    assert from_the_beginning == [[Step.BEGAN, Step.ENDED], [Step.BEGAN], [Step.BEGAN, Step.CHANGED]]


def test_what_a_claim_is_now_is_told_to_those_alone_who_see_it(
    device: Device, vision: Team, nlp: Team
) -> None:
    """Its share may have ended while it was theirs, before it became another team's."""
    claim = make_claim(namespace=make_namespace("team-nlp", team=nlp))
    held(device, vision, 2, 4, claim_uid=claim.uid, claim_name=claim.name, share_id="s")
    for viewer, expected in ((of(vision), (None, None)), (EVERYTHING, (claim.pk, claim.state))):
        (ended,) = news(viewer, since_generation=3)
        assert isinstance(ended.share, PastShare)
        assert (ended.share.claim.id, ended.share.claim.state) == expected
        assert (ended.share.claim.name, ended.share.claim.uid) == (claim.name, claim.uid)


def test_namespaces_and_teams_narrow_it(device: Device, vision: Team, nlp: Team) -> None:
    live(device, vision)
    live(device, nlp)
    assert [one.share.team for one in news(EVERYTHING, teams=("nlp",))] == ["nlp"]
    assert [one.share.team for one in news(EVERYTHING, namespaces=("team-vision",))] == ["vision"]
    assert news(EVERYTHING, namespaces=("team-vision",), teams=("nlp",)) == []
