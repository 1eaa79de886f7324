"""The devices that came nearest to a claim, drawn with what it asks, and who would have to make room."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dashboard.charts.segments import Bar, asked_bar, holders
from dashboard.words.helps import MISSED, Release
from dashboard.words.misses import device_id
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.rejections import Check
from inventory.dra.units import short_name
from inventory.kube.quantity import Quantity
from inventory.queries import near_devices
from inventory.queries.fit.answers import FitRow, GroupRow, ObstacleRow, PlacementRow
from inventory.queries.near_devices import NearDevice
from inventory.queries.slices import Track
from inventory.viewer import Viewer

_MISSES = 3
_ELSEWHERE = 4
_DRAWN = (Check.CAPACITY, Check.TAINT)


class NearLine(NamedTuple):
    """`group` says what the device lacks, of which it has `left`, or `obstacle` what keeps the Pod off it."""

    device: NearDevice
    bars: Sequence[Bar]
    group: GroupRow | None
    obstacle: ObstacleRow | None
    left: Quantity | None


class Near(NamedTuple):
    lines: Sequence[NearLine] = ()
    releases: Sequence[Release] = ()


class _Asked(NamedTuple):
    """Of a device, by dimension: all that is asked of it, not only what is short."""

    device: DeviceId
    amounts: Mapping[str, Quantity]
    group: GroupRow | None = None
    obstacle: ObstacleRow | None = None


def of(cluster: str, row: FitRow, *, viewer: Viewer) -> Near:
    if row.verdict not in MISSED:
        return Near()
    misses, elsewhere = _distinct(_missed(row), _MISSES), _distinct(_elsewhere(row), _ELSEWHERE)
    asked = [*misses, *elsewhere]
    found = near_devices.rows(cluster, [one.device for one in asked], viewer=viewer)
    return Near(
        [_line(found[one.device], one) for one in asked if one.device in found],
        [release for one in misses if one.device in found for release in _releases(found[one.device], one)],
    )


def _distinct(found: Iterable[_Asked], most: int) -> list[_Asked]:
    """The first of each device."""
    by_device: dict[DeviceId, _Asked] = {}
    for one in found:
        if len(by_device) == most:
            break
        by_device.setdefault(one.device, one)
    return list(by_device.values())


def _missed(row: FitRow) -> Iterator[_Asked]:
    """The nearest first, as the groups are."""
    for request in row.requests:
        for group in request.groups:
            if group.check in _DRAWN and group.selected:
                short = {group.subject or "": group.need} if group.need is not None else {}
                amounts = {**request.asks, **short}
                yield from (_Asked(device_id(one), amounts, group=group) for one in group.examples)


def _elsewhere(row: FitRow) -> Iterator[_Asked]:
    for fit in row.elsewhere:
        for one in fit.placements:
            yield _Asked(_of_placement(one), one.consumed or {}, obstacle=fit.obstacle)


def _of_placement(one: PlacementRow) -> DeviceId:
    return DeviceId(one.driver, one.pool, one.device)


def _line(device: NearDevice, asked: _Asked) -> NearLine:
    bars = [
        asked_bar(device.row.name, track, asked.amounts.get(track.name)) for track in _tracks(device, asked)
    ]
    return NearLine(device, bars, asked.group, asked.obstacle, _left(device, asked.group))


def _tracks(device: NearDevice, asked: _Asked) -> Sequence[Track]:
    """Memory and cores, and what is short; of those only what is known."""
    known = [one for one in device.tracks if one.total is not None and one.allocated is not None]
    shown = [one for one in known if short_name(one.name) in ("memory", "cores") or one.name in asked.amounts]
    return shown or known[:1]


def _releases(device: NearDevice, asked: _Asked) -> Iterator[Release]:
    """Of what is short."""
    dimension = asked.group.subject if asked.group is not None else None
    if not dimension or (need := asked.amounts.get(dimension)) is None:
        return
    if shares := device.each_enough(dimension, need):
        yield Release(asked.device, dimension, [holders(one) for one in shares])


def _left(device: NearDevice, group: GroupRow | None) -> Quantity | None:
    """Of what is short."""
    subject = group.subject if group is not None else None
    return next((track.remaining for track in device.tracks if track.name == subject), None)
