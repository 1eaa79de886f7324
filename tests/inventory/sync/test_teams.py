"""Whose namespaces, claims and Pods are after polls, and after changes of the rules between them."""

from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import (
    Claim,
    KindState,
    Namespace,
    Pod,
    ShareInterval,
    Team,
    TeamNamespace,
    TeamRule,
    TeamRuleValue,
)
from inventory.sync.check_teams import differences
from tests.factories import make_team
from tests.inventory.sync.books import RESOURCES
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, claim, pod, resource_slice, store
from tests.inventory.sync.whose import namespace, of_key, reserved, selects

PROJECT = "field.cattle.io/projectId"


def owner(model: type[Namespace] | type[Claim] | type[Pod], name: str) -> str:
    return str(model.objects.values_list("team__slug", flat=True).get(name=name) or "")


def owners() -> tuple[str, str, str]:
    """Of the namespace, the claim and the Pod of these tests."""
    return owner(Namespace, "team-a"), owner(Claim, "c"), owner(Pod, "p")


def is_as_the_rules_say(followed: Followed) -> bool:
    return list(differences(followed.cluster)) == []


# Namespaces


def test_a_namespace_belongs_to_whom_its_labels_name_and_all_in_it_does(busy: Followed, vision: Team) -> None:
    of_key("team")
    busy.applied()
    assert owners() == ("vision", "vision", "vision")
    assert ShareInterval.objects.get().team_slug == "vision"
    assert is_as_the_rules_say(busy)


def test_an_unassigned_namespace_stays_without_a_team(busy: Followed, vision: Team) -> None:
    selects("team notin (vision)", vision)
    busy.applied()
    assert owners() == ("", "", "")
    assert ShareInterval.objects.get().team_slug == ""


def test_the_first_rule_by_position_decides(busy: Followed, vision: Team, nlp: Team) -> None:
    selects("team", nlp, position=2)
    selects("team in (vision)", vision, position=1)
    busy.applied()
    assert owners() == ("vision", "vision", "vision")


def test_an_assignment_goes_before_rules_and_one_in_the_cluster_before_one_in_all(
    busy: Followed, vision: Team, nlp: Team
) -> None:
    of_key("team")
    busy.applied()
    everywhere = TeamNamespace.objects.create(team=nlp, namespace="team-a")
    assert owners() == ("nlp", "nlp", "nlp")
    TeamNamespace.objects.create(team=make_team("batch"), namespace="team-a", cluster=busy.cluster)
    assert owners() == ("batch", "batch", "batch")
    everywhere.delete()
    TeamNamespace.objects.all().delete()
    assert owners() == ("vision", "vision", "vision")


def test_a_rule_of_another_cluster_does_not_matter(follow: Follow, busy: Followed, vision: Team) -> None:
    other = follow(store(), "other").cluster
    of_key("team", cluster=other)
    busy.applied()
    assert owners() == ("", "", "")


def test_a_namespace_whose_labels_change_takes_all_with_it(busy: Followed, vision: Team, nlp: Team) -> None:
    of_key("team")
    busy.applied()
    revision = busy.cluster.revision
    busy.store.put(namespace(labels={"team": "nlp"}))
    busy.applied()
    assert owners() == ("nlp", "nlp", "nlp")
    assert busy.cluster.revision == revision + 1
    assert is_as_the_rules_say(busy)


def test_a_namespace_that_is_gone_says_nothing_any_more(busy: Followed, vision: Team) -> None:
    of_key("team")
    busy.applied()
    busy.store.delete(RESOURCES["namespaces"], "", "team-a")
    busy.applied()
    assert owners() == ("", "", "")
    TeamNamespace.objects.create(team=vision, namespace="team-a")
    busy.applied()
    assert owners() == ("vision", "vision", "vision")


def test_what_a_namespace_lacks_is_not_known_before_it_is_read(
    follow: Follow, vision: Team, nlp: Team
) -> None:
    selects("team notin (vision)", nlp)
    held = store(resource_slice(card()))
    held.put(reserved(held.put(pod("p"))))
    followed = follow(held)
    followed.applied()
    assert owners() == ("", "", "")
    assert is_as_the_rules_say(followed)
    selects("!legacy", vision)
    assert owners() == ("", "", "")
    held.put(namespace())
    followed.applied()
    assert owners() == ("nlp", "nlp", "nlp")


