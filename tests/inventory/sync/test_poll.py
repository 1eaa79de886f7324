import socket
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from demo import recorded
from demo.access import Grant
from demo.faults import CutBody, ExpireContinue, Refuse, ReplaceItem
from demo.resources import CATALOGUE
from inventory.dra.accelerators import RuleError
from inventory.models import (
    Balance,
    Card,
    Claim,
    Cluster,
    Consumer,
    Device,
    KindState,
    Node,
    Pod,
    PodClaim,
    Pool,
    Share,
    SkippedObject,
)
from inventory.models.amounts import to_quantity
from inventory.sync.check import differences
from inventory.sync.poll import poll_cluster
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import (
    HAMI,
    SHARE,
    card,
    claim,
    consumer,
    named,
    pod,
    resource_slice,
    result,
    store,
)

RESOURCES = {resource.plural: resource for resource in CATALOGUE}
CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"
UUID = {"uuid": {"string": "GPU-1"}}
SLICES = "/apis/resource.k8s.io/v1/resourceslices"


def balance(dimension: str, device: str = "hami-gpu-0") -> tuple[str | None, ...]:
    row = Balance.objects.get(device__name=device, dimension=dimension)
    amounts = (
        to_quantity(amount, row.exponent, row.notation)
        for amount in (row.total, row.allocated, row.remaining)
    )
    return tuple(None if amount is None else str(amount) for amount in amounts)


def shared(memory: str = "8Gi", cores: str = "50", **fields: Any) -> Any:
    return result(consumedCapacity={"memory": memory, "cores": cores}, **fields)


def snapshot() -> dict[str, list[Any]]:
    return {
        "devices": list(Device.objects.order_by("pk").values()),
        "balances": list(Balance.objects.order_by("pk").values()),
        "shares": list(Share.objects.order_by("pk").values()),
        "claims": list(Claim.objects.order_by("pk").values()),
        "pods": list(Pod.objects.order_by("pk").values()),
    }


def test_a_second_poll_of_an_unchanged_cluster_writes_nothing(follow: Follow) -> None:
    followed = follow(recorded.store())
    assert followed.applied().changes > 0
    before, revision = snapshot(), followed.cluster.revision
    assert followed.applied().changes == 0
    assert (snapshot(), followed.cluster.revision) == (before, revision)


def test_the_number_of_queries_does_not_grow_with_the_objects(follow: Follow) -> None:
    def queries(cards: int, name: str) -> int:
        found = follow(store(resource_slice(*(card(f"gpu-{number}") for number in range(cards)))), name)
        found.applied()
        with CaptureQueriesContext(connection) as captured:
            found.applied()
        return len(captured)

    assert queries(2, "small") == queries(100, "large")


