"""How reading a cluster goes: kind by kind, what could not be read, and what was found to differ."""

from datetime import datetime, timedelta
from decimal import Decimal

import msgspec

from inventory.models import Difference, KindState, SkippedObject
from inventory.viewer import Viewer


class Fault(msgspec.Struct, frozen=True):
    """Why the last attempt failed, in words, and when.

    `withheld`: the message may quote names from the cluster, and is for operators.
    """

    reason: str
    message: str | None
    at: datetime | None
    withheld: bool


class KindRow(msgspec.Struct, frozen=True):
    """How far a kind has been followed, and how reading it goes.

    `lag_seconds` is how old our knowledge of the kind is: the time since `last_success`; null: never read.
    `listed_at` is when it was last read in full, and `bytes_read` and `seconds` are what that took; since
    then changes are watched. `lists` and `events` were counted since the cluster is known. `failures` are
    those since the last success, and `retry_at` is when it is tried again after them.
    """

    kind: str
    state: str
    objects: int | None
    objects_skipped: int | None
    last_success: datetime | None
    last_error: Fault | None
    lag_seconds: int | None
    failures: int
    retry_at: datetime | None
    listed_at: datetime | None
    bytes_read: int | None
    seconds: Decimal | None
    lists: int
    events: int


class SkippedRow(msgspec.Struct, frozen=True):
    """An object, or the named part of one, that could not be read."""

    kind: str
    namespace: str | None
    name: str | None
    uid: str | None
    part: str | None
    reason: str


class DifferenceRow(msgspec.Struct, frozen=True):
    """What was stored otherwise than the API server had it at the same moment: a fault of Sliceboard."""

    kind: str
    what: str


def fault(reason: str, message: str, at: datetime | None, *, viewer: Viewer) -> Fault | None:
    """None where nothing failed."""
    if not reason:
        return None
    withheld = viewer.teams is not None
    return Fault(reason, None if withheld else message, at, withheld)


def kind_row(state: KindState, now: datetime, *, viewer: Viewer) -> KindRow:
    error = fault(state.error_reason, state.error_message, state.failed_at, viewer=viewer)
    return KindRow(
        kind=state.kind,
        state=state.state,
        objects=state.objects_read,
        objects_skipped=state.objects_skipped,
        last_success=state.succeeded_at,
        last_error=error,
        lag_seconds=_lag(state.succeeded_at, now),
        failures=state.failures,
        retry_at=state.retry_at,
        listed_at=state.listed_at,
        bytes_read=state.bytes_read,
        seconds=state.seconds,
        lists=state.lists_total,
        events=state.events_total,
    )


def skipped_row(one: SkippedObject) -> SkippedRow:
    return SkippedRow(
        one.kind, one.namespace or None, one.name or None, one.uid or None, one.part or None, one.reason
    )


def difference_row(one: Difference) -> DifferenceRow:
    return DifferenceRow(one.kind, one.what)


def _lag(succeeded_at: datetime | None, now: datetime) -> int | None:
    # The clock of the worker that read it may be ahead of ours.
    return None if succeeded_at is None else max(0, (now - succeeded_at) // timedelta(seconds=1))
