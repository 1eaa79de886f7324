"""What a preset makes of what clusters have."""

import pytest

from inventory.models import Claim, Namespace, Pod, Team, TeamRule, TeamRuleValue
from inventory.ownership.presets import PRESETS
from inventory.teams.from_presets import make, plan
from tests.factories import make_claim, make_cluster, make_namespace, make_pod, make_team

pytestmark = pytest.mark.django_db
PROJECT = "field.cattle.io/projectId"
QUEUE = "scheduling.volcano.sh/queue-name"


def annotated(name: str, key: str, value: str, cluster: str = "lab") -> Namespace:
    row = make_namespace(name, cluster=make_cluster(cluster))
    row.annotations = {key: value}
    row.save()
    return row


def labelled(name: str, key: str, value: str) -> Namespace:
    row = make_namespace(name)
    row.labels = {key: value}
    row.save()
    return row


def test_a_preview_writes_nothing() -> None:
    annotated("a", PROJECT, "c-1:p-2")
    annotated("b", PROJECT, "c-1:p-2", cluster="far")
    annotated("c", PROJECT, "c-1:p-3")
    planned = plan(PRESETS["rancher"])
    assert [(one.value, one.things, one.slug) for one in planned.new_teams] == [
        ("c-1:p-2", 2, "c-1-p-2"),
        ("c-1:p-3", 1, "c-1-p-3"),
    ]
    assert len(planned.new_rules) == 1
    assert not Team.objects.exists()
    assert not TeamRule.objects.exists()


def test_values_that_are_no_slugs_are_listed_with_their_teams() -> None:
    namespace = annotated("a", PROJECT, "c-1:p-2")
    claim = make_claim(namespace=namespace)
    make(PRESETS["rancher"])
    team = Team.objects.get()
    assert (team.slug, team.name, team.colour) == ("c-1-p-2", "c-1:p-2", 1)
    assert TeamRuleValue.objects.get().value == "c-1:p-2"
    assert Namespace.objects.get().team == team
    assert Claim.objects.get(pk=claim.pk).team == team


def test_a_value_that_is_a_slug_needs_no_list() -> None:
    labelled("a", "kubesphere.io/workspace", "vision")
    make(PRESETS["kubesphere"])
    assert Team.objects.get().slug == "vision"
    assert not TeamRuleValue.objects.exists()
    assert Namespace.objects.get().team == Team.objects.get()


def test_a_team_that_has_the_slug_takes_what_names_it() -> None:
    team = make_team("oil")
    labelled("a", "capsule.clastix.io/tenant", "oil")
    planned = make(PRESETS["capsule"])
    assert planned.new_teams == []
    assert Namespace.objects.get().team == team


def test_making_it_again_makes_only_what_is_new() -> None:
    annotated("a", PROJECT, "c-1:p-2")
    make(PRESETS["rancher"])
    assert not plan(PRESETS["rancher"]).anything
    annotated("b", PROJECT, "c-1:p-3")
    (new,) = make(PRESETS["rancher"]).new_teams
    assert new.slug == "c-1-p-3"
    assert (Team.objects.count(), TeamRule.objects.count()) == (2, 1)


def test_two_values_do_not_become_one_team() -> None:
    annotated("a", PROJECT, "c-1:p-2")
    annotated("b", PROJECT, "c-1/p-2")
    annotated("c", PROJECT, "!")
    make(PRESETS["rancher"])
    assert set(Team.objects.values_list("slug", flat=True)) == {"c-1-p-2", "c-1-p-2-2", "team"}
    assert Namespace.objects.values("team").distinct().count() == 3


def test_a_queue_of_pods_and_namespaces_is_one_team() -> None:
    annotated("a", QUEUE, "train.eu")
    pod = make_pod(annotations={QUEUE: "train.eu"}, namespace=make_namespace("b"))
    make(PRESETS["volcano"])
    team = Team.objects.get()
    assert Namespace.objects.get(name="a").team == team
    assert Pod.objects.get(pk=pod.pk).team == team
    assert TeamRuleValue.objects.count() == 2


def test_a_pod_carries_the_queue_that_it_was_given_or_the_one_it_asked_for() -> None:
    asked = make_pod(labels={"kueue.x-k8s.io/queue-name": "eval"})
    given = make_pod(labels={"kueue.x-k8s.io/local-queue-name": "train", "kueue.x-k8s.io/queue-name": "eval"})
    make(PRESETS["kueue"])
    assert Pod.objects.get(pk=asked.pk).team == Team.objects.get(slug="eval")
    assert Pod.objects.get(pk=given.pk).team == Team.objects.get(slug="train")


def test_a_pod_of_a_volcano_job_says_its_queue_in_a_label() -> None:
    of_job = make_pod(labels={"volcano.sh/queue-name": "train"}, annotations={QUEUE: "eval"})
    other = make_pod(annotations={QUEUE: "eval"})
    make(PRESETS["volcano"])
    assert Pod.objects.get(pk=of_job.pk).team == Team.objects.get(slug="train")
    assert Pod.objects.get(pk=other.pk).team == Team.objects.get(slug="eval")


def test_new_rules_come_after_those_that_there_are() -> None:
    TeamRule.objects.create(position=70, key="team")
    make(PRESETS["volcano"])
    assert list(TeamRule.objects.values_list("position", flat=True)) == [70, 80, 90, 100]


def test_names_in_annotations_are_shown_as_text() -> None:
    annotated("a", PROJECT, "c-1\u202e\x1b:" + "x" * 200)
    make(PRESETS["rancher"])
    assert len(Team.objects.get().name) == 100
    assert "\x1b" not in Team.objects.get().name
