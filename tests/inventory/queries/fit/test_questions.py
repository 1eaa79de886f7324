"""What of a Pod and its claims is asked, and what has to happen before."""

import pytest

from inventory.models import Cluster, Pod
from inventory.queries.fit import answers
from inventory.queries.fit.subjects import SubjectError
from inventory.viewer import EVERYTHING
from tests.inventory.queries.fit.asking import (
    ask,
    cluster_of,
    from_template,
    node,
    of,
    places,
    template,
    waiting_pod,
    wanting,
)
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import DRA, HAMI, claim, consumer, named, pod, result

HALF = {"capacity": {"requests": {"memory": "12Gi", "cores": "50"}}}


def quota(**amounts: tuple[str, str]) -> dict[str, object]:
    status = {
        side: {key: pair[at] for key, pair in amounts.items()} for at, side in enumerate(("hard", "used"))
    }
    return named("v1", "ResourceQuota", "gpus", "team-a", spec={}, status=status)


def test_a_claim_without_a_pod_waits_for_its_first_consumer(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"))).applied()
    row = ask("c")
    assert (row.kind, row.verdict, places(row)) == ("ResourceClaim", "fits", ["c: hami-gpu-0"])
    assert row.wait is not None
    assert (row.wait.waiting, row.wait.names) == ("consumer", ("c",))


def test_a_claim_goes_where_its_pod_may_go(follow: Follow) -> None:
    held = cluster_of(
        wanting("8Gi"),
        waiting_pod("p", of("c"), nodeSelector={"zone": "b"}),
        node("node-2", labels={"zone": "b"}),
    )
    follow(held).applied()
    row = ask("c")
    assert (row.kind, row.name, row.verdict, row.wait) == ("Pod", "p", "pod_rules", None)
    (elsewhere,) = row.elsewhere
    assert elsewhere.obstacle is not None
    assert (elsewhere.node, elsewhere.obstacle.rule, elsewhere.obstacle.detail) == (
        "node-1",
        "node_selector",
        "zone=b",
    )


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ({"nodeSelector": {"zone": "b"}}, "node_selector"),
        (
            {
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [
                                {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}
                            ]
                        }
                    }
                }
            },
            "affinity",
        ),
        ({}, "taint"),
    ],
)
def test_the_rules_of_a_pod_that_leave_nodes_out_are_kept(
    follow: Follow, spec: dict[str, object], rule: str
) -> None:
    tainted = [{"key": "npu", "value": "yes", "effect": "NoSchedule"}] if rule == "taint" else []
    follow(
        cluster_of(wanting("8Gi"), waiting_pod("p", of("c"), **spec), node("node-1", taints=tainted))
    ).applied()
    assert [(one.obstacle.rule, one.nodes) for one in ask("p").excluded] == [(rule, 1)]


def test_a_taint_that_the_pod_tolerates_keeps_it_off_no_node(follow: Follow) -> None:
    tainted = node("node-1", taints=[{"key": "npu", "value": "yes", "effect": "NoSchedule"}])
    tolerant = waiting_pod("p", of("c"), tolerations=[{"key": "npu", "operator": "Exists"}])
    follow(cluster_of(wanting("8Gi"), tolerant, tainted)).applied()
    assert ask("p").verdict == "fits"


def test_a_preference_for_nodes_leaves_none_out(follow: Follow) -> None:
    wish = {
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}
    }
    follow(cluster_of(wanting("8Gi"), waiting_pod("p", of("c"), affinity=wish))).applied()
    assert ask("p").verdict == "fits"


def test_the_claims_of_a_pod_are_placed_in_the_order_of_its_spec(follow: Follow) -> None:
    big, small = wanting("20Gi", "big"), wanting("8Gi", "small")
    follow(cluster_of(big, small, waiting_pod("p", of("small"), of("big")))).applied()
    assert places(ask("p")) == ["small: hami-gpu-0", "big: hami-gpu-1"]


def test_a_claim_that_no_room_is_left_for_names_itself_among_several(follow: Follow) -> None:
    first, second = wanting("20Gi", "first"), wanting("20Gi", "second")
    follow(cluster_of(first, second, waiting_pod("p", of("first"), of("second")), cards=1)).applied()
    row = ask("first")
    assert (row.verdict, [one.claim for one in row.requests]) == ("no_room", ["team-a/second"])
    (group,) = row.requests[0].groups
    assert (group.check, str(group.left)) == ("capacity", "4Gi")


def test_a_claim_that_is_allocated_already_is_not_placed_again_and_binds_the_pod(follow: Follow) -> None:
    here = {
        "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["x"]}]}]
    }
    held = claim("held", result(consumedCapacity={"memory": "8Gi", "cores": "10"}))
    held["status"]["allocation"]["nodeSelector"] = here
    follow(cluster_of(held, wanting("8Gi"), waiting_pod("p", of("held"), of("c")))).applied()
    row = ask("p")
    assert (row.verdict, row.claims) == ("pod_rules", ("c",))
    assert [(one.obstacle.rule, one.obstacle.detail) for one in row.excluded] == [("allocated", "held")]


