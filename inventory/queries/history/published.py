"""What drivers said of devices over time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec
from django.db.models import F, Q

from inventory.history.axis import without
from inventory.history.instants import Span, micros
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Device, DeviceInterval
from inventory.queries.history.read import Read, gap_before
from inventory.queries.usage.rows import Period


class Published(msgspec.Struct, frozen=True):
    """What a driver said of a device from `at` on; None for `before`: it came, for `after`: it went.

    `first`: it was found at the first reading of all, and may have been there for long. `not_read_since`: it
    was found after a break.
    """

    at: datetime
    before: "Offer | None"
    after: "Offer | None"
    first: bool = False
    not_read_since: datetime | None = None


class Offer(msgspec.Struct, frozen=True):
    node: str
    product: str
    uuid: str
    capacity: Mapping[str, Quantity | None]


def published(device: Device, period: Period) -> list[DeviceInterval]:
    """What was said of it in the period, and what was said last before each of these."""
    later = Q(ended_at=None) | Q(ended_at__gte=period.start)
    rows = DeviceInterval.objects.filter(
        later,
        cluster=device.cluster_id,
        driver=device.pool.driver,
        pool=device.pool.name,
        device=device.name,
        started_at__lt=period.end,
    )
    return list(rows.exclude(ended_at=F("started_at")).order_by("started_at", "pk"))


def absent(intervals: Sequence[DeviceInterval], read: Read) -> list[Span]:
    there = [Span(micros(one.started_at), _end(one.ended_at, read)) for one in intervals]
    return without(read.spans, there)


def changes(intervals: Sequence[DeviceInterval], read: Read, asked: Span) -> Iterable[Published]:
    """In the order of time."""
    before: DeviceInterval | None = None
    for one in intervals:
        joined = before if before is not None and before.ended_at == one.started_at else None
        if before is not None and before.ended_at is not None and joined is None:
            yield _change(before.ended_at, before, None, read)
        if micros(one.started_at) >= asked.start:
            yield _change(one.started_at, joined, one, read)
        before = one
    if before is not None and before.ended_at is not None and micros(before.ended_at) < asked.end:
        yield _change(before.ended_at, before, None, read)


def _change(
    at: datetime, before: DeviceInterval | None, after: DeviceInterval | None, read: Read
) -> Published:
    return Published(
        at=at,
        before=offer(before) if before else None,
        after=offer(after) if after else None,
        first=read.first is not None and at <= read.first,
        not_read_since=gap_before(read, at),
    )


def offer(one: DeviceInterval) -> Offer:
    capacity = {name: quantity(text) for name, text in one.capacity.items()}
    return Offer(one.node, one.product, one.uuid, capacity)


def quantity(text: str | None) -> Quantity | None:
    try:
        return None if text is None else parse(text)
    except QuantityError:
        return None


def _end(ended_at: datetime | None, read: Read) -> int:
    last = ended_at or read.until
    return micros(last) if last else 0
