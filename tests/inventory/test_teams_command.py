from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from inventory.models import Team, TeamNamespace, TeamRule
from tests.factories import make_cluster, make_namespace, make_team

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("teams", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def lines(*arguments: str) -> list[str]:
    return run(*arguments)[0].splitlines()


def test_each_namespace_is_listed_with_its_team_and_why() -> None:
    far = make_cluster("far")
    labelled = make_namespace("b")
    labelled.labels = {"team": "nlp"}
    labelled.save()
    for namespace in ("a", "c"):
        make_namespace(namespace)
    make_namespace("a", cluster=far)
    vision = make_team("vision")
    make_team("nlp")
    TeamRule.objects.create(position=5, key="team")
    TeamNamespace.objects.create(team=vision, namespace="a")
    TeamNamespace.objects.create(team=vision, namespace="a", cluster=far)
    assert lines() == [
        "CLUSTER  NAMESPACE  TEAM    WHY",
        "far      a          vision  assigned in this cluster",
        "lab      a          vision  assigned everywhere",
        "lab      b          nlp     rule 5, namespace: label team",
        "lab      c          -       nobody's",
    ]
    assert lines("far") == [
        "CLUSTER  NAMESPACE  TEAM    WHY",
        "far      a          vision  assigned in this cluster",
    ]


def test_a_rule_that_never_applies_is_told() -> None:
    TeamRule.objects.bulk_create([TeamRule(position=3, selector="team in (", team=make_team())])
    assert "rule 3 never applies: 'team in (' is no label selector" in run()[1]


def test_a_preset_shows_what_it_would_make_and_makes_it_when_told_to() -> None:
    namespace = make_namespace("a")
    namespace.annotations = {"field.cattle.io/projectId": "c-1:p-2"}
    namespace.save()
    shown = lines("--preset", "rancher")
    assert "Rule on the annotation field.cattle.io/projectId: would be made" in shown
    assert "c-1:p-2  1           c-1-p-2  would be made" in shown
    assert shown[-1] == "New teams: 1, new rules: 1. Add --make to make them."
    assert not Team.objects.exists()
    assert (
        lines("--preset", "rancher", "--make")[-1]
        == "New teams: 1, new rules: 1. Everything is assigned by them."
    )
    assert lines("--preset", "rancher")[-1] == "Nothing to make."
    assert "lab      a          c-1-p-2" in lines()[1]


@pytest.mark.parametrize("arguments", [("nowhere",), ("--make",), ("lab", "--preset", "rancher")])
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)
