"""What is left of every card: kept by each change, so that a step costs the same in a cluster of any size."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import msgspec

from demo import resources
from demo.churn.bag import Bag
from demo.store import Object, Store
from demo.story.consumption import Capacity, consumed
from inventory.kube.quantity import Notation, Quantity, parse

DeviceId = tuple[str, str, str]
PoolId = tuple[str, str]
Amounts = dict[str, Quantity]

_TRIES = 24
_BINARY_STEP = 256 * 2**20
_PLACED_BY_NODE = {"driver", "pool", "nodeName", "devices"}
_BLOCKING = ("NoSchedule", "NoExecute")


class Card(msgspec.Struct, frozen=True, eq=False):
    """A device on which claims are placed here: one of a node's own, that draws on no shared counters."""

    id: DeviceId
    node: str
    capacities: dict[str, Capacity]
    shareable: bool

    @property
    def pool(self) -> PoolId:
        return self.id[:2]


class Place(msgspec.Struct, frozen=True):
    """A card on which a request fits, and what it would consume there."""

    card: Card
    share: Amounts


class Room:
    """Cards, what claims hold of them, and which of them the scheduler passes over now."""

    def __init__(self, store: Store) -> None:
        self._cards: dict[DeviceId, Card] = {}
        self._ids: Bag[DeviceId] = Bag()
        self._held: defaultdict[DeviceId, Counter[str]] = defaultdict(Counter)
        self._holders: Counter[DeviceId] = Counter()
        self._whole: Counter[DeviceId] = Counter()
        self._closed: set[DeviceId | PoolId | str] = set()
        pools = _plain_pools(store)
        self.pools = {pool: [one["metadata"]["name"] for one in slices] for pool, slices in pools.items()}
        for slices in pools.values():
            for one in slices:
                self.enlist(one)
        for node in store.objects(resources.NODES):
            if (node.get("spec") or {}).get("unschedulable"):
                self.close(node["metadata"]["name"])
        for record in store.snapshot(resources.RESOURCE_CLAIMS).records:
            self.take(results(record.object()))

    # What is published

    def enlist(self, published: Object) -> None:
        """Know the devices of a resource slice, in the place of what was known of them."""
        spec = published["spec"]
        for device in spec.get("devices") or ():
            card = _card((spec["driver"], spec["pool"]["name"]), spec["nodeName"], device)
            if card is not None:
                self._cards[card.id] = card
                self._ids.add(card.id)

    def close(self, place: DeviceId | PoolId | str) -> None:
        """A device, a pool or a node takes nothing more."""
        self._closed.add(place)

    def open(self, place: DeviceId | PoolId | str) -> None:
        self._closed.discard(place)

    # What is held

    def take(self, taken: Iterable[Object]) -> None:
        self._enter(taken, 1)

    def give_back(self, taken: Iterable[Object]) -> None:
        self._enter(taken, -1)

    def is_held(self, device: DeviceId) -> bool:
        return self._holders[device] > 0

    def _enter(self, taken: Iterable[Object], sign: int) -> None:
        """Admin access takes nothing, a result without a share ID the whole device."""
        for result in taken:
            if result.get("adminAccess"):
                continue
            device = result["driver"], result["pool"], result["device"]
            self._holders[device] += sign
            if "shareID" not in result:
                self._whole[device] += sign
            for name, amount in result.get("consumedCapacity", {}).items():
                self._held[device][name] += sign * parse(amount).nanos

    # What is wanted

    def wish(self, random: Random) -> tuple[str, Amounts]:
        """A driver, and amounts that a card of it could give: a quarter of it at most, seldom all of it."""
        card = self._cards[self._ids.pick(random)]
        all_of_it = random.randrange(40) == 0
        return card.id[0], {
            name: capacity.value if all_of_it else _part(capacity.value, random)
            for name, capacity in card.capacities.items()
        }

    def choose(
        self, random: Random, driver: str, asked: Amounts, *, count: int = 1, admin: bool = False
    ) -> list[Place]:
        """Distinct cards of one node on which the request fits now; none where not enough were found."""
        chosen: list[Place] = []
        for _ in range(_TRIES * count):
            card = self._cards[self._ids.pick(random)]
            if card.id[0] != driver or any(card is one.card or card.node != one.card.node for one in chosen):
                continue
            share = consumed(card.capacities, asked)
            if share is not None and self._fits(card, share, admin=admin):
                chosen.append(Place(card, share))
            if len(chosen) == count:
                return chosen
        return []

    def _fits(self, card: Card, share: Amounts, *, admin: bool) -> bool:
        if not self._closed.isdisjoint((card.id, card.pool, card.node)):
            return False
        if admin:
            return True
        if self._whole[card.id] or (not card.shareable and self.is_held(card.id)):
            return False
        held = self._held[card.id]
        return all(
            held[name] + amount.nanos <= card.capacities[name].value.nanos for name, amount in share.items()
        )


def results(claim: Object) -> Iterator[Object]:
    allocation: dict[str, Any] = (claim.get("status") or {}).get("allocation") or {}
    yield from allocation.get("devices", {}).get("results") or ()


def _plain_pools(store: Store) -> dict[PoolId, list[Object]]:
    """Those that are whole, and of which all slices simply list the devices of a node."""
    members: defaultdict[PoolId, list[Object]] = defaultdict(list)
    for record in store.snapshot(resources.RESOURCE_SLICES).records:
        one = record.object()
        members[one["spec"]["driver"], one["spec"]["pool"]["name"]].append(one)
    return {pool: slices for pool, slices in members.items() if _plain(slices)}


def _plain(slices: list[Object]) -> bool:
    pools = [one["spec"]["pool"] for one in slices]
    return (
        len({pool["generation"] for pool in pools}) == 1
        and all(pool["resourceSliceCount"] == len(slices) for pool in pools)
        and all(one["spec"].keys() == _PLACED_BY_NODE for one in slices)
    )


def _card(pool: PoolId, node: str, device: Object) -> Card | None:
    capacities = device.get("capacity") or {}
    policies = [capacity.get("requestPolicy") for capacity in capacities.values()]
    taints = [taint["effect"] for taint in device.get("taints") or ()]
    if device.get("consumesCounters") or any(policy and "validRange" not in policy for policy in policies):
        return None
    if any(effect in _BLOCKING for effect in taints):
        return None
    return Card(
        id=(*pool, device["name"]),
        node=node,
        capacities={name: Capacity.read(capacity) for name, capacity in capacities.items()},
        shareable=bool(device.get("allowMultipleAllocations")),
    )


def _part(whole: Quantity, random: Random) -> Quantity:
    """In steps of 256 MiB where the quantity is written in powers of 1024, else of one."""
    in_steps = whole.notation is Notation.BINARY and whole.rounded_up() >= 4 * _BINARY_STEP
    step = _BINARY_STEP if in_steps else 1
    most = max(1, whole.rounded_up() // step // 4)
    return Quantity.of(random.randint(1, most) * step, whole.notation)
