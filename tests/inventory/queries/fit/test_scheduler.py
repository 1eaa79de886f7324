"""What the scheduler sees is read from rows, and kept between questions."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from pytest_django import DjangoAssertNumQueries

from demo.access import Grant
from inventory.models import KindState
from inventory.queries.fit import scheduler
from tests.inventory.queries.fit.asking import (
    ask,
    cluster_of,
    node,
    of,
    places,
    waiting_pod,
    wanting,
)
from tests.inventory.sync.books import RESOURCES
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import HAMI, SHARE, card, claim, named, resource_slice, result

SELECTED = [{"cel": {"expression": f'device.attributes["{HAMI}"].productName == "NVIDIA L4"'}}]


def tainting(name: str, **selector: str) -> Any:
    taint = {"key": "example.com/broken", "effect": "NoSchedule"}
    return named(
        "resource.k8s.io/v1beta2", "DeviceTaintRule", name, spec={"deviceSelector": selector, "taint": taint}
    )


def slices_read(cluster: Any) -> dict[str, Any]:
    """The slices that are kept, by name."""
    kept = scheduler._kept[cluster.pk, cluster.created_at]
    return {name: one for name, (_, one) in kept.slices.items()}


def test_what_shares_hold_is_not_there_for_others(follow: Follow) -> None:
    held = claim("held", result(consumedCapacity={"memory": "20Gi", "cores": "10"}))
    follow(cluster_of(held, wanting("8Gi"))).applied()
    assert places(ask("c")) == ["c: hami-gpu-1"]


def test_what_admin_access_looks_at_is_free_for_others(follow: Follow) -> None:
    held = claim("held", result(share_id=None, adminAccess=True))
    follow(cluster_of(held, wanting("8Gi"), cards=1)).applied()
    assert places(ask("c")) == ["c: hami-gpu-0"]


def test_a_device_that_is_held_whole_has_no_room(follow: Follow) -> None:
    follow(cluster_of(claim("held", result(share_id=None)), wanting("8Gi"), cards=1)).applied()
    row = ask("c")
    assert [group.check for group in row.requests[0].groups] == ["held"]


def test_a_share_whose_amount_cannot_be_read_leaves_its_device_unknown(follow: Follow) -> None:
    held = claim("held", result(consumedCapacity={"memory": "lots", "cores": "10"}))
    follow(cluster_of(held, wanting("8Gi"), cards=1)).applied()
    row = ask("c")
    assert (row.verdict, row.requests[0].groups[0].check) == ("cannot_simulate", "unknown")


@pytest.mark.parametrize("kind", ["resourceslices", "resourceclaims", "deviceclasses"])
def test_a_kind_that_was_never_read_leaves_the_answer_open(follow: Follow, kind: str) -> None:
    follow(cluster_of(wanting("8Gi"))).applied()
    KindState.objects.filter(kind=kind).update(succeeded_at=None)
    row = ask("c")
    assert (row.verdict, row.message) == ("cannot_simulate", f"never read from cluster lab: {kind}")


def test_nodes_that_may_not_be_read_are_those_that_slices_name(follow: Follow) -> None:
    kinds = frozenset(RESOURCES) - {"nodes"}
    pods = [waiting_pod("free", of("c")), waiting_pod("bound", of("d"), nodeSelector={"zone": "a"})]
    held = cluster_of(wanting("8Gi"), wanting("8Gi", "d"), *pods)
    follow(held, token="viewer", tokens={"viewer": Grant("viewer", kinds)}).applied()
    free = ask("free")
    assert [one.node for one in free.fits] == ["node-1"]
    assert [(one.caveat, one.count) for one in free.doubts] == [("nodes_unread", 1)]
    row = ask("bound")
    assert row.verdict == "cannot_simulate"
    assert row.message == "node node-1 could not be read"


def test_a_release_without_shares_gives_whole_devices_only(follow: Follow) -> None:
    """1.33 knows no consumable capacity."""
    held = cluster_of(claim("c"), cards=0)
    held.put(resource_slice(card(allowMultipleAllocations=None)))
    follow(held, version="v1.33.4").applied()
    (placed,) = ask("c").fits[0].placements
    assert (placed.device, placed.shared, placed.consumed) == ("hami-gpu-0", False, None)


def test_a_release_that_has_the_gate_off_refuses_requests_for_capacity(follow: Follow) -> None:
    held = cluster_of(wanting("8Gi"), cards=0)
    held.put(resource_slice(card(allowMultipleAllocations=None)))
    follow(held, version="v1.33.4").applied()
    row = ask("c")
    assert (row.verdict, "DRAConsumableCapacity feature is disabled" in (row.message or "")) == (
        "refused",
        True,
    )


def test_a_class_that_cannot_be_read_stands_in_the_way_of_nobody_else(follow: Follow) -> None:
    odd = named("resource.k8s.io/v1", "DeviceClass", "odd", spec={"selectors": [{"lua": "true"}]})
    follow(cluster_of(odd, wanting("8Gi"))).applied()
    assert ask("c").verdict == "fits"


def test_list_attributes_are_seen_by_selectors_where_the_cluster_has_them(follow: Follow) -> None:
    listed = card("listed", attributes={"numaNodes": {"ints": [0, 1]}})
    asked = wanting("8Gi")
    expression = f'device.attributes["{HAMI}"].numaNodes.includes(1)'
    asked["spec"]["devices"]["requests"][0]["exactly"]["selectors"] = [{"cel": {"expression": expression}}]
    held = cluster_of(asked, cards=0)
    held.put(resource_slice(listed))
    follow(held).applied()
    assert places(ask("c")) == ["c: listed"]


def test_a_counter_set_that_does_not_exist_makes_its_pool_unusable_and_is_named(follow: Follow) -> None:
    drawing = card(
        "part", consumesCounters=[{"counterSet": "gone", "counters": {"memory": {"value": "1Gi"}}}]
    )
    held = cluster_of(wanting("8Gi"), cards=0)
    held.put(resource_slice(drawing))
    follow(held).applied()
    row = ask("c")
    assert (row.verdict, row.requests[0].groups[0].check) == ("pools", "pool")
    (pool,) = row.pools
    assert "part draws on the counter set gone, which no slice defines" in pool.reason


# What is kept


def test_only_slices_that_changed_are_read_anew(follow: Follow) -> None:
    held = cluster_of(wanting("8Gi"))
    held.put(resource_slice(card("other"), name="slice-2", pool="node-2", nodeName="node-2"))
    held.put(node("node-2"))
    followed = follow(held)
    followed.applied()
    ask("c")
    before = slices_read(followed.cluster)
    held.put(resource_slice(card("other"), card("new"), name="slice-2", pool="node-2", nodeName="node-2"))
    followed.applied()
    ask("c")
    after = slices_read(followed.cluster)
    assert after["slice-1"] is before["slice-1"]
    assert after["slice-2"] is not before["slice-2"]
    assert [one.id.name for one in after["slice-2"].candidates] == ["other", "new"]


def test_a_slice_that_is_gone_is_forgotten(follow: Follow) -> None:
    held = cluster_of(wanting("8Gi"))
    followed = follow(held)
    followed.applied()
    assert ask("c").verdict == "fits"
    held.delete(RESOURCES["resourceslices"], "", "slice-1")
    followed.applied()
    assert ask("c").verdict == "no_room"
    assert slices_read(followed.cluster) == {}


def test_a_change_of_a_share_alone_reads_no_slice(follow: Follow) -> None:
    held = cluster_of(wanting("8Gi"), cards=1)
    followed = follow(held)
    followed.applied()
    ask("c")
    before = slices_read(followed.cluster)["slice-1"]
    held.put(claim("held", result(share_id=SHARE, consumedCapacity={"memory": "20Gi", "cores": "1"})))
    followed.applied()
    assert ask("c").verdict == "no_room"
    assert slices_read(followed.cluster)["slice-1"] is before


def test_a_taint_rule_takes_effect_on_slices_that_did_not_change(follow: Follow) -> None:
    held = cluster_of(wanting("8Gi"))
    followed = follow(held)
    followed.applied()
    assert places(ask("c")) == ["c: hami-gpu-0"]
    held.put(tainting("broken", pool="node-1", device="hami-gpu-0"))
    followed.applied()
    assert places(ask("c")) == ["c: hami-gpu-1"]
    held.delete(RESOURCES["devicetaintrules"], "", "broken")
    followed.applied()
    assert places(ask("c")) == ["c: hami-gpu-0"]


def test_clusters_are_kept_apart(follow: Follow) -> None:
    full = claim("held", result(share_id=None))
    one = follow(cluster_of(wanting("8Gi"), cards=1), "one")
    other = follow(cluster_of(wanting("8Gi"), full, cards=1), "other")
    for followed in (one, other):
        followed.applied()
    for _ in range(2):
        assert ask("c", one.cluster).verdict == "fits"
        assert ask("c", other.cluster).verdict == "no_room"


@pytest.mark.parametrize("cards", [2, 60])
def test_a_question_to_a_kept_cluster_takes_as_many_queries_however_many_devices_it_has(
    follow: Follow, django_assert_num_queries: DjangoAssertNumQueries, cards: int
) -> None:
    follow(cluster_of(wanting("8Gi"), cards=cards)).applied()
    ask("c")
    with django_assert_num_queries(7):
        ask("c")


@pytest.mark.django_db(transaction=True)
def test_threads_that_ask_at_once_get_the_same_answer(follow: Follow) -> None:
    asked = wanting("8Gi")
    asked["spec"]["devices"]["requests"][0]["exactly"]["selectors"] = SELECTED
    followed = follow(cluster_of(asked, cards=40))
    followed.applied()

    def asking(_: int) -> list[str]:
        try:
            return places(ask("c", followed.cluster))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(asking, range(32)))
    assert found == [["c: hami-gpu-0"]] * 32


def test_a_taint_rule_that_is_not_understood_is_told_with_the_answer(follow: Follow) -> None:
    held = cluster_of(wanting("8Gi"))
    rule = tainting("odd", pool="node-1")
    rule["spec"]["deviceSelector"]["selectors"] = [{"cel": {"expression": "true"}}]
    held.put(rule)
    follow(held).applied()
    assert [(one.caveat, one.detail) for one in ask("c").doubts] == [
        ("cluster", "DeviceTaintRule odd selects devices by selectors")
    ]