def test_what_is_gone_is_not_anybodys_for_what_it_lacks(busy: Followed, nlp: Team) -> None:
    selects("team notin (nlp)", nlp)
    busy.applied()
    assert owners() == ("nlp", "nlp", "nlp")
    busy.store.delete(RESOURCES["namespaces"], "", "team-a")
    busy.applied()
    assert owners() == ("", "", "")
    assert is_as_the_rules_say(busy)


def test_a_value_that_is_no_slug_is_looked_up_in_the_table(follow: Follow, vision: Team) -> None:
    rule = of_key(PROJECT, source="annotation")
    TeamRuleValue.objects.create(rule=rule, value="c-abc:p-xyz", team=vision)
    followed = follow(store(namespace(annotations={PROJECT: "c-abc:p-xyz", "other": "vision"})))
    followed.applied()
    kept = Namespace.objects.get()
    assert (kept.team, kept.annotations) == (vision, {PROJECT: "c-abc:p-xyz"})


def test_an_annotation_that_a_new_rule_looks_at_is_read_with_the_next_poll(
    follow: Follow, vision: Team
) -> None:
    followed = follow(store(namespace(annotations={"example.com/owner": "vision"})))
    followed.applied()
    assert Namespace.objects.get().annotations == {}
    of_key("example.com/owner", source="annotation")
    assert not KindState.objects.get(kind="namespaces").layout
    followed.applied()
    assert (Namespace.objects.get().team, followed.applied().changes) == (vision, 0)


# Claims and Pods


def test_labels_of_a_claim_go_before_those_of_its_pods_and_these_before_the_namespace(
    follow: Follow, vision: Team, nlp: Team
) -> None:
    of_key("team", "claim")
    of_key("team", "pod")
    TeamNamespace.objects.create(team=vision, namespace="team-a")
    held = store(resource_slice(card()))
    user = held.put(pod("p", metadata={"labels": {"team": "nlp"}}))
    held.put(reserved(user))
    followed = follow(held)
    followed.applied()
    assert owners() == ("vision", "nlp", "nlp")
    make_team("batch")
    held.put(reserved(user, labels={"team": "batch"}))
    followed.applied()
    assert owners() == ("vision", "batch", "nlp")
    assert is_as_the_rules_say(followed)


def test_a_claim_follows_its_pod_whichever_of_them_comes_first(follow: Follow, vision: Team) -> None:
    of_key("team", "pod")
    held = store(resource_slice(card()), claim("c"))
    followed = follow(held)
    followed.applied()
    assert owner(Claim, "c") == ""
    held.put(pod("p", metadata={"labels": {"team": "vision"}}))
    followed.applied()
    assert owner(Claim, "c") == "vision"
    held.put(claim("d"))
    held.put(pod("q", ("d",), metadata={"labels": {"team": "vision"}}))
    followed.applied()
    assert owner(Claim, "d") == "vision"


def test_where_pods_of_one_claim_disagree_the_namespace_decides(
    follow: Follow, vision: Team, nlp: Team
) -> None:
    of_key("team", "pod")
    TeamNamespace.objects.create(team=make_team("batch"), namespace="team-a")
    held = store(resource_slice(card()))
    ours, theirs = (
        held.put(pod(name, metadata={"labels": {"team": slug}}))
        for name, slug in (("p", "vision"), ("q", "nlp"))
    )
    held.put(reserved(ours, theirs))
    followed = follow(held)
    followed.applied()
    assert (owner(Claim, "c"), owner(Pod, "p"), owner(Pod, "q")) == ("batch", "vision", "nlp")
    held.delete(RESOURCES["pods"], "team-a", "q")
    followed.applied()
    assert owner(Claim, "c") == "vision"
    assert is_as_the_rules_say(followed)