def test_of_a_claim_that_is_allocated_nothing_is_left_to_place(follow: Follow) -> None:
    user = pod("p", ("held",), metadata={"uid": "p-1"})
    held = claim(
        "held", result(consumedCapacity={"memory": "8Gi", "cores": "10"}), consumers=(consumer(user),)
    )
    follow(cluster_of(held, user)).applied()
    for name in ("held", "p"):
        row = ask(name)
        assert row.wait is not None
        assert (row.verdict, row.wait.waiting) == ("nothing_to_place", "nothing")


def test_a_claim_that_is_still_to_be_made_is_asked_for_as_its_template_says(follow: Follow) -> None:
    held = cluster_of(
        template("half", **HALF), wanting("1Gi"), waiting_pod("p", from_template("half"), of("c"))
    )
    follow(held).applied()
    row = ask("p")
    assert (row.verdict, places(row)) == ("fits", ["half: hami-gpu-0", "c: hami-gpu-0"])
    assert row.wait is not None
    assert (row.wait.waiting, row.wait.names) == ("claim", ("half",))


def test_a_template_that_is_not_there_either_leaves_the_answer_open(follow: Follow) -> None:
    follow(cluster_of(waiting_pod("p", from_template("gone")))).applied()
    row = ask("p")
    assert (row.verdict, row.message) == (
        "cannot_simulate",
        "what gone asks for is not known before it is there",
    )


