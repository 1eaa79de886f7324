"""Series of each device and each share: as many as there are, so they are never held all at once."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from dashboard.metrics.families import Sample, family, text
from inventory.queries import metrics
from inventory.queries.metrics import ShareKey
from inventory.snapshot import snapshot
from inventory.viewer import EVERYTHING

_AT_ONCE = 2000
_DEVICE = ("cluster", "driver", "pool", "device")
# `namespace` and `resourceclaim` as the metrics of drivers and of Kubernetes call them.
_SHARE = (*_DEVICE, "namespace", "resourceclaim", "resourceclaim_uid", "request", "result", "share_id")
_AMOUNT = ("dimension", "unit")


class Stream(NamedTuple):
    """One family, and its samples as they come from the database."""

    name: str
    about: str
    labels: Sequence[str]
    samples: Iterator[Sample]


def of_devices() -> Iterator[bytes]:
    with snapshot():
        for stream in _devices():
            yield from _lines(stream)


def of_shares() -> Iterator[bytes]:
    with snapshot():
        for stream in _shares():
            yield from _lines(stream)


def _devices() -> Iterator[Stream]:
    yield Stream(
        "device_info",
        "Where the device is, and what it is.",
        (*_DEVICE, "node", "product", "uuid"),
        ((one[:7], 1) for one in metrics.devices()),
    )
    yield Stream(
        "device_state",
        "1 for the state in which the device is; there is no series for the others.",
        (*_DEVICE, "state"),
        (((*one[:4], one.state), 1) for one in metrics.devices()),
    )
    yield Stream(
        "device_shares",
        "Shares of the device that are held.",
        _DEVICE,
        ((one[:4], one.shares) for one in metrics.devices()),
    )
    labels = (*_DEVICE, *_AMOUNT)
    yield Stream(
        "device_capacity",
        "What the device has.",
        labels,
        ((one[:6], one.amount) for one in metrics.device_totals()),
    )
    yield Stream(
        "device_allocated",
        "What of it claims hold.",
        labels,
        ((one[:6], one.amount) for one in metrics.device_allocated()),
    )


def _shares() -> Iterator[Stream]:
    yield Stream(
        "share_started_timestamp_seconds",
        "When the share began.",
        _SHARE,
        ((_labels(one.share), one.started_at) for one in metrics.share_starts(viewer=EVERYTHING)),
    )
    yield Stream(
        "share_consumed",
        "What the share consumes of the device, as its allocation says.",
        (*_SHARE, *_AMOUNT),
        (
            ((*_labels(one.share), one.dimension, one.unit), one.amount)
            for one in metrics.share_amounts(viewer=EVERYTHING)
        ),
    )


def _labels(share: ShareKey) -> Sequence[str]:
    return tuple(map(str, share))


def _lines(stream: Stream) -> Iterator[bytes]:
    """The family in parts; what stands above its samples is told once."""
    name, about, labels, samples = stream
    yield text([family(name, about, labels, ())])
    while part := list(islice(samples, _AT_ONCE)):
        _help, _type, lines = text([family(name, about, labels, part)]).split(b"\n", 2)
        yield lines
