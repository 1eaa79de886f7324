"""What of a text cannot be asked about is said, and not guessed."""

from typing import Any

import pytest

from inventory.kube.manifests import Manifest, ManifestError
from inventory.models import Cluster, KindState
from inventory.queries.fit import answers
from inventory.viewer import EVERYTHING
from tests.inventory.queries.fit.asking import cluster_of, of, waiting_pod, wanting
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import DRA, claim, named, result


def asked(*objects: dict[str, Any]) -> list[answers.FitRow]:
    found = [Manifest(one["kind"], "team-a", one["metadata"]["name"], one) for one in objects]
    return answers.of_manifests(Cluster.objects.get(), found, "team-a", viewer=EVERYTHING)


@pytest.mark.parametrize("resource", ["example.com/card", "deviceclass.resource.kubernetes.io/cards"])
def test_a_resource_that_a_class_stands_for_is_not_simulated(follow: Follow, resource: str) -> None:
    stands_for = named(DRA, "DeviceClass", "cards", spec={"extendedResourceName": "example.com/card"})
    follow(cluster_of(stands_for)).applied()
    pod = waiting_pod("p", containers=[{"name": "app", "resources": {"limits": {resource: 1}}}])
    with pytest.raises(ManifestError, match=resource):
        asked(pod)


def test_another_resource_is_no_matter_of_claims(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"))).applied()
    pod = waiting_pod("p", of("c"), containers=[{"name": "app", "resources": {"limits": {"cpu": 1}}}])
    assert [row.verdict for row in asked(pod)] == ["fits"]


def test_a_pod_that_names_a_claim_that_is_being_deleted_is_refused(follow: Follow) -> None:
    going = {"deletionTimestamp": "2026-11-29T08:00:00Z", "finalizers": ["example.com/held"]}
    follow(cluster_of(wanting("8Gi", metadata=going))).applied()
    with pytest.raises(ManifestError, match="ResourceClaim c is being deleted"):
        asked(waiting_pod("p", of("c")))


def test_no_more_claims_are_looked_for_than_a_pod_could_use(follow: Follow) -> None:
    follow(cluster_of()).applied()
    with pytest.raises(ManifestError, match="65 claims; at most 64"):
        asked(waiting_pod("p", *(of(f"c{number}") for number in range(65))))


def test_a_claim_of_the_cluster_with_a_field_that_is_not_known_here_is_named(follow: Follow) -> None:
    strange = wanting("8Gi")
    strange["spec"]["devices"]["requests"][0]["exactly"]["derivedAttributes"] = []
    follow(cluster_of(strange)).applied()
    with pytest.raises(ManifestError, match=r"its claim c: .*derivedAttributes"):
        asked(waiting_pod("p", of("c")))


HELD: dict[str, Any] = {"consumedCapacity": {"memory": "20Gi", "cores": "10"}}


def test_a_claim_that_is_allocated_as_it_is_written_is_not_placed_again(follow: Follow) -> None:
    held = claim("c", result(**HELD))
    follow(cluster_of(held, cards=1)).applied()
    (row,) = asked(held)
    assert row.wait is not None
    assert (row.verdict, row.wait.waiting, row.wait.names) == ("nothing_to_place", "nothing", ("c",))


def test_a_claim_of_a_text_binds_its_pod_to_the_nodes_that_it_is_allocated_on(follow: Follow) -> None:
    there = {
        "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["x"]}]}]
    }
    held = claim("held", result(**HELD))
    held["status"]["allocation"]["nodeSelector"] = there
    follow(cluster_of(held, wanting("1Gi"))).applied()
    (row,) = asked(held, waiting_pod("p", of("held"), of("c")))
    assert (row.verdict, row.claims, row.excluded[0].obstacle.detail) == ("pod_rules", ("c",), "held")


def test_a_claim_that_is_written_anew_may_have_what_it_holds_now(follow: Follow) -> None:
    held = claim("c", result(**HELD))
    follow(cluster_of(held, cards=1)).applied()
    (row,) = asked(wanting("23Gi"))
    assert (row.verdict, row.fits[0].placements[0].device) == ("fits", "hami-gpu-0")
    assert [(one.caveat, one.detail) for one in row.doubts] == [("replaced", "c")]
    (other,) = asked(wanting("23Gi", "other"))
    assert (other.verdict, other.doubts) == ("no_room", ())


def test_a_pod_that_names_its_node_bypasses_the_scheduler(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"))).applied()
    (row,) = asked(waiting_pod("p", of("c"), nodeName="node-1"))
    assert row.wait is not None
    assert (row.verdict, row.wait.waiting, row.wait.detail) == ("fits", "bypassed", "node-1")


def test_the_gates_of_a_pod_are_told_before_it_is_made(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"))).applied()
    (row,) = asked(waiting_pod("p", of("c"), schedulingGates=[{"name": "example.com/wait"}]))
    assert row.wait is not None
    assert (row.wait.waiting, row.wait.names) == ("gates", ("example.com/wait",))


def test_claims_that_cannot_be_read_are_not_said_to_be_missing(follow: Follow) -> None:
    follow(cluster_of()).applied()
    KindState.objects.filter(kind="resourceclaims").update(succeeded_at=None)
    with pytest.raises(ManifestError, match="resourceclaims of lab cannot be read"):
        asked(waiting_pod("p", of("gone")))
