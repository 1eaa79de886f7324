from datetime import UTC, datetime

import pytest

from demo.resources import PODS, RESOURCE_CLAIMS, RESOURCE_SLICES
from demo.store import Compacted, FutureRevision, Store
from tests.demo.factories import claim, pod, store_of_pods

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def test_every_write_gets_the_next_version() -> None:
    store = Store(clock=lambda: NOW)
    first = store.put(pod("a"))["metadata"]
    second = store.put(claim("b"))["metadata"]
    assert (first["resourceVersion"], second["resourceVersion"]) == ("1", "2")
    assert first["creationTimestamp"] == "2026-11-29T12:00:00Z"


def test_an_update_keeps_uid_and_creation_time_and_counts_generations() -> None:
    store = Store()
    created = store.put(pod("a"))["metadata"]
    status_only = store.put(pod("a", status={"phase": "Running"}))["metadata"]
    respecified = store.put(pod("a", spec={"nodeName": "n"}))["metadata"]
    assert created["uid"] == respecified["uid"]
    assert (created["generation"], status_only["generation"], respecified["generation"]) == (1, 1, 2)


def test_a_claim_has_no_generation() -> None:
    assert "generation" not in Store().put(claim("a"))["metadata"]


def test_an_object_with_finalizers_is_marked_and_goes_with_the_last_of_them() -> None:
    store = Store()
    held = claim("a")
    held["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
    store.put(held)
    store.delete(RESOURCE_CLAIMS, "team-a", "a")
    marked = store.find(RESOURCE_CLAIMS, "team-a", "a")
    assert marked is not None
    assert marked["metadata"]["deletionTimestamp"]
    del marked["metadata"]["finalizers"]
    store.put(marked)
    assert store.get(RESOURCE_CLAIMS, "team-a", "a") is None


def test_a_pod_in_its_grace_period_stays() -> None:
    store = Store()
    leaving = {"deletionTimestamp": "2026-11-29T12:00:30Z", "deletionGracePeriodSeconds": 30}
    store.put(pod("a"))
    store.put(pod("a", metadata=leaving))
    assert store.get(PODS, "team-a", "a") is not None


def test_deleting_what_is_not_there_says_so() -> None:
    with pytest.raises(KeyError, match="pods team-a/ghost"):
        Store().delete(PODS, "team-a", "ghost")


def test_earlier_states_can_be_read_until_they_are_compacted() -> None:
    store = store_of_pods(3)
    store.delete(PODS, "team-a", "pod-001")
    assert [record.name for record in store.snapshot(PODS, 2).records] == ["pod-000", "pod-001"]
    assert [record.name for record in store.snapshot(PODS, 4).records] == ["pod-000", "pod-002"]
    store.compact(3)
    assert len(store.snapshot(PODS, 3).records) == 3
    with pytest.raises(Compacted):
        store.snapshot(PODS, 2)
    with pytest.raises(FutureRevision):
        store.snapshot(PODS, 5)


def test_the_history_is_bounded() -> None:
    store = store_of_pods(100, history_limit=10)
    assert store.compacted >= 87
    assert len(store.changes_after(store.compacted)) <= 13
    with pytest.raises(Compacted):
        store.changes_after(5)


def test_what_was_handed_out_can_be_changed_without_harm() -> None:
    store = Store()
    store.put(pod("a"))
    found = store.find(PODS, "team-a", "a")
    assert found is not None
    found["metadata"]["labels"] = {"changed": "yes"}
    assert store.objects(PODS)[0]["metadata"].get("labels") is None


def test_loaded_objects_keep_their_versions() -> None:
    store = Store()
    item = {"metadata": {"name": "s", "uid": "u", "resourceVersion": "7"}, "spec": {}}
    store.load(RESOURCE_SLICES, [item], 40)
    assert store.find(RESOURCE_SLICES, "", "s") == {
        "kind": "ResourceSlice",
        "apiVersion": "resource.k8s.io/v1",
        **item,
    }
    assert (store.revision, store.compacted) == (40, 40)
