"""The recorded cluster over HTTP, compared with what stands in the recording; without its code."""

import json
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import demo.recorded
from tests.dashboard.api.conftest import Get

pytestmark = pytest.mark.usefixtures("recorded_cluster")

FOLDER = Path(demo.recorded.__file__).parent
SUFFIXES = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
}


def read(name: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text())["items"]
    return items


def number(text: str) -> Decimal:
    suffix = text.lstrip("-0123456789.")
    return Decimal(text.removesuffix(suffix)) * SUFFIXES[suffix]


def results(claim: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        (claim.get("status", {}).get("allocation") or {}).get("devices", {}).get("results", [])
    )
    return found


def identity(driver: str, pool: str, device: str) -> tuple[str, str, str]:
    return driver, pool, device


def as_allocated(claim: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            identity(one["driver"], one["pool"], one["device"]),
            one["request"],
            one.get("shareID"),
            bool(one.get("adminAccess")),
            {name: number(text) for name, text in (one.get("consumedCapacity") or {}).items()},
        )
        for one in results(claim)
    ]


def as_answered(share: dict[str, Any]) -> tuple[Any, ...]:
    device = share["device"]
    return (
        identity(device["driver"], device["pool"], device["name"]),
        share["request"],
        share["share_id"],
        share["admin_access"],
        {name: amount["value"] for name, amount in share["consumed"].items()},
    )


def test_every_allocation_is_answered_as_it_stands_in_its_claim(get: Get) -> None:
    answered = defaultdict(list)
    for share in get("shares/?limit=1000")["results"]:
        answered[share["claim"]["uid"]].append(as_answered(share))
    assert answered == {
        claim["metadata"]["uid"]: as_allocated(claim) for claim in read("resourceclaims") if results(claim)
    }


def test_every_pod_finds_the_shares_that_are_reserved_for_it(get: Get) -> None:
    claims = read("resourceclaims")
    for pod in read("pods"):
        name = pod["metadata"]["name"]
        reserved = [one for claim in claims if _reserved(claim, pod) for one in as_allocated(claim)]
        found = get(f"shares/?pod={name}&namespace={pod['metadata']['namespace']}")["results"]
        assert sorted(map(as_answered, found), key=_by_device) == sorted(reserved, key=_by_device), name


def test_what_is_left_of_every_device_follows_from_slices_and_claims(get: Get) -> None:
    taken: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for claim in read("resourceclaims"):
        for one in results(claim):
            if not one.get("adminAccess"):
                taken[identity(one["driver"], one["pool"], one["device"])].append(one)
    answered = {
        identity(one["driver"], one["pool"], one["name"]): {
            name: amount["remaining"] and amount["remaining"]["value"]
            for name, amount in one["capacity"].items()
        }
        for one in get("devices/?limit=1000")["results"]
        if one["published"]
    }
    expected = {
        identity(one["spec"]["driver"], one["spec"]["pool"]["name"], device["name"]): _left(
            device, taken[identity(one["spec"]["driver"], one["spec"]["pool"]["name"], device["name"])]
        )
        for one in _current_slices()
        for device in one["spec"].get("devices") or []
    }
    assert answered == expected


def test_pending_claims_tell_why(get: Get) -> None:
    waiting = get("claims/?state=pending&limit=1000")["results"]
    expected = {
        claim["metadata"]["name"]
        for claim in read("resourceclaims")
        if not claim.get("status", {}).get("allocation")
    }
    assert {claim["name"] for claim in waiting} == expected
    assert all(claim["pending"]["message"] for claim in waiting)
    assert {claim["pending"]["source"] for claim in waiting} == {"scheduler", "sliceboard"}


def _by_device(share: tuple[Any, ...]) -> tuple[Any, ...]:
    return share[0], share[2] or ""


def _reserved(claim: dict[str, Any], pod: dict[str, Any]) -> bool:
    """For the Pod itself, or for the group that it is scheduled with."""
    group = (pod["spec"].get("schedulingGroup") or {}).get("podGroupName")
    return any(
        one["uid"] == pod["metadata"]["uid"]
        or (one["resource"] == "podgroups" and one["name"] == group and _same_namespace(claim, pod))
        for one in claim.get("status", {}).get("reservedFor") or []
    )


def _same_namespace(claim: dict[str, Any], pod: dict[str, Any]) -> bool:
    return bool(claim["metadata"]["namespace"] == pod["metadata"]["namespace"])


def _left(device: dict[str, Any], taken: list[dict[str, Any]]) -> dict[str, Decimal]:
    whole = any("shareID" not in one for one in taken)
    return {
        name: Decimal(0)
        if whole
        else max(
            Decimal(0),
            number(capacity["value"]) - sum(number(one["consumedCapacity"][name]) for one in taken),
        )
        for name, capacity in (device.get("capacity") or {}).items()
    }


def _current_slices() -> list[dict[str, Any]]:
    """Those of each pool's newest generation, where all of them are there."""
    pools = defaultdict(list)
    for one in read("resourceslices"):
        pools[one["spec"]["driver"], one["spec"]["pool"]["name"]].append(one)
    found = []
    for slices in pools.values():
        newest = max(one["spec"]["pool"]["generation"] for one in slices)
        current = [one for one in slices if one["spec"]["pool"]["generation"] == newest]
        if len(current) == current[0]["spec"]["pool"]["resourceSliceCount"]:
            found += current
    return found
