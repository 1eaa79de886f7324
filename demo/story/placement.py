"""First fit: the first devices, in the scheduler's order, that a claim's requests fit on.

Pools go by driver and name, devices in the order of their slices. Within one claim nothing is
tried twice: a request takes what it finds and the next one sees it taken.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from demo.store import Object
from demo.story.consumption import Capacity, consumed
from demo.story.selecting import admits
from inventory.kube.quantity import Quantity, parse

DeviceId = tuple[str, str, str]
Counters = dict[tuple[str, str], Quantity]
_ZERO = Quantity(0)


class Device(msgspec.Struct, frozen=True):
    """A device of a complete pool, as the scheduler sees it."""

    id: DeviceId
    node: str
    attributes: dict[str, str]
    capacities: dict[str, Capacity]
    shareable: bool
    counters: Counters
    taints: tuple[Mapping[str, str], ...]

    def is_admitted_by(self, expressions: Iterable[str]) -> bool:
        return all(admits(expression, self.id[0], self.attributes) for expression in expressions)

    def is_tolerated(self, tolerations: Iterable[Mapping[str, str]]) -> bool:
        return all(any(_tolerates(each, taint) for each in tolerations) for taint in self.taints)


class Inventory(msgspec.Struct):
    """All usable devices in the order in which they are tried, and the counters they draw on."""

    devices: list[Device]
    counters: dict[tuple[str, str], Counters]

    @classmethod
    def read(cls, slices: Iterable[Object]) -> "Inventory":
        """Leaves out pools of which slices are missing."""
        pools: dict[tuple[str, str], list[Object]] = {}
        for each in slices:
            spec = each["spec"]
            pools.setdefault((spec["driver"], spec["pool"]["name"]), []).append(each)
        inventory = cls([], {})
        for key in sorted(pools):
            members = _current(pools[key])
            if len(members) == members[0]["spec"]["pool"]["resourceSliceCount"]:
                inventory._add(key, members)
        return inventory

    def _add(self, pool: tuple[str, str], members: list[Object]) -> None:
        for member in sorted(members, key=lambda each: str(each["metadata"]["name"])):
            spec = member["spec"]
            for shared in spec.get("sharedCounters", []):
                self.counters.setdefault(pool, {}).update(_counters(shared["name"], shared["counters"]))
            self.devices += [_device(pool, spec["nodeName"], device) for device in spec.get("devices", [])]


class Books(msgspec.Struct):
    """What is taken: whole devices, and of shared ones the sum of their shares."""

    dedicated: set[DeviceId] = msgspec.field(default_factory=set)
    shares: dict[DeviceId, dict[str, Quantity]] = msgspec.field(default_factory=dict)

    @classmethod
    def read(cls, claims: Iterable[Object]) -> "Books":
        books = cls()
        for claim in claims:
            for result in _results(claim):
                books.enter(result)
        return books

    def enter(self, result: Object) -> None:
        """Admin access takes nothing."""
        if result.get("adminAccess"):
            return
        device = (result["driver"], result["pool"], result["device"])
        if "shareID" not in result:
            self.dedicated.add(device)
            return
        taken = self.shares.setdefault(device, {})
        for key, amount in result.get("consumedCapacity", {}).items():
            taken[key] = taken.get(key, _ZERO) + parse(amount)

    def copy(self) -> "Books":
        return Books(set(self.dedicated), {device: dict(taken) for device, taken in self.shares.items()})

    def in_use(self, device: DeviceId) -> bool:
        return device in self.dedicated or device in self.shares


class Supply(msgspec.Struct):
    """What there is, what of it is taken, and what each device class selects of it."""

    inventory: Inventory
    books: Books
    classes: dict[str, list[str]]


class Shelf:
    """One attempt to place the claims of a Pod on one node."""

    def __init__(self, supply: Supply) -> None:
        self._inventory = supply.inventory
        self._books = supply.books.copy()
        self._classes = supply.classes

    def place(self, claim: Object, node: str, share_ids: Iterator[str]) -> list[Object] | None:
        """The results of an allocation on the node, or None when some request does not fit."""
        results: list[Object] = []
        for request in claim["spec"]["devices"]["requests"]:
            for _ in range(request["exactly"].get("count", 1)):
                taken = {result["device"] for result in results if result["request"] == request["name"]}
                result = self._first_fit(request, node, taken, share_ids)
                if result is None:
                    return None
                self._books.enter(result)
                results.append(result)
        return results

    def _first_fit(
        self, request: Object, node: str, taken: set[str], share_ids: Iterator[str]
    ) -> Object | None:
        """The results of one request are on distinct devices."""
        wanted = request["exactly"]
        expressions = self._classes[wanted["deviceClassName"]] + [
            selector["cel"]["expression"] for selector in wanted.get("selectors", [])
        ]
        for device in self._inventory.devices:
            if device.node != node or device.id[2] in taken or not device.is_admitted_by(expressions):
                continue
            share = self._share(device, wanted)
            if share is not None and device.is_tolerated(wanted.get("tolerations", [])):
                return _result(request, device, share, share_ids)
        return None

    def _share(self, device: Device, wanted: Object) -> dict[str, Quantity] | None:
        """What the device would give, None when it cannot give it now."""
        if device.id in self._books.dedicated and not wanted.get("adminAccess"):
            return None
        asked = (wanted.get("capacity") or {}).get("requests") or {}
        share = consumed(device.capacities, {key: parse(amount) for key, amount in asked.items()})
        if share is None or not self._has_counters(device):
            return None
        held = self._books.shares.get(device.id, {}) if device.shareable else {}
        fits = all(held.get(key, _ZERO) + share[key] <= device.capacities[key].value for key in share)
        return share if fits else None

    def _has_counters(self, device: Device) -> bool:
        if not device.counters or self._books.in_use(device.id):
            return True
        pool = device.id[:2]
        left = dict(self._inventory.counters.get(pool, {}))
        for other in self._inventory.devices:
            if other.id[:2] == pool and self._books.in_use(other.id):
                for key, amount in other.counters.items():
                    left[key] = left[key] - amount
        return all(left[key] >= amount for key, amount in device.counters.items())


def _result(request: Object, device: Device, share: dict[str, Quantity], share_ids: Iterator[str]) -> Object:
    driver, pool, name = device.id
    result: Object = {"request": request["name"], "driver": driver, "pool": pool, "device": name}
    if request["exactly"].get("adminAccess"):
        result["adminAccess"] = True
    if request["exactly"].get("tolerations"):
        result["tolerations"] = request["exactly"]["tolerations"]
    if device.shareable:
        result["shareID"] = next(share_ids)
        result["consumedCapacity"] = {key: str(amount) for key, amount in share.items()}
    return result


def _results(claim: Object) -> list[Object]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    results: list[Object] = allocation.get("devices", {}).get("results", [])
    return results


def _current(members: list[Object]) -> list[Object]:
    newest = max(member["spec"]["pool"]["generation"] for member in members)
    return [member for member in members if member["spec"]["pool"]["generation"] == newest]


def _device(pool: tuple[str, str], node: str, device: Object) -> Device:
    drawn: Counters = {}
    for each in device.get("consumesCounters", []):
        drawn |= _counters(each["counterSet"], each["counters"])
    return Device(
        id=(*pool, device["name"]),
        node=node,
        attributes=_full_names(pool[0], device.get("attributes", {})),
        capacities={key: Capacity.read(value) for key, value in device.get("capacity", {}).items()},
        shareable=bool(device.get("allowMultipleAllocations")),
        counters=drawn,
        taints=tuple(device.get("taints", [])),
    )


def _full_names(driver: str, attributes: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {
        name if "/" in name else f"{driver}/{name}": str(next(iter(value.values())))
        for name, value in attributes.items()
    }


def _counters(counter_set: str, counters: Mapping[str, Mapping[str, str]]) -> Counters:
    return {(counter_set, name): parse(counter["value"]) for name, counter in counters.items()}


def _tolerates(toleration: Mapping[str, str], taint: Mapping[str, str]) -> bool:
    """An empty key or effect stands for any; without an operator the values must be equal."""
    if toleration.get("effect", "") not in ("", taint["effect"]):
        return False
    if toleration.get("key", "") not in ("", taint["key"]):
        return False
    return toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", "")
