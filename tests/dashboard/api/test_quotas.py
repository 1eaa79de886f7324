"""Quotas over the API: who may read them, who may write them, and what is refused."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dashboard.access.models import ApiToken
from inventory.models import Membership, Team, TeamQuota
from tests.dashboard.api.conftest import decoded
from tests.factories import make_claim, make_device, make_namespace, make_share, make_team

PATH = "/api/v1/quotas/"


def client(name: str, *teams: Team, operator: bool = False) -> Client:
    user = User.objects.create_user(name)
    if operator:
        user.groups.add(Group.objects.get_or_create(name="operators")[0])
    for team in teams:
        Membership.objects.create(user=user, team=team)
    _, token = ApiToken.issue(user, "of a script", ApiToken.Scope.READ_WRITE, timedelta(days=1))
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def team(db: None) -> Team:
    return make_team("vision")


@pytest.fixture
def boss(db: None) -> Client:
    return client("boss", operator=True)


def create(boss: Client, **fields: Any) -> Any:
    body = {"team": "vision", "dimension": "memory", "limit": "320Gi", **fields}
    return boss.post(PATH, body, content_type="application/json")


def faults(response: Any) -> dict[str, str]:
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    return {one.get("field", ""): one["detail"] for one in decoded(response)["errors"]}


def test_an_operator_writes_a_quota_and_a_member_of_the_team_reads_it(team: Team, boss: Client) -> None:
    answer = create(boss, hard=True, note="until the new cards come")
    made = decoded(answer)
    assert answer["Location"].endswith(f"{PATH}{made['id']}/")
    assert (made["limit"]["quantity"], made["hard"], made["state"]) == ("320Gi", True, "within")
    read = client("member", team).get(f"{PATH}{made['id']}/")
    assert read.status_code == 200
    assert decoded(read)["note"] == "until the new cards come"


def test_a_quota_of_another_team_is_not_there(team: Team, boss: Client) -> None:
    made = decoded(create(boss))
    stranger = client("stranger", make_team("nlp"))
    assert decoded(stranger.get(PATH))["count"] == 0
    for method in (stranger.get, stranger.delete):
        assert method(f"{PATH}{made['id']}/").status_code == 404
    changed = stranger.patch(f"{PATH}{made['id']}/", {"limit": "1Gi"}, content_type="application/json")
    assert changed.status_code == 404


def test_members_may_not_write(team: Team, boss: Client) -> None:
    made = decoded(create(boss))
    member = client("member", team)
    assert create(member).status_code == 403
    assert member.delete(f"{PATH}{made['id']}/").status_code == 403
    assert TeamQuota.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"limit": "much"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"dimension": "cards", "limit": "1.5"}, "limit"),
        ({"dimension": "me mory"}, "dimension"),
        ({"team": "nobody"}, "team"),
        ({"cluster": "nowhere"}, "cluster"),
        ({"starts_at": "2026-12-02T00:00:00Z", "ends_at": "2026-12-01T00:00:00Z"}, "ends_at"),
        ({"starts_at": "2026-12-02T00:00:00"}, "starts_at"),
        ({"starts_at": "0001-01-01T00:00:00+14:00"}, "starts_at"),
        ({"ends_at": "9999-12-31T23:59:59-14:00"}, "ends_at"),
        ({"note": "a\x00b"}, "note"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_a_quota_is_refused_by_field(
    team: Team, boss: Client, fields: dict[str, Any], field: str
) -> None:
    assert list(faults(create(boss, **fields))) == [field]
    assert not TeamQuota.objects.exists()


def test_two_limits_of_a_kind_may_not_hold_at_once(team: Team, boss: Client) -> None:
    create(boss, ends_at="2026-12-01T00:00:00Z")
    assert "already has such a limit" in faults(create(boss))[""]
    assert create(boss, starts_at="2026-12-01T00:00:00Z").status_code == 201
    assert create(boss, hard=True).status_code == 201
    assert create(boss, product="A100").status_code == 201


def test_whoever_has_not_read_the_last_version_does_not_overwrite_it(team: Team, boss: Client) -> None:
    made = decoded(create(boss))
    path, first = f"{PATH}{made['id']}/", f'"{made["version"]}"'

    def change(limit: str, **headers: str) -> Any:
        return boss.patch(path, {"limit": limit}, content_type="application/json", headers=headers)

    changed = change("640Gi", **{"If-Match": first})
    assert (changed.status_code, decoded(changed)["limit"]["quantity"]) == (200, "640Gi")
    assert change("1Gi", **{"If-Match": first}).status_code == 412
    assert boss.delete(path, headers={"If-Match": first}).status_code == 412
    assert boss.delete(path, headers={"If-Match": changed["ETag"]}).status_code == 204


def test_a_put_sets_everything_and_a_patch_only_what_it_names(team: Team, boss: Client) -> None:
    made = decoded(create(boss, product="A100", note="old"))
    path = f"{PATH}{made['id']}/"
    patched = decoded(boss.patch(path, {"product": None}, content_type="application/json"))
    assert (patched["product"], patched["note"]) == (None, "old")
    body = {"team": "vision", "dimension": "cores", "limit": "600"}
    put = decoded(boss.put(path, body, content_type="application/json"))
    assert (put["dimension"], put["note"]) == ("cores", "")


def test_an_unchanged_answer_is_not_sent_again_and_a_new_quota_changes_it(team: Team, boss: Client) -> None:
    first = boss.get(PATH)
    assert boss.get(PATH, headers={"If-None-Match": first["ETag"]}).status_code == 304
    create(boss)
    assert boss.get(PATH, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_teams_are_told_to_their_members_alone_and_members_to_leads(team: Team, boss: Client) -> None:
    make_team("nlp")
    member = client("member", team)
    lead = client("lead", team)
    Membership.objects.filter(user__username="lead").update(role="lead")
    assert [one["slug"] for one in decoded(member.get("/api/v1/teams/"))["results"]] == ["vision"]
    assert member.get("/api/v1/teams/nlp/").status_code == 404
    assert decoded(member.get("/api/v1/teams/vision/"))["members"] is None
    told = decoded(lead.get("/api/v1/teams/vision/"))["members"]
    assert [one["user"] for one in told] == ["lead", "member"]
    assert len(decoded(boss.get("/api/v1/teams/"))["results"]) == 2


def test_foreign_teams_are_one_row_without_a_name_and_the_total_stays_true(team: Team, boss: Client) -> None:
    device = make_device()
    for slug, memory in (("vision", "8Gi"), ("nlp", "4Gi"), ("batch", "2Gi")):
        of_team = make_namespace(f"team-{slug}", team=make_team(slug))
        make_share(device, make_claim(namespace=of_team), consumed={"memory": memory})
    rows = decoded(client("member", team).get("/api/v1/occupancy/"))["results"]
    assert [(one["team"], one["withheld"], one["held"]["quantity"]) for one in rows] == [
        ("vision", False, "8Gi"),
        (None, True, "6Gi"),
    ]
    rows = decoded(client("member2", team).get("/api/v1/occupancy/?group_by=namespace"))["results"]
    assert [one["namespace"] for one in rows] == ["team-vision", None]
    assert len(decoded(boss.get("/api/v1/occupancy/"))["results"]) == 3


@pytest.mark.parametrize(
    "query", ["group_by=colour", "group_by=team,team", "group_by=team,node,pool", "cursor=start", "limit=0"]
)
def test_what_cannot_be_grouped_is_refused(boss: Client, query: str) -> None:
    assert boss.get(f"/api/v1/occupancy/?{query}").status_code == 400


def test_occupancy_comes_as_a_table_too(team: Team, boss: Client) -> None:
    make_share(make_device(), make_claim(namespace=make_namespace(team=team)), consumed={"memory": "8Gi"})
    response = boss.get("/api/v1/occupancy/?group_by=team,node&format=csv")
    head, line = b"".join(response.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert head.startswith("cluster,team,namespace,node")
    assert ",vision," in line
    assert "8589934592" in line
