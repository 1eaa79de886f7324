"""Pages of teams: what a lead, a member of another team and an operator see."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from inventory.models import CardHolding, ConsumedCapacity, Membership, Pool, Team, TeamQuota
from inventory.queries.teams import Figures
from inventory.sync import holdings
from inventory.viewer import Viewer
from tests.factories import make_balance, make_claim, make_device, make_namespace, make_share, make_team
from tests.reading import read_recorded_cluster


def reader(name: str, *teams: Team, operator: bool = False, role: str = "member") -> Client:
    user = User.objects.create_user(name, is_superuser=operator, is_staff=operator)
    for team in teams:
        Membership.objects.create(user=user, team=team, role=role)
    client = Client()
    client.force_login(user)
    return client


def text(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, response.content
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def figure(client: Client) -> Any:
    found = re.search(r'id="teams-figure"[^>]*>(.*?)</script>', client.get("/teams/").content.decode(), re.S)
    assert found
    return json.loads(found[1])


@pytest.fixture
def vision(db: None) -> Team:
    """A team and another one, with a share each on one card."""
    device = make_device(product="A100")
    make_balance(device, "memory", "80Gi", "12Gi")
    for slug, memory in (("vision", "8Gi"), ("canary", "4Gi")):
        of_team = make_namespace(f"team-{slug}", team=make_team(slug))
        make_share(device, make_claim(f"{slug}-claim", namespace=of_team), consumed={"memory": memory})
    return Team.objects.get(slug="vision")


def limit(team: Team, dimension: str, quantity: str, **fields: Any) -> None:
    TeamQuota.objects.create(team=team, dimension=dimension, quantity=quantity, **fields)


def test_a_page_shows_limits_use_and_headroom(vision: Team) -> None:
    limit(vision, "memory", "20Gi", hard=True)
    limit(vision, "cards", "1")
    told = text(reader("lead", vision, role="lead"), "/teams/vision/")
    for words in ("8 GiB held", "12 GiB", "within quota", "used up", "the cluster does not enforce them"):
        assert words in told


def test_what_was_held_before_holdings_were_kept_is_not_shown_as_nothing(vision: Team) -> None:
    limit(vision, "cards", "1")
    lead, operator = reader("lead", vision), reader("operator", operator=True)
    of_kept = [one.get("/api/v1/teams/").json()["results"] for one in (lead, operator)]
    CardHolding.objects.all().delete()
    assert "1 share on 1 card" in text(lead, "/teams/vision/")
    assert [one.get("/api/v1/teams/").json()["results"] for one in (lead, operator)] == of_kept
    others = Figures().others(viewer=Viewer(frozenset({vision.pk})))
    assert (others.use.shares, others.use.cards) == (1, 1)


def test_why_an_amount_is_not_known_is_told_in_the_readers_language(vision: Team) -> None:
    limit(vision, "memory", "20Gi")
    limit(vision, "card_equivalents", "1")
    ConsumedCapacity.objects.update(amount=None)
    holdings.rewrite([one.pk for one in Pool.objects.all()])
    lead = reader("lead", vision)
    lead.cookies["django_language"] = "zh-hans"
    page = lead.get("/teams/vision/").content.decode()
    for words in ("有份额的数量无法读取", "memory 的数量未知"):
        assert words in page
    for english in ("cannot be read", "are not known of"):
        assert english not in page


def test_over_a_soft_limit_is_a_warning_and_over_a_hard_one_a_breach(vision: Team) -> None:
    limit(vision, "memory", "4Gi")
    limit(vision, "memory", "6Gi", hard=True)
    told = text(reader("lead", vision), "/teams/vision/")
    assert "over the soft limit" in told
    assert "over quota" in told
    assert "4 GiB over" in told
    assert "2 limits are exceeded." in told


def test_nothing_of_another_team_is_named_and_its_page_is_not_there(vision: Team) -> None:
    member = reader("member", vision)
    for path in ("/teams/", "/teams/vision/", "/teams/vision/largest/"):
        assert "canary" not in member.get(path).content.decode().lower()
    assert "another team · 4 GiB" in json.dumps(figure(member), ensure_ascii=False)
    told = text(member, "/teams/canary/", 404)
    assert told == text(member, "/teams/nobody/", 404)
    assert "canary" in text(reader("boss", operator=True), "/teams/").lower()


def test_members_are_told_to_leads_and_operators(vision: Team) -> None:
    assert "Members" not in text(reader("member", vision), "/teams/vision/")
    assert "member" in text(reader("lead", vision, role="lead"), "/teams/vision/")
    assert "Members" in text(reader("boss", operator=True), "/teams/vision/")


def test_limits_of_teams_on_another_page_of_the_table_are_counted_too(vision: Team) -> None:
    for number in range(50):
        make_team(f"a{number}")
    limit(vision, "memory", "4Gi")
    boss = reader("boss", operator=True)
    assert "1 limit is exceeded." in text(boss, "/teams/")
    assert "1 limit is exceeded." in text(boss, "/teams/?page=2")


def test_empty_pages_say_why(db: None) -> None:
    assert "There is no team yet" in text(reader("boss", operator=True), "/teams/")
    assert "You belong to no team" in text(reader("nobody"), "/teams/")
    make_team("idle")
    told = text(_as("boss"), "/teams/idle/")
    assert "No limit is set for this team" in told
    assert "No ResourceQuota of these namespaces" in told


def _as(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def test_native_quotas_stand_beside_with_why_they_differ(db: None, tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    told = text(reader("boss", operator=True), "/teams/quota/")
    assert "hami-core-gpu.project-hami.io.deviceclass.resource.k8s.io/devices" in told
    assert "counts devices from the spec when a claim is made" in told
    assert "2 of 3" in told


def test_the_largest_request_keeps_to_the_limits_and_to_one_card(db: None, tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    boss = reader("boss", operator=True)
    gang = Team.objects.get(slug="gang")
    limit(gang, "memory", "20Gi", product="NVIDIA A100-SXM4-80GB")
    # 4 GiB are held: of cards of 80 GiB no request of more than 16 fits the limit.
    assert "memory: 16Gi, cores: 0" in text(boss, "/teams/gang/?largest=now")
    part = text(boss, "/teams/gang/largest/")
    assert "memory: 16Gi, cores: 0" in part
    assert "memory: 80Gi" not in part


def test_a_limit_of_which_nobody_knows_what_is_left_is_named_beside_what_fits(
    db: None, tmp_path: Path
) -> None:
    read_recorded_cluster(tmp_path)
    gang = Team.objects.get(slug="gang")
    limit(gang, "cores", "400", product="NVIDIA A100-SXM4-80GB")
    ConsumedCapacity.objects.filter(share__claim__team=gang, dimension="cores").update(amount=None)
    part = text(reader("boss", operator=True), "/teams/gang/largest/")
    assert "It is not known what is left of the limit Cores 400 on NVIDIA A100-SXM4-80GB: nothing" in part
    assert "NVIDIA A100-SXM4-80GB hami-core-gpu.project-hami.io not known not known" in part


def test_a_limit_on_no_card_that_was_read_says_so(db: None, tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    gang = Team.objects.get(slug="gang")
    limit(gang, "memory", "1Gi", product="NVIDIA A100-SXM4-80GB")
    boss = reader("boss", operator=True)
    assert "no card that was read is one of these" not in text(boss, "/teams/gang/")
    limit(gang, "memory", "1Gi", product="NVIDIA A100 SXM4 80GB")
    assert "no card that was read is one of these" in text(boss, "/teams/gang/")


def test_limits_that_are_to_come_stand_behind_those_in_force_and_past_ones_do_not(vision: Team) -> None:
    now = timezone.now()
    limit(vision, "cores", "111", starts_at=now + timedelta(days=1))
    limit(vision, "memory", "222Gi", ends_at=now + timedelta(days=1))
    limit(vision, "cards", "333", ends_at=now)
    told = text(reader("boss", operator=True), "/teams/vision/")
    assert told.index("222") < told.index("111")
    assert "not yet in force" in told
    assert "333" not in told
