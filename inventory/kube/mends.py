"""What is malformed inside a part, taken out of it so that the part can stay.

What only explains a part (a policy, a request, a toleration) is dropped. What counts is never dropped: a
capacity that is none becomes a quantity that nobody can read, so its dimension is unknown and not zero.
"""

from typing import Any

import msgspec

from inventory.kube import objects
from inventory.kube.objects import Name, Raw
from inventory.kube.shapes import as_json, mismatch

# Longer than any quantity, short enough to be shown.
_QUOTED = 100
_MALFORMED = "malformed"


class Fault(msgspec.Struct, frozen=True):
    """One part that was left out, or read without what nobody can read in it."""

    part: str
    reason: str


def nothing(entry: Raw) -> tuple[Raw, list[Fault]]:
    return entry, []


def device(entry: Raw) -> tuple[Raw, list[Fault]]:
    mended, faults = dict(entry), list[Fault]()
    if isinstance(entry.get("capacity"), dict):
        mended["capacity"] = _capacities(entry["capacity"], "capacity", faults)
    if isinstance(entry.get("consumesCounters"), list):
        mended["consumesCounters"] = [
            _consumption(one, f"consumesCounters {position}", faults)
            for position, one in enumerate(entry["consumesCounters"])
        ]
    if isinstance(entry.get("taints"), list):
        mended["taints"] = [
            taint
            for position, one in enumerate(entry["taints"])
            if (taint := _taint(one, f"taint {position}", faults)) is not None
        ]
    return mended, faults


def counter_set(entry: Raw) -> tuple[Raw, list[Fault]]:
    faults: list[Fault] = []
    if not isinstance(entry.get("counters"), dict):
        return entry, faults
    return {**entry, "counters": _capacities(entry["counters"], "counter", faults)}, faults


_EXPLAINING_A_RESULT: dict[str, Any] = {"adminAccess": bool | None, "tolerations": list[Raw] | None}


def allocation_result(entry: Raw) -> tuple[Raw, list[Fault]]:
    """Its device stays held even if nobody can read how, or how much of it."""
    mended, faults = dict(entry), list[Fault]()
    for field, shape in _EXPLAINING_A_RESULT.items():
        if reason := mismatch(entry.get(field), shape):
            del mended[field]
            faults.append(Fault(field, reason))
    if reason := mismatch(entry.get("request"), str):
        mended["request"] = ""
        faults.append(Fault("request", reason))
    # Whatever it is, it says that this is a share and not the whole device.
    if reason := mismatch(entry.get("shareID"), str | None):
        mended["shareID"] = as_json(entry["shareID"], _QUOTED)
        faults.append(Fault("shareID", reason))
    _mend_consumption(mended, faults)
    return mended, faults


def _mend_consumption(result: Raw, faults: list[Fault]) -> None:
    consumed = result.get("consumedCapacity")
    if reason := mismatch(consumed, Raw | None):
        del result["consumedCapacity"]
        # Nothing stated and nothing readable are two things: the scheduler counts zero only for the first.
        result["consumptionUnreadable"] = True
        faults.append(Fault("consumedCapacity", reason))
    elif consumed and (unnamed := [name for name in consumed if mismatch(name, Name)]):
        result["consumedCapacity"] = {name: one for name, one in consumed.items() if name not in unnamed}
        faults += [Fault("consumedCapacity", mismatch(name, Name)) for name in unnamed]


def _capacities(published: Raw, label: str, faults: list[Fault]) -> Raw:
    return {name: _capacity(entry, f"{label} {name}", faults) for name, entry in published.items()}


def _capacity(published: Any, place: str, faults: list[Fault]) -> Raw:
    """Nothing is told here of a quantity that cannot be read: that is found where quantities are parsed."""
    entry = _numbers_as_text(published)
    reason = mismatch(entry, objects.Capacity)
    if not reason:
        return entry  # type: ignore[no-any-return]
    if isinstance(entry, dict) and not mismatch(bare := {"value": entry.get("value")}, objects.Capacity):
        faults.append(Fault(f"{place}, requestPolicy", reason))
        return bare
    return _unreadable(published)


def _unreadable(published: Any) -> Raw:
    return {"value": f"{_MALFORMED}: {as_json(published, _QUOTED)}"}


def _numbers_as_text(value: Any) -> Any:
    """Numbers where the API has quantities; the API server itself accepts them so."""
    if isinstance(value, dict):
        return {name: _quantity(inner) for name, inner in value.items()}
    return value


def _quantity(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _quantity(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_quantity(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return bytes(value).decode() if isinstance(value, msgspec.Raw) else value


def _consumption(published: Any, place: str, faults: list[Fault]) -> Raw:
    """Of an entry that cannot be read it is not known what it draws: it stays as a draw of that kind."""
    entry = published
    if isinstance(published, dict) and isinstance(published.get("counters"), dict):
        entry = {**published, "counters": _capacities(published["counters"], f"{place}, counter", faults)}
    reason = mismatch(entry, objects.CounterConsumption)
    if not reason:
        return entry  # type: ignore[no-any-return]
    faults.append(Fault(place, reason))
    named = entry.get("counterSet") if isinstance(entry, dict) else None
    counter_set = _MALFORMED if mismatch(named, Name) else named
    return {"counterSet": counter_set, "counters": {_MALFORMED: _unreadable(published)}}


def _taint(published: Any, place: str, faults: list[Fault]) -> Raw | None:
    """With its key and effect alone it still keeps Pods off."""
    reason = mismatch(published, objects.Taint)
    if not reason:
        return published  # type: ignore[no-any-return]
    faults.append(Fault(place, reason))
    if not isinstance(published, dict):
        return None
    bare = {name: published[name] for name in ("key", "effect") if name in published}
    return None if mismatch(bare, objects.Taint) else bare