def test_a_claim_that_goes_gives_back_what_it_held(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert not Share.objects.exists()


def test_a_claim_that_is_deallocated_gives_back_what_it_held(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.store.put(claim("c"))
    followed.applied()
    assert (balance("cores"), Claim.objects.get().state) == (("100", "0", "100"), "pending")


def test_a_claim_under_deletion_still_holds(follow: Follow) -> None:
    held = claim("c", shared(), finalizers=["resource.kubernetes.io/delete-protection"])
    followed = follow(store(resource_slice(card()), held))
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert Claim.objects.get().state == "deleted,allocated"
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")


def test_a_claim_reserved_by_many_pods_counts_once(follow: Follow) -> None:
    held = store(resource_slice(card()))
    pods = [held.put(pod(f"p-{number}")) for number in range(3)]
    held.put(claim("c", shared(), consumers=tuple(consumer(one) for one in pods)))
    follow(held).applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    assert Device.objects.get().shares == 1
    assert PodClaim.objects.filter(reserved=True).count() == 3


def test_admin_access_with_full_consumption_counts_nothing(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", shared("24Gi", "100", adminAccess=True)))).applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert (Device.objects.get().state, Device.objects.get().shares) == ("free", 0)


def test_a_claim_that_came_back_under_its_name_is_another_claim(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    before = Claim.objects.get().uid
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.store.put(claim("c", shared("4Gi", "10")))
    followed.applied()
    assert Claim.objects.get().uid != before
    assert balance("memory") == ("24Gi", "4Gi", "20Gi")


def test_a_consumer_whose_pod_is_gone_is_told_so(follow: Follow) -> None:
    held = store(resource_slice(card()))
    alive = held.put(pod("alive"))
    gone = {"resource": "pods", "name": "alive", "uid": "00000000-0000-4000-8000-000000000000"}
    other = {"apiGroup": "example.com", "resource": "widgets", "name": "w", "uid": "x"}
    held.put(claim("c", shared(), consumers=(consumer(alive), gone, other)))
    follow(held).applied()
    assert list(Consumer.objects.order_by("position").values_list("gone", flat=True)) == [False, True, None]


# Allocations and what is published


def test_an_allocation_of_an_unknown_device_is_shown_as_not_published(follow: Follow) -> None:
    follow(store(claim("c", shared(device="never-seen")))).applied()
    device = Device.objects.get()
    assert (device.name, device.published, device.state) == ("never-seen", False, "not_published")
    assert balance("memory", "never-seen") == (None, "8Gi", None)
    assert Pool.objects.get().state == "not_published"


def test_a_device_that_nobody_lists_is_where_its_allocation_is_bound_to(follow: Follow) -> None:
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]
    held = claim("c", shared(device="never-seen"))
    held["status"]["allocation"]["nodeSelector"] = {"nodeSelectorTerms": terms}
    follow(store(held, named("v1", "Node", "node-1"))).applied()
    node = Device.objects.get().node
    assert node is not None
    assert node.name == "node-1"


def test_a_device_that_left_its_slice_keeps_its_shares_and_its_product(follow: Follow) -> None:
    followed = follow(store(resource_slice(card(), card("hami-gpu-1")), claim("c", shared())))
    followed.applied()
    followed.store.put(resource_slice(card("hami-gpu-1"), generation=2))
    followed.applied()
    device = Device.objects.get(name="hami-gpu-0")
    assert (device.state, device.product, device.published) == ("not_published", "NVIDIA L4", False)
    assert balance("memory") == (None, "8Gi", None)


def test_a_device_that_nobody_holds_goes_with_its_slice(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.store.delete(RESOURCES["resourceslices"], "", "slice-1")
    followed.applied()
    assert not Device.objects.exists()
    assert not Pool.objects.exists()


def test_a_slice_without_devices_is_a_pool_without_devices(follow: Follow) -> None:
    follow(store(resource_slice())).applied()
    assert Pool.objects.get().state == "complete"
    assert not Device.objects.exists()


def test_a_tainted_free_card_is_unavailable_and_says_why(follow: Follow) -> None:
    taint = {"key": "gpu.nvidia.com/xid", "value": "79", "effect": "NoSchedule"}
    follow(store(resource_slice(card(taints=[taint])))).applied()
    device = Device.objects.get()
    assert (device.state, device.tainted) == ("unavailable", True)
    assert device.reason == "tainted: gpu.nvidia.com/xid=79:NoSchedule"


def test_a_taint_without_effect_keeps_nobody_off(follow: Follow) -> None:
    follow(store(resource_slice(card(taints=[{"key": "drain", "effect": "None"}])))).applied()
    assert (Device.objects.get().state, Device.objects.get().tainted) == ("free", False)


def test_an_allocation_from_an_older_generation_is_of_the_device_of_that_name(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.store.put(resource_slice(card(), generation=2))
    followed.applied()
    assert (balance("memory"), Pool.objects.get().generation) == (("24Gi", "8Gi", "16Gi"), 2)


def test_devices_of_one_name_in_other_pools_and_drivers_are_other_devices(follow: Follow) -> None:
    slices = (
        resource_slice(card()),
        resource_slice(card(), name="slice-2", pool="node-2"),
        resource_slice(card(), name="slice-3", driver="gpu.example.com"),
    )
    follow(store(*slices, claim("c", shared()))).applied()
    held = Device.objects.filter(shares=1).values_list("pool__driver", "pool__name")
    assert (Device.objects.count(), list(held)) == (3, [(HAMI, "node-1")])


# What cannot be read


def test_a_capacity_that_does_not_parse_is_unknown_and_reported(follow: Follow) -> None:
    broken = card(capacity={"memory": {"value": "24XB"}, "cores": {"value": "100"}})
    follow(store(resource_slice(broken), claim("c", shared()))).applied()
    assert balance("memory") == (None, "8Gi", None)
    assert balance("cores") == ("100", "50", "50")
    (skipped,) = SkippedObject.objects.all()
    assert (skipped.kind, skipped.name, skipped.part) == ("resourceslices", "slice-1", "device hami-gpu-0")
    assert "'24XB' is not a Kubernetes quantity" in skipped.reason


def test_a_consumption_that_does_not_parse_makes_what_is_left_unknown(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", shared(memory="8XB")))).applied()
    assert balance("memory") == ("24Gi", None, None)
    assert "8XB" in Share.objects.get().problem


def test_a_consumption_that_is_no_mapping_leaves_nothing_of_the_card_known(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result(consumedCapacity="all")))).applied()
    assert balance("memory") == ("24Gi", None, None)
    assert balance("cores") == ("100", None, None)
    assert SkippedObject.objects.get().part.endswith("consumedCapacity")


def test_a_malformed_detail_of_an_allocation_leaves_its_device_held(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result(share_id=None, tolerations="x")))).applied()
    assert Device.objects.get().state == "dedicated"


def test_a_number_is_an_amount_as_for_the_api_server(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result(consumedCapacity={"cores": 50})))).applied()
    assert balance("cores") == ("100", "50", "50")


