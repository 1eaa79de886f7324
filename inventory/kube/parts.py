"""Parts of an object that may be malformed without spoiling the rest.

A device of a slice, for example, or an allocation result of a claim.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from inventory.kube import objects
from inventory.kube.objects import Raw


class Fault(msgspec.Struct, frozen=True):
    """One part that was left out, or read without what nobody can read in it."""

    part: str
    reason: str


class Parts(msgspec.Struct, frozen=True):
    """A list inside an object whose entries are judged one by one.

    `needed`: with every entry malformed the object is too, so none is left out and its own decoding fails.
    """

    path: tuple[str, ...]
    label: str
    struct: type[objects.Wire]
    mend: Callable[[Raw], tuple[Raw, str]]
    needed: bool = False


def without_malformed(resource: str, wire: Any) -> list[Fault]:
    """Leaves the malformed parts out of `wire`, in place, and tells which they were."""
    return [fault for parts in _PARTS.get(resource, ()) for fault in _sift(parts, wire)]


def _sift(parts: Parts, wire: Any) -> list[Fault]:
    *way, last = parts.path
    for name in way:
        wire = wire.get(name) if isinstance(wire, dict) else None
    entries = wire.get(last) if isinstance(wire, dict) else None
    if not isinstance(entries, list):
        return []
    judged = [_judge(parts, position, entry) for position, entry in enumerate(entries)]
    readable = [entry for entry, _ in judged if entry is not None]
    if parts.needed and entries and not readable:
        return []
    wire[last] = readable
    return [fault for _, fault in judged if fault is not None]


def _judge(parts: Parts, position: int, entry: Any) -> tuple[Raw | None, Fault | None]:
    part = f"{parts.label} {_name(entry) or position}"
    if not isinstance(entry, dict):
        return None, Fault(part, f"expected an object, got {type(entry).__name__}")
    mended, lost = parts.mend(entry)
    try:
        msgspec.convert(mended, parts.struct)
    except msgspec.ValidationError as error:
        return None, Fault(part, str(error))
    return mended, Fault(part, lost) if lost else None


def _name(entry: Any) -> str:
    """A device, counter set or consumer has a name; a result is told by the device it names."""
    if not isinstance(entry, dict):
        return ""
    name = entry.get("name") or "/".join(
        str(entry[key]) for key in ("driver", "pool", "device") if key in entry
    )
    return name if isinstance(name, str) else ""


def _as_it_is(entry: Raw) -> tuple[Raw, str]:
    return entry, ""


def _numbers_as_text(entry: Raw) -> tuple[Raw, str]:
    """Whole numbers where the API has quantities; the API server itself accepts them so."""
    places = ("capacity", "consumesCounters", "counters")
    mended = {
        name: _whole_as_text(entry[name]) for name in places if isinstance(entry.get(name), dict | list)
    }
    return {**entry, **mended}, ""


def _whole_as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _whole_as_text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_whole_as_text(inner) for inner in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _consumed_or_nothing(entry: Raw) -> tuple[Raw, str]:
    """The device stays held even if nobody can read how much of it."""
    consumed = entry.get("consumedCapacity")
    if consumed is None or isinstance(consumed, dict):
        return entry, ""
    rest = {name: value for name, value in entry.items() if name != "consumedCapacity"}
    return rest, f"consumedCapacity: expected an object, got {type(consumed).__name__}"


_PARTS: dict[str, tuple[Parts, ...]] = {
    "resourceslices": (
        Parts(("spec", "devices"), "device", objects.Device, _numbers_as_text),
        Parts(("spec", "sharedCounters"), "counter set", objects.CounterSet, _numbers_as_text),
    ),
    "resourceclaims": (
        Parts(
            ("status", "allocation", "devices", "results"),
            "allocation result",
            objects.AllocationResult,
            _consumed_or_nothing,
            needed=True,
        ),
        Parts(("status", "reservedFor"), "consumer", objects.ConsumerReference, _as_it_is),
    ),
    "pods": (Parts(("status", "conditions"), "condition", objects.PodCondition, _as_it_is),),
    "nodes": (Parts(("status", "conditions"), "condition", objects.NodeCondition, _as_it_is),),
}
