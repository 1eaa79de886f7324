"""The admin of teams and rules: what is saved there moves things at once."""

from collections.abc import Mapping

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inventory.models import Claim, Cluster, Namespace, Team, TeamNamespace, TeamRule, TeamRuleValue
from tests.factories import make_claim, make_cluster, make_namespace, make_team

RULES = reverse("admin:inventory_teamrule_changelist")
NAMESPACES = reverse("admin:inventory_namespace_changelist")
PRESET = reverse("admin:inventory_teamrule_preset", args=["rancher"])


@pytest.fixture
def operator(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("operator"))
    return client


def inline(prefix: str, *rows: Mapping[str, object]) -> dict[str, object]:
    management = {f"{prefix}-TOTAL_FORMS": len(rows), f"{prefix}-INITIAL_FORMS": 0}
    values = {
        f"{prefix}-{number}-{key}": value for number, row in enumerate(rows) for key, value in row.items()
    }
    return {**management, **values}


def add_rule(operator: Client, **fields: object) -> str:
    given = {"position": 1, "subject": "namespace", "source": "label", **inline("values"), **fields}
    response = operator.post(reverse("admin:inventory_teamrule_add"), given, follow=True)
    return str(response.content.decode())


def labelled(name: str, **labels: str) -> Namespace:
    row = make_namespace(name)
    row.labels = labels
    row.save()
    return row


def test_a_saved_rule_moves_namespaces_and_claims_at_once(operator: Client) -> None:
    team, namespace = make_team(), labelled("a", team="v-1")
    claim = make_claim(namespace=namespace)
    values = inline("values", {"value": "v-1", "team": team.pk})
    revision = Cluster.objects.get().revision
    add_rule(operator, key="team", **values)
    assert Namespace.objects.get().team == team
    assert Claim.objects.get(pk=claim.pk).team == team
    assert Cluster.objects.get().revision == revision + 1


def test_many_changes_on_one_page_are_followed_by_one_assignment(operator: Client) -> None:
    for number in range(20):
        make_namespace(f"n-{number}")
    assigned = inline("assignments", *({"namespace": f"n-{number}", "cluster": ""} for number in range(20)))
    form = {"name": "Vision", "slug": "vision", "colour": 1, **assigned, **inline("memberships")}
    revision = Cluster.objects.get().revision
    operator.post(reverse("admin:inventory_team_add"), form)
    assert Namespace.objects.filter(team__slug="vision").count() == 20
    assert Cluster.objects.get().revision == revision + 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"selector": "team in ("}, "is no label selector from character 1 on"),
        ({"selector": "team=a", "key": "team"}, "Give a selector and its team, or a key alone."),
        ({}, "Give a selector and its team, or a key alone."),
        ({"key": "no key"}, "no key of labels or annotations"),
        ({"selector": "team=a", "source": "annotation"}, "A selector looks at labels"),
    ],
)
def test_a_rule_that_makes_no_sense_is_told_when_it_is_saved(
    operator: Client, fields: dict[str, str], told: str
) -> None:
    team = make_team()
    given = {"team": team.pk, **fields} if "selector" in fields else fields
    assert told in add_rule(operator, **given)
    assert not TeamRule.objects.exists()


def test_values_belong_to_a_key(operator: Client) -> None:
    team = make_team()
    values = inline("values", {"value": "v", "team": team.pk})
    assert "has no use for values" in add_rule(operator, selector="team=a", team=team.pk, **values)
    assert not TeamRule.objects.exists()


@pytest.mark.parametrize("kind", ["assignments", "memberships"])
def test_what_is_given_twice_on_one_page_of_a_team_is_refused(operator: Client, kind: str) -> None:
    row: Mapping[str, Mapping[str, object]] = {
        "assignments": {"namespace": "a", "cluster": ""},
        "memberships": {"user": User.objects.get().pk, "role": "member"},
    }
    none = {**inline("assignments"), **inline("memberships")}
    form = {"name": "Vision", "slug": "vision", "colour": 1, **none, **inline(kind, row[kind], row[kind])}
    page = operator.post(reverse("admin:inventory_team_add"), form).content.decode()
    assert "Please correct the duplicate data for" in page
    assert not Team.objects.exists()


def test_a_value_that_is_given_twice_is_refused(operator: Client) -> None:
    row = {"value": "v", "team": make_team().pk}
    assert "Please correct the duplicate data for value" in add_rule(
        operator, key="team", **inline("values", row, row)
    )
    assert not TeamRule.objects.exists()


def test_a_rule_with_hundreds_of_values_can_be_changed(operator: Client) -> None:
    rule, team = TeamRule.objects.create(key="team"), make_team()
    values = [TeamRuleValue(rule=rule, value=f"v{number}", team=team) for number in range(300)]
    TeamRuleValue.objects.bulk_create(values)
    rows = [{"id": one.pk, "rule": rule.pk, "value": one.value, "team": team.pk} for one in rule.values.all()]
    form = {"position": 5, "subject": "namespace", "source": "label", "key": "team"}
    management = {"values-INITIAL_FORMS": 300}
    page = reverse("admin:inventory_teamrule_change", args=[rule.pk])
    assert operator.post(page, {**form, **inline("values", *rows), **management}).status_code == 302
    assert TeamRule.objects.get().position == 5


