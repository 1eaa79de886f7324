"""How far each kind has been followed: written with what was followed."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from random import uniform
from typing import Any, NamedTuple

from inventory.kube.errors import (
    BadAnswerError,
    ClusterError,
    ExpiredError,
    ForbiddenError,
    RejectedError,
    ServerError,
    TimedOutError,
)
from inventory.kube.kinds import Kind
from inventory.models import Cluster, KindState
from inventory.sync import bulk
from inventory.sync.changes import Batch, Changes

# Raised when rows are written in another way: then every kind is read in full and written anew.
LAYOUT = 6
_FIELDS = tuple(
    field.attname for field in KindState._meta.concrete_fields if field.name not in ("id", "cluster", "kind")
)
_LONGEST_WAIT = timedelta(minutes=5)
# Whatever a watch has met there, it would meet again: only a list helps. Of others that may be so. A role
# that may list and not watch is read in full each time that its turn comes.
_OF_THE_CURSOR = (BadAnswerError, ExpiredError, ForbiddenError, RejectedError)
_PERHAPS = (ServerError, TimedOutError)
_FIRST_WAIT = timedelta(seconds=5)
_LONGEST_ASKED = timedelta(hours=1)


class Size(NamedTuple):
    """Of a kind: objects that are known, and those that cannot be read."""

    objects: int | None
    skipped: int


def load(cluster: Cluster) -> dict[str, KindState]:
    """What is known of each kind so far."""
    return {one.kind: one for one in KindState.objects.filter(cluster=cluster)}


def known(states: Mapping[str, KindState]) -> set[str]:
    """The kinds that were ever read."""
    return {kind for kind, state in states.items() if state.succeeded_at is not None}


def write(
    cluster: Cluster, states: dict[str, KindState], batch: Batch, sizes: Mapping[str, Size], now: datetime
) -> None:
    """Bring the states up to the batch, and write them."""
    concerned = {*batch.changes, *batch.confirmed, *batch.failures}
    new = [KindState(cluster=cluster, kind=kind) for kind in sorted(concerned - states.keys())]
    for state in KindState.objects.bulk_create(new):
        states[state.kind] = state
    for kind in concerned:
        state = states[kind]
        if (error := batch.failures.get(kind)) is not None:
            _failed(state, error, now)
        elif (at := batch.confirmed.get(kind)) is not None:
            _succeeded(state, at)
        if (changes := batch.changes.get(kind)) is not None:
            _advanced(state, changes)
            state.objects_read, state.objects_skipped = sizes[kind]
    written = (states[kind] for kind in concerned)
    rows = [(state.pk, *(getattr(state, field) for field in _FIELDS)) for state in written]
    bulk.update(KindState, _FIELDS, rows)


def begin_anew(cluster: Cluster) -> None:
    """Let the next poll read everything in full and write every row as if none were known."""
    KindState.objects.filter(cluster=cluster).update(layout=0, retry_at=None)


def read_anew(kind: Kind[Any], cluster: Cluster | None) -> None:
    """The same for one kind; without a cluster, in all of them."""
    rows = KindState.objects.filter(kind=kind.resource)
    (rows.filter(cluster=cluster) if cluster else rows).update(layout=0)


def _succeeded(state: KindState, at: datetime) -> None:
    state.state = KindState.State.READ
    state.succeeded_at = at
    state.error_reason = state.error_message = ""
    state.failures, state.retry_at = 0, None


def cursor(state: KindState | None) -> str:
    """Where a watch goes on; empty where the kind has to be read in full."""
    return state.resource_version if state is not None and state.layout == LAYOUT else ""


def _advanced(state: KindState, changes: Changes[Any]) -> None:
    state.resource_version = changes.resource_version or state.resource_version
    state.events_total += changes.events
    state.bytes_total += changes.bytes
    if changes.seen is not None:
        state.layout, state.listed_at = LAYOUT, state.succeeded_at
        state.resource_version = changes.resource_version
        state.lists_total += 1
        state.bytes_read, state.seconds = changes.seen.bytes, seconds(changes.seen.seconds)


def _failed(state: KindState, error: ClusterError, now: datetime) -> None:
    forbidden = isinstance(error, ForbiddenError)
    state.state = KindState.State.FORBIDDEN if forbidden else KindState.State.FAILED
    state.failed_at, state.error_reason, state.error_message = now, error.reason, str(error)
    state.failures += 1
    state.failures_total += 1
    state.retry_at = now + wait(state.failures, error)
    if isinstance(error, _OF_THE_CURSOR) or (isinstance(error, _PERHAPS) and state.failures > 1):
        state.resource_version = ""


def wait(failures: int, error: ClusterError | None = None) -> timedelta:
    """How long to leave it alone after so many failures: longer each time, and never many at the same moment.

    What the API server asks for (Retry-After) is kept.
    """
    doubled = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(failures - 1, 10))
    asked = (error and error.retry_after) or 0
    spread: timedelta = doubled * uniform(0.5, 1)  # noqa: S311
    return max(spread, min(timedelta(seconds=asked), _LONGEST_ASKED))


def seconds(value: float) -> Decimal:
    return Decimal(round(value * 1000)) / 1000
