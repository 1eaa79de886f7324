"""Lists: which revision is read, and how it is cut into chunks."""

from collections.abc import Sequence

import msgspec

from demo import continuation
from demo.refusals import (
    CONTINUE_EXPIRED,
    LIST_EXPIRED,
    FieldError,
    bad_request,
    expired,
    invalid,
    revision_in_future,
)
from demo.resources import Resource
from demo.selectors import Selection
from demo.store import Compacted, FutureRevision, Record, Snapshot, Store

EXACT = "Exact"
NOT_OLDER_THAN = "NotOlderThan"


class ListOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The query of a list request, as sent."""

    namespace: str = ""
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""
    selection: Selection = Selection()


class Page(msgspec.Struct, frozen=True):
    """One chunk. How many remain is not told where a selector decides."""

    revision: int
    records: Sequence[Record]
    continue_token: str = ""
    remaining: int | None = None


def page(store: Store, resource: Resource, options: ListOptions) -> Page:
    """Raises Refusal: 400, 410 or 504 as an API server does, 422 for options that exclude each other."""
    _check(options)
    if options.continue_token:
        return _continued(store, resource, options)
    snapshot = _fresh(store, resource, options)
    # A server may take "0" for "whatever you hold, all of it"; the watch cache does.
    limit = 0 if options.resource_version == "0" else options.limit
    return _cut(snapshot, _within(snapshot, options.namespace, 0), limit, options)


def revision_number(text: str) -> int:
    if not text.isascii() or not text.isdecimal():
        raise invalid(
            "ListOptions",
            "meta.k8s.io",
            "",
            [
                FieldError(
                    "resourceVersion", "FieldValueInvalid", f'Invalid value: "{text}": must be a number'
                )
            ],
        )
    return int(text)


def _check(options: ListOptions) -> None:
    match, errors = options.resource_version_match, []
    if match and not options.resource_version:
        errors.append("resourceVersionMatch is forbidden unless resourceVersion is provided")
    if match and options.continue_token:
        errors.append("resourceVersionMatch is forbidden when continue is provided")
    if match == EXACT and options.resource_version == "0":
        errors.append('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    found = [
        FieldError("resourceVersionMatch", "FieldValueForbidden", f"Forbidden: {text}") for text in errors
    ]
    if match not in ("", EXACT, NOT_OLDER_THAN):
        message = f'Unsupported value: "{match}": supported values: "Exact", "NotOlderThan", ""'
        found.append(FieldError("resourceVersionMatch", "FieldValueNotSupported", message))
    if found:
        raise invalid("ListOptions", "meta.k8s.io", "", found)
    if options.continue_token and options.resource_version not in ("", "0"):
        raise bad_request("specifying resource version is not allowed when using continue")
    if options.limit < 0:
        raise bad_request(f"limit must not be negative: {options.limit}")


def _fresh(store: Store, resource: Resource, options: ListOptions) -> Snapshot:
    asked = revision_number(options.resource_version or "0")
    # A limit with a version and no match rule means that very version.
    exact = options.resource_version_match == EXACT or (
        options.limit > 0 and not options.resource_version_match
    )
    try:
        if asked > store.revision:
            raise FutureRevision
        return store.snapshot(resource, asked if exact and asked else None)
    except FutureRevision:
        raise revision_in_future(asked, store.revision) from None
    except Compacted:
        raise expired(LIST_EXPIRED) from None


def _continued(store: Store, resource: Resource, options: ListOptions) -> Page:
    token = continuation.decode(options.continue_token, options.namespace, namespaced=resource.namespaced)
    revision = None if token.revision == continuation.LATEST else token.revision
    try:
        snapshot = store.snapshot(resource, revision)
    except (Compacted, FutureRevision):
        fresh = continuation.renewed(options.continue_token, options.namespace)
        raise expired(CONTINUE_EXPIRED, fresh) from None
    start = snapshot.position(token.start)
    return _cut(snapshot, _within(snapshot, options.namespace, start), options.limit, options)


def _within(snapshot: Snapshot, namespace: str, start: int) -> Sequence[Record]:
    if not namespace:
        return snapshot.records[start:]
    first = snapshot.position((namespace, ""))
    last = snapshot.position((namespace + "\x00", ""))
    return snapshot.records[max(first, start) : last]


def _cut(snapshot: Snapshot, records: Sequence[Record], limit: int, options: ListOptions) -> Page:
    chosen: list[Record] = []
    for at, record in enumerate(records):
        if limit and len(chosen) == limit:
            token = continuation.encode(snapshot.revision, chosen[-1].key, options.namespace)
            remaining = None if options.selection else len(records) - at
            return Page(snapshot.revision, chosen, token, remaining)
        if options.selection.admits(record):
            chosen.append(record)
    return Page(snapshot.revision, chosen)