def test_a_share_that_states_no_consumption_counts_nothing_and_is_told(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result()))).applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert "states no consumed capacity" in Share.objects.get().problem


def test_an_unknown_kind_of_attribute_is_kept_and_reported(follow: Follow) -> None:
    odd = card(attributes={"weight": {"float": "1.5"}, "uuid": {"string": "GPU-1"}})
    follow(store(resource_slice(odd))).applied()
    assert Device.objects.get().attributes["weight"] == {"float": "1.5"}
    assert "its kind 'float' is not known" in SkippedObject.objects.get().reason


def test_a_malformed_claim_is_skipped_and_its_row_kept(follow: Follow) -> None:
    held = store(resource_slice(card()), claim("good", shared("1Gi", "10")))
    uid = held.put(claim("bad", shared("2Gi", "20", share_id=SHARE.replace("1", "2"))))["metadata"]["uid"]
    followed = follow(held)
    followed.applied()
    broken = f'{{"metadata":{{"name":"bad","namespace":"team-a","uid":"{uid}"}},"spec":{{}},"status":"oops"}}'
    followed.server.faults.inject("*/resourceclaims", ReplaceItem(0, broken.encode()))
    followed.applied()
    assert set(Claim.objects.values_list("name", flat=True)) == {"good", "bad"}
    assert balance("memory") == ("24Gi", "3Gi", "21Gi")
    skipped = SkippedObject.objects.get()
    assert (skipped.kind, skipped.name, skipped.uid) == ("resourceclaims", "bad", uid)


def test_a_claim_without_a_name_that_can_be_read_keeps_all_rows_of_its_kind(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("a", shared("1Gi", "1")), claim("b")))
    followed.applied()
    followed.server.faults.inject("*/resourceclaims", ReplaceItem(0, b'"no object at all"'))
    followed.applied()
    assert set(Claim.objects.values_list("name", flat=True)) == {"a", "b"}
    assert SkippedObject.objects.count() == 1