def test_what_fits_without_a_claim_that_nobody_knows_is_not_said_to_fit(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"), waiting_pod("p", of("c"), of("gone")))).applied()
    row = ask("p")
    assert (row.verdict, row.fits_on, row.fits) == ("cannot_simulate", 0, ())
    assert row.message == (
        "what gone asks for is not known before it is there; the other claims alone would fit on 1 node"
    )


def test_what_does_not_fit_without_a_claim_that_nobody_knows_does_not_fit_with_it(follow: Follow) -> None:
    follow(cluster_of(wanting("80Gi"), waiting_pod("p", of("c"), of("gone")))).applied()
    row = ask("p")
    assert (row.verdict, [one.claim for one in row.requests]) == ("no_room", ["team-a/c"])


@pytest.mark.parametrize(
    ("key", "hard", "used", "need"),
    [
        (f"{HAMI}.deviceclass.resource.k8s.io/devices", "3", "2", "2 needed, 2 of 3 used"),
        ("count/resourceclaims.resource.k8s.io", "4", "4", "1 needed, 4 of 4 used"),
        (f"requests.deviceclass.resource.kubernetes.io/{HAMI}", "5", "4", "2 needed, 4 of 5 used"),
        ("requests.nvidia.com/gpu", "1", "0", "2 needed, 0 of 1 used"),
    ],
)
def test_a_quota_that_refuses_the_claim_is_named_with_its_numbers(
    follow: Follow, key: str, hard: str, used: str, need: str
) -> None:
    held = cluster_of(
        template("two", count=2), waiting_pod("p", from_template("two")), quota(**{key: (hard, used)})
    )
    follow(held).applied()
    row = ask("p")
    assert row.wait is not None
    assert (row.verdict, row.wait.waiting, row.wait.names) == ("fits", "quota", ("gpus",))
    assert row.wait.detail == f"gpus: {key}: {need}"


def test_a_quota_counts_all_devices_as_the_most_that_a_claim_may_have(follow: Follow) -> None:
    """As the recorded API server counted them: 32 for All, the larger of two alternatives."""
    key = f"{HAMI}.deviceclass.resource.k8s.io/devices"
    everything = template("all", allocationMode="All")
    follow(
        cluster_of(everything, waiting_pod("p", from_template("all")), quota(**{key: ("31", "0")}))
    ).applied()
    row = ask("p")
    assert row.wait is not None
    assert row.wait.detail == f"gpus: {key}: 32 needed, 0 of 31 used"


def test_a_quota_counts_the_larger_of_two_alternatives(follow: Follow) -> None:
    key = f"{HAMI}.deviceclass.resource.k8s.io/devices"
    alternatives = [{"name": str(count), "deviceClassName": HAMI, "count": count} for count in (1, 4)]
    either = template("either")
    either["spec"]["spec"]["devices"]["requests"] = [{"name": "gpu", "firstAvailable": alternatives}]
    held = cluster_of(either, waiting_pod("p", from_template("either")), quota(**{key: ("3", "0")}))
    follow(held).applied()
    row = ask("p")
    assert row.wait is not None
    assert row.wait.detail == f"gpus: {key}: 4 needed, 0 of 3 used"


def test_devices_are_no_extended_resources_before_the_release_that_has_them(follow: Follow) -> None:
    key = f"requests.deviceclass.resource.kubernetes.io/{HAMI}"
    held = cluster_of(template("one"), waiting_pod("p", from_template("one")), quota(**{key: ("0", "0")}))
    held.put(named(DRA, "DeviceClass", HAMI, spec={}))
    follow(held, version="v1.33.4").applied()
    row = ask("p")
    assert row.wait is not None
    assert row.wait.waiting == "claim"


def test_a_quota_says_nothing_of_a_claim_that_is_made(follow: Follow) -> None:
    key = "count/resourceclaims.resource.k8s.io"
    follow(cluster_of(wanting("8Gi"), waiting_pod("p", of("c")), quota(**{key: ("1", "1")}))).applied()
    assert ask("p").wait is None


def test_a_claim_with_a_field_that_is_not_known_here_is_not_guessed(follow: Follow) -> None:
    unknown = wanting("8Gi")
    unknown["spec"]["devices"]["requests"][0]["exactly"]["newField"] = True
    follow(cluster_of(unknown)).applied()
    row = ask("c")
    assert row.verdict == "cannot_simulate"
    assert row.message is not None
    assert "unknown field `newField`" in row.message


def test_a_pod_whose_affinity_cannot_be_read_is_not_guessed(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"), waiting_pod("p", of("c")))).applied()
    Pod.objects.update(node_rules={"tolerations": [{"key": 7}]})
    assert ask("p").verdict == "cannot_simulate"


def test_a_name_that_neither_a_claim_nor_a_pod_has_is_told(follow: Follow) -> None:
    follow(cluster_of()).applied()
    with pytest.raises(SubjectError, match="neither a claim nor a Pod team-a/nothing is in cluster lab"):
        ask("nothing")


def test_a_pod_with_scheduling_gates_is_not_looked_at_yet(follow: Follow) -> None:
    gated = waiting_pod("p", of("c"), schedulingGates=[{"name": "quota.example.com/wait"}])
    follow(cluster_of(wanting("8Gi"), gated)).applied()
    row = ask("p")
    assert row.verdict == "fits"
    assert row.wait is not None
    assert (row.wait.waiting, row.wait.names) == ("gates", ("quota.example.com/wait",))


def test_a_claim_that_is_being_deleted_is_given_to_nobody(follow: Follow) -> None:
    going = {"deletionTimestamp": "2026-11-29T08:00:00Z", "finalizers": ["example.com/held"]}
    follow(cluster_of(wanting("8Gi", metadata=going), waiting_pod("p", of("c")))).applied()
    for row in (ask("c"), ask("p")):
        assert row.verdict == "nothing_to_place"
        assert row.wait is not None
        assert (row.wait.waiting, row.wait.names) == ("deletion", ("c",))


def test_a_pod_that_needs_no_claim_from_its_template_waits_for_none(follow: Follow) -> None:
    """An entry of the status without a name: the controller found that there is no need."""
    spared = waiting_pod("p", of("c"), from_template("t"))
    spared["status"]["resourceClaimStatuses"] = [{"name": "use-1"}]
    follow(cluster_of(wanting("8Gi"), spared)).applied()
    row = ask("p")
    assert (row.verdict, row.claims, row.wait) == ("fits", ("c",), None)


# Pods that the scheduler never looks at


def test_a_pod_that_came_with_its_node_is_never_given_a_claim(follow: Follow) -> None:
    placed = pod("p", ("c",), status={"phase": "Pending"})
    follow(cluster_of(wanting("8Gi"), placed)).applied()
    for name, kind in (("p", "Pod"), ("c", "ResourceClaim")):
        row = ask(name)
        assert (row.kind, row.verdict) == (kind, "fits")
        assert row.wait is not None
        assert (row.wait.waiting, row.wait.names, row.wait.detail) == ("bypassed", ("p",), "node-1")


def test_a_claim_that_another_pod_waits_for_is_answered_for_that_one(follow: Follow) -> None:
    placed = pod("a", ("c",), status={"phase": "Pending"})
    follow(cluster_of(wanting("8Gi"), placed, waiting_pod("b", of("c")))).applied()
    row = ask("c")
    assert (row.name, row.verdict, row.wait, row.pods_waiting) == ("b", "fits", None, 1)


@pytest.mark.parametrize("phase", ["Running", "Succeeded", "Failed"])
def test_a_pod_that_runs_or_has_ended_waits_for_nothing(follow: Follow, phase: str) -> None:
    """The claims that were made for it may be gone by then."""
    follow(cluster_of(pod("p", ("gone",), status={"phase": phase}))).applied()
    row = ask("p")
    assert row.wait is not None
    assert (row.verdict, row.wait.waiting) == ("nothing_to_place", "nothing")


def test_a_claim_and_a_pod_of_one_name_are_told_apart_by_their_kind(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi", "x"), wanting("1Gi", "y"), waiting_pod("x", of("y")))).applied()
    cluster = Cluster.objects.get()
    of_claim = answers.of_name(cluster, "team-a", "x", viewer=EVERYTHING)
    assert (of_claim.kind, of_claim.claims) == ("ResourceClaim", ("x",))
    assert answers.of_name(cluster, "team-a", "x", "ResourceClaim", viewer=EVERYTHING) == of_claim
    of_pod = answers.of_name(cluster, "team-a", "x", "Pod", viewer=EVERYTHING)
    assert (of_pod.kind, of_pod.claims) == ("Pod", ("y",))
    with pytest.raises(SubjectError, match="no Pod team-a/y is in cluster lab"):
        answers.of_name(cluster, "team-a", "y", "Pod", viewer=EVERYTHING)
