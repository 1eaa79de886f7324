"""Watches: what happened since a revision, and then what happens."""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from demo.forms import Form
from demo.listing import NOT_OLDER_THAN, revision_number
from demo.refusals import FieldError, Refusal, expired, invalid, revision_in_future
from demo.resources import Resource
from demo.selectors import Selection
from demo.store import Change, Compacted, Record, Snapshot, Store, restamped

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
_LONGEST_SLEEP = 0.5
# An API server bookmarks once more shortly before a watch times out.
_LAST_BOOKMARK = 2.0
_DEFAULT_TIMEOUT = 1800


class WatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The query of a watch request, as sent."""

    namespace: str = ""
    resource_version: str = ""
    resource_version_match: str = ""
    send_initial_events: bool | None = None
    bookmarks: bool = False
    timeout_seconds: int = 0
    selection: Selection = Selection()


class Watch:
    """One watch. `lines` yields events, each one line of JSON, and b"" while nothing happens."""

    def __init__(
        self,
        store: Store,
        resource: Resource,
        form: Form,
        options: WatchOptions,
        bookmark_seconds: float,
    ) -> None:
        _check(options)
        self._store = store
        self._resource = resource
        self._form = form
        self._options = options
        self._bookmark_seconds = bookmark_seconds
        self._seen = revision_number(options.resource_version or "0")
        if options.send_initial_events and self._seen > store.revision:
            raise revision_in_future(self._seen, store.revision)
        if options.send_initial_events is False and self._seen == 0:
            self._seen = store.revision

    def lines(self, stopped: Callable[[], bool]) -> Iterator[bytes]:
        deadline = time.monotonic() + self._timeout()
        try:
            yield from self._initial()
            yield from self._following(deadline, stopped)
        except Compacted:
            message = f"too old resource version: {self._seen} ({self._store.compacted})"
            yield _line("ERROR", expired(message).body())

    def _timeout(self) -> float:
        chosen = self._options.timeout_seconds
        return chosen or random.uniform(_DEFAULT_TIMEOUT, 2 * _DEFAULT_TIMEOUT)

    def _initial(self) -> Iterator[bytes]:
        """The present state as ADDED events, where the request asks for it.

        Without `sendInitialEvents` an unset version or "0" asks for it too, and nothing marks its end.
        """
        wanted = self._options.send_initial_events
        if wanted or (wanted is None and self._seen == 0):
            snapshot = self._store.snapshot(self._resource)
            yield from self._added(snapshot)
            self._seen = max(self._seen, snapshot.revision)
            if wanted and self._options.bookmarks:
                yield self._bookmark({INITIAL_EVENTS_END: "true"})

    def _added(self, snapshot: Snapshot) -> Iterator[bytes]:
        for record in snapshot.records:
            if self._selects(record):
                yield self._event("ADDED", record)

    def _following(self, deadline: float, stopped: Callable[[], bool]) -> Iterator[bytes]:
        bookmark_at = self._next_bookmark(deadline)
        while not stopped() and time.monotonic() < deadline:
            changes = self._store.changes_after(self._seen)
            for change in changes:
                yield from self._events(change)
                self._seen = change.record.revision
            if self._options.bookmarks and time.monotonic() >= bookmark_at:
                yield self._bookmark()
                bookmark_at = self._next_bookmark(deadline)
            if not changes:
                yield b""
                self._sleep(min(deadline, bookmark_at))

    def _next_bookmark(self, deadline: float) -> float:
        now = time.monotonic()
        last = deadline - _LAST_BOOKMARK
        regular = now + self._bookmark_seconds
        return min(regular, last) if last > now else regular

    def _sleep(self, until: float) -> None:
        seconds = min(_LONGEST_SLEEP, max(0.0, until - time.monotonic()))
        self._store.wait_for_change(self._seen, seconds)

    def _events(self, change: Change) -> Iterator[bytes]:
        """An object that a change brings into or out of the selection is added or deleted for this watch."""
        if change.resource is not self._resource or not self._in_namespace(change.record):
            return
        before = change.before is not None and self._selects(change.before)
        after = not change.deleted and self._selects(change.record)
        if after:
            yield self._event("MODIFIED" if before else "ADDED", change.record)
        elif before and change.before is not None:
            last = change.record if change.deleted else restamped(change.before, change.record.revision)
            yield self._event("DELETED", last)

    def _in_namespace(self, record: Record) -> bool:
        return self._options.namespace in ("", record.namespace)

    def _selects(self, record: Record) -> bool:
        return self._in_namespace(record) and self._options.selection.admits(record)

    def _event(self, kind: str, record: Record) -> bytes:
        return _line(kind, self._form.single(record))

    def _bookmark(self, annotations: dict[str, str] | None = None) -> bytes:
        metadata: dict[str, Any] = {"resourceVersion": str(self._seen)}
        if annotations:
            metadata["annotations"] = annotations
        return _line("BOOKMARK", self._form.blank(metadata))


def _line(kind: str, obj: bytes) -> bytes:
    return b'{"type":"' + kind.encode() + b'","object":' + obj.rstrip() + b"}\n"


def _check(options: WatchOptions) -> None:
    if options.send_initial_events is None and options.resource_version_match:
        raise _forbidden(
            "resourceVersionMatch",
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        )
    if options.send_initial_events is not None and options.resource_version_match != NOT_OLDER_THAN:
        raise _forbidden(
            "resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        )


def _forbidden(field: str, message: str) -> Refusal:
    error = FieldError(field, "FieldValueForbidden", f"Forbidden: {message}")
    return invalid("ListOptions", "meta.k8s.io", "", [error])