def test_a_malformed_slice_leaves_its_devices_as_they_were(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    broken = b'{"metadata":{"name":"slice-1","uid":"u"},"spec":{"driver":5}}'
    followed.server.faults.inject("*/resourceslices", ReplaceItem(0, broken))
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    assert SkippedObject.objects.get().name == "slice-1"


# A cluster, or a kind, that cannot be read


def test_a_kind_that_is_forbidden_is_told_and_the_rest_goes_on(follow: Follow) -> None:
    kinds = frozenset(RESOURCES) - {"resourceclaims"}
    held = store(resource_slice(card()), claim("c", shared()))
    followed = follow(held, token="viewer", tokens={"viewer": Grant("viewer", kinds)})
    followed.applied()
    state = KindState.objects.get(kind="resourceclaims")
    assert (state.state, state.error_reason) == ("forbidden", "forbidden")
    assert "resourceclaims" in state.error_message
    assert KindState.objects.get(kind="resourceslices").state == "read"
    # Never read is not nothing held.
    assert balance("memory") == ("24Gi", None, None)
    assert (Device.objects.get().state, Device.objects.get().reason) == (
        "unknown",
        "resource claims were never read",
    )


def test_a_kind_that_became_forbidden_keeps_what_was_read_before(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.server.faults.inject(CLAIMS, Refuse(403))
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    state = KindState.objects.get(kind="resourceclaims")
    assert state.state == "forbidden"
    assert state.succeeded_at is not None


def test_slices_that_cannot_be_read_keep_the_devices_of_before(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.server.faults.inject(SLICES, Refuse(500), times=10)
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert KindState.objects.get(kind="resourceslices").state == "failed"


def test_nodes_and_namespaces_that_may_not_be_read_are_known_by_name(follow: Follow) -> None:
    kinds = frozenset(RESOURCES) - {"nodes", "namespaces"}
    held = store(resource_slice(card()), claim("c", shared()))
    follow(held, token="viewer", tokens={"viewer": Grant("viewer", kinds)}).applied()
    node = Node.objects.get()
    assert (node.name, node.listed, node.ready) == ("node-1", False, None)
    assert Claim.objects.get().namespace.name == "team-a"


def test_a_connection_that_breaks_in_the_middle_leaves_the_old_snapshot_whole(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    before = snapshot()
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.server.faults.inject("*/pods", CutBody(), times=10)
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", "unreachable")
    assert snapshot() == before
    followed.server.faults.clear()
    followed.applied()
    assert followed.cluster.error_reason == ""
    assert balance("memory") == ("24Gi", "0", "24Gi")


def test_a_list_that_expires_in_the_middle_is_started_over(follow: Follow) -> None:
    held = store(resource_slice(card()), *(claim(f"c-{number}") for number in range(600)))
    followed = follow(held)
    followed.server.faults.inject("*/resourceclaims", ExpireContinue())
    followed.applied()
    assert Claim.objects.count() == 600


def test_a_list_that_never_completes_deletes_nothing(follow: Follow) -> None:
    held = store(resource_slice(card()), *(claim(f"c-{number}") for number in range(600)))
    followed = follow(held)
    followed.applied()
    followed.server.faults.inject("*/resourceclaims", ExpireContinue(), times=10)
    followed.applied()
    assert Claim.objects.count() == 600
    assert KindState.objects.get(kind="resourceclaims").error_reason == "expired"


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "unauthorized"), (429, "throttled"), (500, "server_error"), (504, "timeout")]
)
def test_what_spoils_one_kind_leaves_the_others(follow: Follow, status: int, reason: str) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.server.faults.inject("*/resourcequotas", Refuse(status), times=10)
    followed.applied()
    state = KindState.objects.get(kind="resourcequotas")
    assert (state.state, state.error_reason) == ("failed", reason)
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")


@pytest.mark.parametrize(("status", "reason"), [(401, "unauthorized"), (429, "throttled"), (504, "timeout")])
def test_what_spoils_every_kind_keeps_the_snapshot_and_names_the_reason(
    follow: Follow, status: int, reason: str
) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    before = snapshot()
    followed.server.faults.inject("*s", Refuse(status), times=50)
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", reason)
    assert followed.cluster.error_message
    assert snapshot() == before


def test_a_fault_of_ours_is_told_on_the_cluster_and_not_swallowed(follow: Follow, settings: Any) -> None:
    followed = follow(store(resource_slice(card())))
    settings.SLICEBOARD_ACCELERATORS = ["!"]
    with pytest.raises(RuleError):
        followed.poll()
    followed.cluster.refresh_from_db()
    assert followed.cluster.error_reason == "internal"
    assert "RuleError" in followed.cluster.error_message


def test_a_server_without_dra_says_what_it_serves(follow: Follow) -> None:
    followed = follow(store(), dra_versions=[])
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", "not_served")
    assert "resource.k8s.io" in followed.cluster.error_message


def test_a_kubeconfig_that_does_not_exist_is_named(db: None) -> None:
    cluster = Cluster.objects.create(name="lab", kubeconfig="/nowhere/config")
    assert poll_cluster(cluster.pk).ended == "failed"
    cluster.refresh_from_db()
    assert (cluster.error_reason, "/nowhere/config" in cluster.error_message) == ("kubeconfig", True)


def test_a_refused_connection_is_named(db: None, tmp_path: Path, follow: Follow) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    followed = follow(store())
    config = Path(followed.cluster.kubeconfig)
    config.write_text(config.read_text().replace(followed.server.url, f"http://127.0.0.1:{port}"))
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", "unreachable")
    assert str(port) in followed.cluster.error_message


# Nothing that one may write into a cluster stops a poll or bends the books


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


# The books


def test_stored_balances_are_what_the_ledger_derives(follow: Follow) -> None:
    followed: Followed = follow(recorded.store())
    followed.applied()
    assert list(differences(followed.cluster)) == []


def test_a_stored_balance_that_was_changed_is_found(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    Balance.objects.filter(dimension="memory").update(remaining=1)
    (difference,) = differences(followed.cluster)
    assert "remaining is stored as 1, the ledger derives 17179869184" in difference
    followed.applied()
    assert list(differences(followed.cluster)) == []
