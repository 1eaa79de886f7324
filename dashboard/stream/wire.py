"""Events as they go over the wire, in the format of text/event-stream."""

from enum import StrEnum

from dashboard.api.wire import encode, wire
from inventory.queries.freshness import Ages
from inventory.queries.news.rows import Told

HEARTBEAT = b":\n\n"


class Reason(StrEnum):
    """Why a snapshot is sent: what came before it is not told one by one."""

    FIRST = "first"
    UNKNOWN = "unknown"
    MISSED = "missed"


def snapshot(reason: Reason, ages: Ages, id: str) -> bytes:
    return _event("snapshot", encode({"reason": reason.value, **wire(ages)}), id)


def freshness(ages: Ages, id: str) -> bytes:
    return _event("freshness", encode(wire(ages)), id)


def share_body(told: Told) -> bytes:
    return encode({"change": told.step.value, "share": wire(told.share)})


def share(body: bytes, id: str) -> bytes:
    return _event("share", body, id)


def retry(milliseconds: int) -> bytes:
    """How long a client waits before it comes again."""
    return b"retry: %d\n\n" % milliseconds


def _event(name: str, body: bytes, id: str) -> bytes:
    """JSON has no line break in it."""
    return b"event: %s\nid: %s\ndata: %s\n\n" % (name.encode(), id.encode(), body)
