"""Nothing that one may write into a cluster stops a poll or bends the books."""

from demo.faults import Refuse, ReplaceItem
from inventory.models import Balance, Card, Claim, Device, Pod, Pool, SkippedObject
from tests.inventory.sync.books import SLICES, UUID, balance, shared
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, claim, named, pod, resource_slice, result, store


def test_owners_and_annotations_of_any_length_are_taken(follow: Follow) -> None:
    owner = {"apiVersion": "v1", "kind": "K" * 300, "name": "n" * 3000, "uid": "u" * 300, "controller": True}
    notes = {"resource.kubernetes.io/pod-claim-name": "a" * 3000}
    held = store(resource_slice(card()), claim("c", shared(), ownerReferences=[owner], annotations=notes))
    held.put(pod("p", metadata={"ownerReferences": [owner]}))
    follow(held).applied()
    assert Claim.objects.get().owner_kind == "K" * 300
    assert Pod.objects.get().workload_name == "n" * 3000


def test_a_use_a_million_times_over_is_told_as_over_allocated(follow: Follow) -> None:
    tiny = card(capacity={"memory": {"value": "1"}})
    follow(store(resource_slice(tiny), claim("c", shared(memory="8Ei")))).applied()
    assert Device.objects.get().state == "over_allocated"
    assert Device.objects.get().use_millionths is not None


def test_amounts_below_zero_make_no_room(follow: Follow) -> None:
    odd = card(capacity={"memory": {"value": "24Gi"}, "cores": {"value": "-5"}})
    follow(store(resource_slice(odd), claim("c", shared(memory="-8Gi")))).applied()
    assert balance("memory") == ("24Gi", None, None)
    assert balance("cores") == (None, "50", None)
    assert "below zero" in SkippedObject.objects.get().reason


def test_a_counter_set_that_is_spelled_like_a_device_is_another_card(follow: Follow) -> None:
    drawn = [{"counterSet": "gpu-0", "counters": {"memory": {"value": "1Gi"}}}]
    parts = [card(f"part-{number}", consumesCounters=drawn) for number in range(2)]
    counters = [{"name": "gpu-0", "counters": {"memory": {"value": "40Gi"}}}]
    held = store(
        resource_slice(card("gpu-0"), *parts, count=2),
        resource_slice(name="slice-2", count=2, sharedCounters=counters),
    )
    follow(held).applied()
    assert set(Card.objects.values_list("key", flat=True)) == {"gpu-0", "gpu-0 (part-0)"}


def test_a_counter_that_cannot_be_read_makes_its_partitions_unavailable_and_is_told(follow: Follow) -> None:
    drawn = [{"counterSet": "cs", "counters": {"memory": {"value": "1Gi"}}}]
    counters = [{"name": "cs", "counters": {"memory": {"value": "40XB"}}}]
    held = store(
        resource_slice(card("part", consumesCounters=drawn), count=2),
        resource_slice(name="slice-2", count=2, sharedCounters=counters),
    )
    follow(held).applied()
    assert Device.objects.get().reason == "counter cs/memory cannot be read"
    assert "40XB" in SkippedObject.objects.get().reason


def test_a_second_name_of_a_card_that_is_held_takes_the_card(follow: Follow) -> None:
    names = [card("gpu-0", attributes=UUID), card("gpu-vfio-0", attributes=UUID, capacity={})]
    follow(store(resource_slice(*names), claim("c", result("gpu-vfio-0", share_id=None)))).applied()
    found = Card.objects.get()
    memory = Balance.objects.get(card=found, device=None, dimension="memory")
    assert (found.state, memory.remaining) == ("dedicated", 0)


def test_one_unreadable_slice_leaves_the_rest_of_its_pool_as_it_was(follow: Follow) -> None:
    slices = [resource_slice(card(f"gpu-{number}"), name=f"slice-{number}", count=2) for number in range(2)]
    followed = follow(store(*slices))
    followed.applied()
    broken = b'{"metadata":{"name":"slice-1","uid":"u"},"spec":{"driver":5}}'
    followed.server.faults.inject("*/resourceslices", ReplaceItem(1, broken))
    followed.applied()
    states = Device.objects.values_list("name", "state", "published")
    assert set(states) == {("gpu-0", "free", True), ("gpu-1", "free", True)}
    assert Pool.objects.get().state == "complete"


def test_one_unreadable_device_stays_as_it_was(follow: Follow) -> None:
    followed = follow(store(resource_slice(card(), card("gpu-1")), claim("c", shared())))
    followed.applied()
    followed.store.put(resource_slice(card(allowMultipleAllocations="yes"), card("gpu-1")))
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    assert SkippedObject.objects.get().part == "device hami-gpu-0"


def test_a_slice_that_names_no_nodes_has_no_usable_device(follow: Follow) -> None:
    follow(store(resource_slice(card(), nodeName=None))).applied()
    assert (Pool.objects.get().state, Device.objects.get().state) == ("invalid", "unavailable")


def test_an_owner_list_that_fails_leaves_the_workload_as_it_was(follow: Follow) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}
    middle = named("apps/v1", "ReplicaSet", "web-abc", "team-a", metadata={"ownerReferences": [owner]})
    held = store()
    uid = held.put(middle)["metadata"]["uid"]
    mine = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-abc", "uid": uid, "controller": True}
    held.put(pod("p", metadata={"ownerReferences": [mine]}))
    followed = follow(held)
    followed.applied()
    followed.server.faults.inject("*/replicasets", Refuse(500), times=10)
    followed.applied()
    assert (Pod.objects.get().workload_kind, Pod.objects.get().workload_name) == ("Deployment", "web")


def test_what_was_skipped_stays_told_while_its_kind_cannot_be_read(follow: Follow) -> None:
    followed = follow(store(resource_slice(card(capacity={"memory": {"value": "24XB"}}))))
    followed.applied()
    followed.server.faults.inject(SLICES, Refuse(500), times=10)
    followed.applied()
    assert "24XB" in SkippedObject.objects.get().reason


def test_a_taint_rule_that_cannot_be_evaluated_is_told(follow: Follow) -> None:
    rule = named(
        "resource.k8s.io/v1beta2",
        "DeviceTaintRule",
        "by-class",
        spec={"deviceSelector": {"deviceClassName": "gpu"}, "taint": {"key": "k", "effect": "NoSchedule"}},
    )
    follow(store(resource_slice(card()), rule)).applied()
    assert Device.objects.get().tainted is False
    assert "deviceClassName cannot be evaluated" in SkippedObject.objects.get().reason
