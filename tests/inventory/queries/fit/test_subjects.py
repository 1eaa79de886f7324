"""Which cluster is meant, and which Pods wait for a claim: it goes with whichever is scheduled first."""

import pytest

from inventory.models import Cluster
from inventory.queries.fit.subjects import ClusterChoiceError, cluster_named
from tests.factories import make_cluster
from tests.inventory.queries.fit.asking import ask, cluster_of, node, of, waiting_pod, wanting
from tests.inventory.sync.conftest import Follow

IN_B = {"nodeSelector": {"zone": "b"}}


def test_the_answer_for_a_claim_is_that_of_the_pod_that_comes_off_best(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"), waiting_pod("a", of("c"), **IN_B), waiting_pod("b", of("c")))).applied()
    row = ask("c")
    assert (row.kind, row.name, row.verdict, row.pods_waiting) == ("Pod", "b", "fits", 2)
    assert [(one.name, one.verdict, one.fits_on) for one in row.pods] == [
        ("b", "fits", 1),
        ("a", "pod_rules", 0),
    ]


def test_a_pod_that_need_not_wait_comes_before_one_that_has_gates(follow: Follow) -> None:
    gated = waiting_pod("a", of("c"), schedulingGates=[{"name": "example.com/wait"}])
    follow(cluster_of(wanting("8Gi"), gated, waiting_pod("b", of("c")))).applied()
    row = ask("c")
    assert (row.name, row.wait) == ("b", None)
    assert [(one.name, one.waiting) for one in row.pods] == [("b", None), ("a", "gates")]


def test_the_other_claims_of_the_pod_go_with_it(follow: Follow) -> None:
    both = waiting_pod("p", of("other"), of("c"))
    follow(cluster_of(wanting("8Gi"), wanting("20Gi", "other"), both)).applied()
    row = ask("c")
    assert (row.name, row.claims) == ("p", ("other", "c"))


def test_pods_that_ask_for_the_same_are_all_named(follow: Follow) -> None:
    alike = [waiting_pod(f"p-{number}", of("c")) for number in range(12)]
    follow(cluster_of(wanting("8Gi"), *alike)).applied()
    row = ask("c")
    assert (row.pods_waiting, len(row.pods), {one.verdict for one in row.pods}) == (12, 12, {"fits"})


def test_of_pods_that_differ_no_more_are_looked_at_than_there_is_time_for(follow: Follow) -> None:
    apart = [waiting_pod(f"p-{number}", of("c"), nodeSelector={"zone": str(number)}) for number in range(9)]
    follow(cluster_of(wanting("8Gi"), *apart, node("node-2", labels={"zone": "3"}))).applied()
    row = ask("c")
    assert (row.pods_waiting, len(row.pods)) == (9, 8)


def test_a_pod_that_has_ended_waits_no_more(follow: Follow) -> None:
    ended = waiting_pod("a", of("c"))
    ended["status"] = {"phase": "Failed"}
    follow(cluster_of(wanting("8Gi"), ended)).applied()
    row = ask("c")
    assert row.wait is not None
    assert (row.kind, row.pods, row.wait.waiting) == ("ResourceClaim", (), "consumer")


@pytest.mark.django_db
def test_the_only_cluster_need_not_be_named() -> None:
    only = make_cluster("lab-1")
    assert cluster_named(None) == cluster_named("lab-1") == only


@pytest.mark.django_db
def test_a_cluster_that_is_not_clear_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ClusterChoiceError, match="no cluster is kept yet"):
        cluster_named("lab-1")
    make_cluster("lab-1")
    with pytest.raises(ClusterChoiceError, match="there is no cluster lab-9; known: lab-1"):
        cluster_named("lab-9")
    make_cluster("lab-2")
    with pytest.raises(ClusterChoiceError, match="there are several clusters, name one; known: lab-1, lab-2"):
        cluster_named(None)


@pytest.mark.django_db
def test_of_many_clusters_the_first_are_named() -> None:
    Cluster.objects.bulk_create(Cluster(name=f"lab-{number:02}") for number in range(30))
    with pytest.raises(ClusterChoiceError, match=r"lab-19, …$"):
        cluster_named(None)
