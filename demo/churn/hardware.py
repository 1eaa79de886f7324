"""What drivers and administrators do: slices republished, devices tainted and gone, nodes cordoned."""

from collections.abc import Iterator, Sequence
from typing import Any

from demo import resources
from demo.churn.bag import Bag
from demo.churn.room import DeviceId, PoolId, Room
from demo.churn.writing import Steps, Writer
from demo.store import Object

_TAINT = {"key": "example.com/xid-error", "value": "79", "effect": "NoSchedule"}
_CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_SPLIT_PER_CENT = 30
_SHARING_PER_CENT = 50
_LONGEST_STATE = 20


class Hardware:
    """Every pool and node goes through one change at a time."""

    def __init__(self, writer: Writer, room: Room) -> None:
        self._writer = writer
        self._room = room
        self._slices = room.pools
        self._pools: Bag[PoolId] = Bag(room.pools)
        nodes = writer.store.objects(resources.NODES)
        self._nodes: Bag[str] = Bag(
            node["metadata"]["name"] for node in nodes if not (node.get("spec") or {}).get("unschedulable")
        )

    def republish(self) -> Steps:
        """All slices of a pool in a new generation: more or fewer of them, a free card shared or not."""
        pool = self._pools.draw(self._writer.random)
        parts = self._parts(pool)
        devices = [device for part in parts for device in part]
        if self._writer.chance(_SPLIT_PER_CENT) and len(devices) > 1:
            parts = (
                [devices] if len(parts) > 1 else [devices[: len(devices) // 2], devices[len(devices) // 2 :]]
            )
        # From now on nothing is placed here, so that what is free stays free until it is published.
        self._room.close(pool)
        if self._writer.chance(_SHARING_PER_CENT):
            parts = self._with_one_shared_or_not(pool, parts)
        yield from self._publish(pool, parts)
        for name in self._slices[pool]:
            self._room.enlist(self._slice(name))
        self._room.open(pool)
        self._pools.add(pool)

    def vanish(self) -> Steps:
        """A device, held if there is one, is missing from its pool for a while."""
        pool = self._pools.draw(self._writer.random)
        whole = self._parts(pool)
        names = [device["name"] for part in whole for device in part]
        held = [name for name in names if self._room.is_held((*pool, name))]
        gone = self._writer.random.choice(held or names)
        self._room.close((*pool, gone))
        yield from self._publish(pool, [[one for one in part if one["name"] != gone] for part in whole])
        yield from self._a_while()
        yield from self._publish(pool, whole)
        self._room.open((*pool, gone))
        self._pools.add(pool)

    def taint(self) -> Steps:
        """A driver finds a device unhealthy, and later healthy again; the generation stays."""
        pool = self._pools.draw(self._writer.random)
        name = self._writer.random.choice(self._slices[pool])
        device = self._writer.random.choice(self._slice(name)["spec"]["devices"] or [{"name": ""}])["name"]
        self._room.close((*pool, device))
        self._write_taints(name, (*pool, device), [{**_TAINT, "timeAdded": self._writer.now()}])
        yield
        yield from self._a_while()
        self._write_taints(name, (*pool, device), [])
        self._room.open((*pool, device))
        self._pools.add(pool)
        yield

    def cordon(self) -> Steps:
        name = self._nodes.draw(self._writer.random)
        self._room.close(name)
        node = self._writer.find(resources.NODES, ("", name))
        taints = (node.get("spec") or {}).get("taints", [])
        cordoned = {
            "unschedulable": True,
            "taints": [*taints, {**_CORDONED, "timeAdded": self._writer.now()}],
        }
        self._writer.put({**node, "spec": {**(node.get("spec") or {}), **cordoned}})
        yield
        yield from self._a_while()
        current = self._writer.find(resources.NODES, ("", name))
        self._writer.put({**current, "spec": node.get("spec") or {}})
        self._room.open(name)
        self._nodes.add(name)
        yield

    def _a_while(self) -> Steps:
        """Other changes go on meanwhile."""
        for _ in range(self._writer.random.randrange(_LONGEST_STATE)):
            yield

    def _slice(self, name: str) -> Object:
        return self._writer.find(resources.RESOURCE_SLICES, ("", name))

    def _parts(self, pool: PoolId) -> list[list[Object]]:
        """The devices of a pool, slice by slice."""
        return [self._slice(name)["spec"]["devices"] or [] for name in self._slices[pool]]

    def _publish(self, pool: PoolId, parts: Sequence[Sequence[Object]]) -> Iterator[None]:
        """One slice after the other; the pool is incomplete until the last is there."""
        names = self._slices[pool]
        model = self._slice(names[0])
        generation = model["spec"]["pool"]["generation"] + 1
        described: dict[str, Any] = {
            "name": pool[1],
            "generation": generation,
            "resourceSliceCount": len(parts),
        }
        stem = f"{pool[1]}-{pool[0]}-"
        added = [self._writer.name(stem, resources.RESOURCE_SLICES) for _ in parts[len(names) :]]
        self._slices[pool] = [*names, *added][: len(parts)]
        for name, devices in zip(self._slices[pool], parts, strict=True):
            spec = {**model["spec"], "pool": described, "devices": list(devices)}
            if name in added:
                metadata = {"name": name, "generateName": stem}
                self._writer.create({**model, "metadata": metadata, "spec": spec})
            else:
                self._writer.put({**self._slice(name), "spec": spec})
            yield
        for name in names[len(parts) :]:
            self._writer.delete(resources.RESOURCE_SLICES, ("", name))
            yield

    def _with_one_shared_or_not(self, pool: PoolId, parts: Sequence[Sequence[Object]]) -> list[list[Object]]:
        """An administrator lets several claims have a free card, or one alone."""
        names = [device["name"] for part in parts for device in part]
        free = [name for name in names if not self._room.is_held((*pool, name))]
        if not free:
            return [list(part) for part in parts]
        turned = self._writer.random.choice(free)
        return [
            [_turned(device) if device["name"] == turned else device for device in part] for part in parts
        ]

    def _write_taints(self, name: str, device: DeviceId, taints: list[Object]) -> None:
        published = self._slice(name)
        devices = [
            _tainted(each, taints) if each["name"] == device[2] else each
            for each in published["spec"]["devices"] or ()
        ]
        self._writer.put({**published, "spec": {**published["spec"], "devices": devices}})


def _turned(device: Object) -> Object:
    return {**device, "allowMultipleAllocations": not device.get("allowMultipleAllocations", False)}


def _tainted(device: Object, taints: list[Object]) -> Object:
    bare = {name: value for name, value in device.items() if name != "taints"}
    return {**bare, "taints": taints} if taints else bare
