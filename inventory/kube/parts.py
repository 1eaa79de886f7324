"""Parts of an object that may be malformed without spoiling the rest.

A device of a slice, for example, or an allocation result of a claim.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from inventory.kube import mends, objects
from inventory.kube.mends import Fault
from inventory.kube.moments import in_utc
from inventory.kube.objects import LONGEST_NAME, Raw
from inventory.kube.shapes import as_json, mismatch
from inventory.kube.untrusted import printable


class Parts(msgspec.Struct, frozen=True):
    """A list inside an object whose entries are judged one by one.

    `needed`: with every entry malformed the object is too, so none is left out and its own decoding fails.
    """

    path: tuple[str, ...]
    label: str
    struct: type[objects.Wire]
    mend: Callable[[Raw], tuple[Raw, list[Fault]]] = mends.nothing
    needed: bool = False


def without_malformed(resource: str, wire: Any) -> list[Fault]:
    """Leaves the malformed parts out of `wire`, in place, and tells which they were."""
    faults = [fault for parts in _PARTS.get(resource, ()) for fault in _sift(parts, wire)]
    for path in (*_MOMENTS, *_FURTHER_MOMENTS.get(resource, ())):
        faults += _read_moment(path, wire)
    return faults


def _sift(parts: Parts, wire: Any) -> list[Fault]:
    *way, last = parts.path
    holder = _at(way, wire)
    entries = holder.get(last)
    if not isinstance(entries, list):
        return []
    judged = [_judge(parts, position, entry) for position, entry in enumerate(entries)]
    readable = [entry for entry, _ in judged if entry is not None]
    if parts.needed and entries and not readable:
        return []
    holder[last] = readable
    return [fault for _, faults in judged for fault in faults]


def _judge(parts: Parts, position: int, entry: Any) -> tuple[Raw | None, list[Fault]]:
    """What can be read of an entry, if anything, and what cannot."""
    part = f"{parts.label} {_name(entry) or position}"
    mended, faults = parts.mend(entry) if isinstance(entry, dict) else (entry, [])
    if reason := mismatch(mended, parts.struct):
        return None, [Fault(part, reason)]
    return mended, [Fault(f"{part}, {fault.part}", fault.reason) for fault in faults]


def _read_moment(path: tuple[str, ...], wire: Any) -> list[Fault]:
    *way, last = path
    holder = _at(way, wire)
    try:
        if holder.get(last) is not None:
            holder[last] = in_utc(holder[last])
    except ValueError as error:
        del holder[last]
        return [Fault(".".join(path), str(error))]
    return []


def _at(way: list[str], wire: Any) -> Raw:
    """The object at the end of the way; an empty one where there is none."""
    for name in way:
        wire = wire.get(name) if isinstance(wire, dict) else None
    return wire if isinstance(wire, dict) else {}


def _name(entry: Any) -> str:
    """A device, counter set or consumer has a name; a result is told by the device it names."""
    if not isinstance(entry, dict):
        return ""
    name = entry.get("name") or "/".join(
        _text(entry[key]) for key in ("driver", "pool", "device") if key in entry
    )
    return printable(name, LONGEST_NAME) if isinstance(name, str) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value, LONGEST_NAME)


_MOMENTS = (("metadata", "creationTimestamp"), ("metadata", "deletionTimestamp"))
_FURTHER_MOMENTS = {"resourceclaims": (("status", "allocation", "allocationTimestamp"),)}

_PARTS: dict[str, tuple[Parts, ...]] = {
    "resourceslices": (
        Parts(("spec", "devices"), "device", objects.Device, mends.device),
        Parts(("spec", "sharedCounters"), "counter set", objects.CounterSet, mends.counter_set),
    ),
    "resourceclaims": (
        Parts(
            ("status", "allocation", "devices", "results"),
            "allocation result",
            objects.AllocationResult,
            mends.allocation_result,
            needed=True,
        ),
        Parts(("status", "reservedFor"), "consumer", objects.ConsumerReference),
    ),
    "pods": (Parts(("status", "conditions"), "condition", objects.PodCondition),),
    "nodes": (Parts(("status", "conditions"), "condition", objects.NodeCondition),),
}