def test_the_order_of_rules_is_changed_in_their_list(operator: Client) -> None:
    vision, nlp = make_team("vision"), make_team("nlp")
    labelled("a", team="x")
    first = TeamRule.objects.create(position=1, selector="team", team=vision)
    second = TeamRule.objects.create(position=2, selector="team=x", team=nlp)
    assert Namespace.objects.get().team == vision
    rows = {"form-0-id": first.pk, "form-0-position": 3, "form-1-id": second.pk, "form-1-position": 2}
    operator.post(RULES, {"form-TOTAL_FORMS": 2, "form-INITIAL_FORMS": 2, "_save": "Save", **rows})
    assert Namespace.objects.get().team == nlp


def test_rules_that_are_deleted_let_go_of_what_they_gave(operator: Client) -> None:
    labelled("a", team="vision")
    make_team("vision")
    rule = TeamRule.objects.create(key="team")
    assert Namespace.objects.get().team is not None
    chosen = {"action": "delete_selected", "_selected_action": [rule.pk], "post": "yes"}
    operator.post(RULES, chosen)
    assert Namespace.objects.get().team is None


def test_a_team_that_is_deleted_leaves_its_namespaces_to_the_next_rule(operator: Client) -> None:
    nlp, vision = make_team("nlp"), make_team("vision")
    labelled("a", team="nlp")
    TeamRule.objects.create(key="team")
    TeamNamespace.objects.create(team=vision, namespace="a")
    assert Namespace.objects.get().team == vision
    operator.post(reverse("admin:inventory_team_delete", args=[vision.pk]), {"post": "yes"})
    assert Namespace.objects.get().team == nlp


def test_namespaces_are_listed_with_whose_they_are_and_why_also_those_of_nobody(operator: Client) -> None:
    labelled("a", team="vision")
    make_namespace("b")
    make_team("vision")
    TeamRule.objects.create(position=4, key="team")
    page = operator.get(NAMESPACES).content.decode()
    assert "Vision" in page
    assert "rule 4, namespace: label team" in page
    assert "nobody&#x27;s" in page
    unassigned = operator.get(NAMESPACES, {"team__isempty": "1"}).content.decode()
    assert "rule 4" not in unassigned


def test_more_namespaces_cost_no_more_queries(operator: Client) -> None:
    def queries(number: int) -> int:
        for index in range(number):
            labelled(f"n-{number}-{index}", team="vision")
        with CaptureQueriesContext(connection) as asked:
            operator.get(NAMESPACES)
        return len(asked)

    make_team("vision")
    TeamRule.objects.create(key="team")
    assert queries(2) == queries(20)


def test_a_namespace_is_shown_and_not_changed(operator: Client) -> None:
    namespace = labelled("a", team="vision")
    page = reverse("admin:inventory_namespace_change", args=[namespace.pk])
    assert operator.get(page).status_code == 200
    assert operator.post(page, {"name": "b"}).status_code == 403


def test_a_preset_is_previewed_and_made(operator: Client) -> None:
    namespace = make_namespace("a")
    namespace.annotations = {"field.cattle.io/projectId": "c-1:<b>p-2\u202e"}
    namespace.save()
    assert "Rancher projects" in operator.get(reverse("admin:inventory_teamrule_presets")).content.decode()
    page = operator.get(PRESET).content.decode()
    assert "c-1:&lt;b&gt;p-2\ufffd" in page
    assert "Make what is new (teams: 1, rules: 1)" in page
    assert not Team.objects.exists()
    told = operator.post(PRESET, follow=True).content.decode()
    assert "New teams: 1, new rules: 1. Everything is assigned by them." in told
    assert Namespace.objects.get().team == Team.objects.get()
    assert "\u202e" not in operator.get(RULES).content.decode()
    assert "All of it is there already." in operator.get(PRESET).content.decode()
    assert operator.get(reverse("admin:inventory_teamrule_preset", args=["none"])).status_code == 404


def test_a_preset_is_for_those_who_may_make_teams(client: Client, db: None) -> None:
    operators = Group.objects.get(name="operators")
    operators.permissions.remove(Permission.objects.get(codename="add_team"))
    user = User.objects.create_user("operator")
    user.groups.add(operators)
    client.force_login(user)
    assert client.get(RULES).status_code == 200
    assert client.get(PRESET).status_code == 403
    assert client.post(PRESET).status_code == 403


def test_a_rule_may_be_for_one_cluster(operator: Client) -> None:
    labelled("a", team="vision")
    make_team("vision")
    add_rule(operator, key="team", cluster=make_cluster("far").pk)
    assert Namespace.objects.get(name="a").team is None