def test_a_pod_that_only_names_a_reserved_claim_does_not_matter(follow: Follow, vision: Team) -> None:
    of_key("team", "pod")
    held = store(resource_slice(card()))
    user = held.put(pod("p", metadata={"labels": {"team": "vision"}}))
    held.put(pod("waits"))
    held.put(reserved(user))
    followed = follow(held)
    followed.applied()
    assert owner(Claim, "c") == "vision"


def test_a_pod_whose_labels_change_takes_its_claim_along(follow: Follow, vision: Team, nlp: Team) -> None:
    of_key("team", "pod")
    held = store(resource_slice(card()))
    user = held.put(pod("p", metadata={"labels": {"team": "vision"}}))
    held.put(reserved(user))
    followed = follow(held)
    followed.applied()
    held.put(pod("p", metadata={"labels": {"team": "nlp"}, "uid": user["metadata"]["uid"]}))
    followed.applied()
    assert owners()[1:] == ("nlp", "nlp")
    assert is_as_the_rules_say(followed)


def test_a_queue_is_named_in_an_annotation_of_the_pod(follow: Follow, vision: Team) -> None:
    of_key("scheduling.volcano.sh/queue-name", "pod", source="annotation")
    held = store(
        pod("p", metadata={"annotations": {"scheduling.volcano.sh/queue-name": "vision"}}), claim("c")
    )
    follow(held).applied()
    assert owners()[1:] == ("vision", "vision")


def test_what_is_read_again_changes_nothing(busy: Followed, vision: Team) -> None:
    of_key("team")
    of_key("team", "pod")
    busy.applied()
    revision = busy.cluster.revision
    assert busy.applied(in_full=True).changes == 0
    KindState.objects.update(layout=0)
    assert busy.applied().changes == 0
    assert busy.cluster.revision == revision


# Changes of teams and rules


def test_a_new_rule_moves_all_at_once_without_a_poll(busy: Followed, vision: Team) -> None:
    busy.applied()
    assert owners() == ("", "", "")
    revision = busy.cluster.revision
    rule = selects("team=vision", vision)
    busy.cluster.refresh_from_db()
    assert owners() == ("vision", "vision", "vision")
    assert busy.cluster.revision == revision + 1
    rule.delete()
    assert owners() == ("", "", "")
    assert is_as_the_rules_say(busy)


def test_a_team_that_takes_a_slug_takes_what_it_names(busy: Followed) -> None:
    of_key("team")
    busy.applied()
    team = make_team("seeing")
    assert owners() == ("", "", "")
    team.slug = "vision"
    team.save()
    assert owners() == ("vision", "vision", "vision")
    team.delete()
    assert owners() == ("", "", "")


def test_a_rule_that_cannot_be_read_stops_nothing(busy: Followed, vision: Team) -> None:
    TeamRule.objects.bulk_create([TeamRule(selector="team in (", team=vision)])
    of_key("team")
    busy.applied()
    assert owners() == ("vision", "vision", "vision")


def test_what_was_changed_by_hand_is_found(busy: Followed, vision: Team) -> None:
    busy.applied()
    Claim.objects.update(team=vision)
    team, history = differences(busy.cluster)
    assert "team is stored as 'vision', the rules give ''" in team
    assert "its open interval is" in history


def test_the_command_that_checks_finds_all_right(busy: Followed, vision: Team) -> None:
    of_key("team")
    busy.applied()
    call_command("check_ledger")


def test_the_number_of_queries_does_not_grow_with_what_moves(follow: Follow, vision: Team, nlp: Team) -> None:
    of_key("team")
    of_key("team", "pod")

    def queries(claims: int, name: str) -> int:
        held = store(resource_slice(card()), namespace(labels={"team": "vision"}))
        for number in range(claims):
            held.put(reserved(held.put(pod(f"p{number}", (f"c{number}",))), name=f"c{number}"))
        followed = follow(held, name)
        followed.applied()
        held.put(namespace(labels={"team": "nlp"}))
        with CaptureQueriesContext(connection) as captured:
            followed.applied()
        assert Claim.objects.filter(cluster=followed.cluster, team=nlp).count() == claims
        return len(captured)

    assert queries(25, "small") == queries(60, "large")
