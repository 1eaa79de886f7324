"""The recorded control plane, recomputed from its JSON without any of the product's code."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from demo import recorded
from inventory.models import Balance, Card, Claim, ConsumedCapacity, Device, Pod, PodClaim, Pool, Share
from inventory.models.amounts import to_quantity
from tests.inventory.sync.conftest import Follow, Followed

FOLDER = Path(recorded.__file__).parent
UNITS = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "m": -3}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
Target = tuple[str, str, str]


def items(kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{kind}.json").read_text())["items"]
    return found


def number(text: str) -> Fraction:
    match = re.fullmatch(r"([\d.]+)([A-Za-z]*)", text)
    assert match, text
    digits, unit = match.groups()
    return Fraction(digits) * (2 ** BINARY[unit] if unit in BINARY else Fraction(10) ** UNITS[unit])


def results() -> Iterator[tuple[dict[str, Any], int, dict[str, Any]]]:
    for claim in items("resourceclaims"):
        allocation = (claim.get("status") or {}).get("allocation") or {}
        for position, result in enumerate(allocation.get("devices", {}).get("results", [])):
            yield claim, position, result


def expected_remaining() -> dict[tuple[str, str, str, str], Fraction]:
    """total − allocated, 0 for a dedicated device; admin access left out."""
    consumed: defaultdict[Target, defaultdict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    dedicated: set[Target] = set()
    for _, _, result in results():
        target = result["driver"], result["pool"], result["device"]
        if result.get("adminAccess"):
            continue
        if "shareID" not in result:
            dedicated.add(target)
        for dimension, amount in result.get("consumedCapacity", {}).items():
            consumed[target][dimension] += number(amount)
    newest: dict[tuple[str, str], int] = {}
    slices = [
        (one["spec"], (one["spec"]["driver"], one["spec"]["pool"]["name"])) for one in items("resourceslices")
    ]
    for spec, pool in slices:
        newest[pool] = max(newest.get(pool, 0), spec["pool"]["generation"])
    return {
        (*pool, device["name"], dimension): Fraction(0)
        if (*pool, device["name"]) in dedicated
        else number(capacity["value"]) - consumed[*pool, device["name"]][dimension]
        for spec, pool in slices
        if spec["pool"]["generation"] == newest[pool]
        for device in spec.get("devices", [])
        for dimension, capacity in device.get("capacity", {}).items()
    }


@pytest.fixture
def followed(follow: Follow) -> Followed:
    found = follow(recorded.store())
    found.applied()
    return found


def exact(amount: int | None, exponent: int, notation: str) -> Fraction:
    quantity = to_quantity(amount, exponent, notation)
    assert quantity is not None
    return Fraction(quantity.nanos, 10**9)


def test_every_allocation_result_is_a_share_with_its_device_share_id_and_consumption(
    followed: Followed,
) -> None:
    shares = {
        (share.claim.uid, share.position): share
        for share in Share.objects.select_related("claim", "device__pool")
    }
    consumed: defaultdict[int, dict[str, Fraction]] = defaultdict(dict)
    for one in ConsumedCapacity.objects.all():
        consumed[one.share_id][one.dimension] = exact(one.amount, one.exponent, one.notation)
    expected = {(claim["metadata"]["uid"], position): result for claim, position, result in results()}
    assert shares.keys() == expected.keys()
    for key, result in expected.items():
        share = shares[key]
        assert (share.device.pool.driver, share.device.pool.name, share.device.name) == (
            result["driver"],
            result["pool"],
            result["device"],
        )
        assert share.share_id == result.get("shareID", "")
        assert share.admin_access is result.get("adminAccess", False)
        assert share.dedicated is ("shareID" not in result)
        assert consumed[share.pk] == {
            name: number(text) for name, text in result.get("consumedCapacity", {}).items()
        }


def test_what_is_left_of_every_device_is_its_capacity_less_what_is_consumed(followed: Followed) -> None:
    balances = Balance.objects.filter(device__isnull=False).select_related("device__pool")
    found = {
        (one.device.pool.driver, one.device.pool.name, one.device.name, one.dimension): exact(
            one.remaining, one.exponent, one.notation
        )
        for one in balances
        if one.device
    }
    assert found == expected_remaining()


def test_claims_have_the_states_that_kubectl_printed(followed: Followed) -> None:
    table = json.loads((FOLDER.parents[1] / "tests/demo/captures/resourceclaims.table.json").read_text())
    column = [one["name"] for one in table["columnDefinitions"]].index("State")
    printed = {row["object"]["metadata"]["uid"]: row["cells"][column] for row in table["rows"]}
    assert dict(Claim.objects.values_list("uid", "state")) == printed


def test_every_reservation_of_a_pod_is_found_from_the_pod(followed: Followed) -> None:
    expected = {
        (consumer["uid"], claim["metadata"]["uid"])
        for claim in items("resourceclaims")
        for consumer in (claim.get("status") or {}).get("reservedFor", [])
        if consumer["resource"] == "pods"
    }
    reserved = PodClaim.objects.filter(reserved=True).exclude(claim__owner_kind="PodGroup")
    assert set(reserved.values_list("pod__uid", "claim__uid")) == expected


def test_the_pods_of_a_gang_hold_the_claim_that_is_reserved_for_their_group(followed: Followed) -> None:
    held = PodClaim.objects.filter(claim__owner_kind="PodGroup", reserved=True)
    assert set(held.values_list("pod__name", flat=True)) == {"gang-0", "gang-1"}


def test_workloads_are_found_through_the_owner_chain(followed: Followed) -> None:
    workloads = set(Pod.objects.exclude(workload_kind="").values_list("workload_kind", "workload_name"))
    assert workloads == {("Deployment", "inference"), ("Job", "train"), ("StatefulSet", "notebook")}


def test_the_incomplete_pool_says_how_many_slices_it_lacks(followed: Followed) -> None:
    pool = Pool.objects.get(name="incomplete")
    assert (pool.state, pool.generation, pool.slices_seen, pool.slices_expected) == ("incomplete", 3, 1, 2)
    device = Device.objects.get(pool=pool)
    assert (device.name, device.published, device.listed, device.state) == ("x0", False, True, "unavailable")


def test_cards_are_counted_as_people_count_them(followed: Followed) -> None:
    counted: defaultdict[tuple[str, bool], int] = defaultdict(int)
    for product, partitioned in Card.objects.values_list("product", "partitioned"):
        counted[product, partitioned] += 1
    assert counted == {
        ("NVIDIA A100-SXM4-80GB", False): 16,
        ("Ascend310P3", False): 5,
        ("NVIDIA H100 80GB HBM3", False): 8,
        ("NVIDIA H100 80GB HBM3", True): 2,
        ("Fabric L40S", False): 4,
    }


def test_a_partitioned_card_balances_by_its_counters(followed: Followed) -> None:
    memory = Balance.objects.get(card__key="gpu-0", card__partitioned=True, dimension="memory", device=None)
    (drawn,) = [
        device["consumesCounters"][0]["counters"]["memory"]["value"]
        for one in items("resourceslices")
        for device in one["spec"].get("devices", [])
        if device["name"] == "gpu-0-mig-2g20gb-14-0"
    ]
    assert exact(memory.allocated, memory.exponent, memory.notation) == number(drawn)


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
def test_older_api_versions_give_the_same_books(follow: Follow, followed: Followed, version: str) -> None:
    older = follow(recorded.store(), "older", dra_versions=[version])
    older.applied()
    assert older.cluster.dra_version == version
    columns = ("device__name", "dimension", "total", "allocated", "remaining", "exponent")
    ordered = Balance.objects.order_by("device__pool__name", *columns)
    assert list(ordered.filter(cluster=older.cluster).values_list(*columns)) == list(
        ordered.filter(cluster=followed.cluster).values_list(*columns)
    )


def test_a_taint_rule_taints_the_devices_it_selects_as_the_scheduler_sees_them(followed: Followed) -> None:
    broken = Device.objects.get(pool__name="nv-node-1", name="gpu-1")
    assert (broken.state, broken.tainted) == ("unavailable", True)
    assert [taint["rule"] for taint in broken.taints] == ["evict-doomed"]
    drained = Device.objects.filter(pool__name="gpu-node-2", pool__driver="hami-core-gpu.project-hami.io")
    assert {taint["key"] for device in drained for taint in device.taints} == {"example.com/drain"}
    assert not drained.filter(tainted=True).exists()
