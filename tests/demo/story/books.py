"""The story's books, kept independently of the code that places its claims."""

from collections import Counter, defaultdict
from decimal import Decimal
from typing import Any

from demo import resources
from demo.store import Store

_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9}
DeviceId = tuple[str, str, str]


def amount(text: str) -> Decimal:
    for unit, factor in _UNITS.items():
        if text.endswith(unit):
            return Decimal(text.removesuffix(unit)) * factor
    return Decimal(text)


def results(store: Store) -> list[dict[str, Any]]:
    """All allocation results that count."""
    return [
        result
        for claim in store.objects(resources.RESOURCE_CLAIMS)
        for result in claim["status"].get("allocation", {}).get("devices", {}).get("results", [])
        if not result.get("adminAccess")
    ]


def device_id(result: dict[str, Any]) -> DeviceId:
    return result["driver"], result["pool"], result["device"]


def published(store: Store) -> dict[DeviceId, dict[str, Any]]:
    return {
        (spec["driver"], spec["pool"]["name"], device["name"]): device
        for spec in (each["spec"] for each in store.objects(resources.RESOURCE_SLICES))
        for device in spec.get("devices", [])
    }


def allocated(store: Store, device: DeviceId) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for result in results(store):
        if device_id(result) == device:
            for key, text in result.get("consumedCapacity", {}).items():
                sums[key] += amount(text)
    return dict(sums)


def overdrawn(store: Store) -> list[str]:
    """What is given away more than once, or beyond what there is."""
    devices = published(store)
    found = [
        f"{each}: {key}"
        for each in devices
        for key, total in allocated(store, each).items()
        if total > amount(devices[each]["capacity"][key]["value"])
    ]
    whole = Counter(device_id(result) for result in results(store) if "shareID" not in result)
    found += [f"{device}: {count} holders" for device, count in whole.items() if count > 1]
    return found + _overdrawn_counters(store, devices)


def _overdrawn_counters(store: Store, devices: dict[DeviceId, dict[str, Any]]) -> list[str]:
    drawn: dict[tuple[str, str, str], Decimal] = defaultdict(Decimal)
    for device in {device_id(result) for result in results(store)} & devices.keys():
        for each in devices[device].get("consumesCounters", []):
            for name, counter in each["counters"].items():
                drawn[device[1], each["counterSet"], name] += amount(counter["value"])
    there = {
        (spec["pool"]["name"], shared["name"], name): amount(counter["value"])
        for spec in (each["spec"] for each in store.objects(resources.RESOURCE_SLICES))
        for shared in spec.get("sharedCounters", [])
        for name, counter in shared["counters"].items()
    }
    return [f"{key}: {total} of {there[key]}" for key, total in drawn.items() if total > there[key]]
