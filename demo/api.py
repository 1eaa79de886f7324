"""The API itself: a request in, an answer out; nothing here knows of sockets."""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from demo import refusals
from demo.access import Access, Grant
from demo.admission import admitted
from demo.discovery import Discovery
from demo.exchange import Answer, Request
from demo.forms import Form, accepted
from demo.listing import ListOptions, page
from demo.resources import RESOURCE_CLAIMS
from demo.routes import Route, route
from demo.selectors import Selection, selection
from demo.store import Object, Record, Store
from demo.versions import as_stored
from demo.watching import Watch, WatchOptions

_HEALTH = ("/livez", "/readyz", "/healthz")
_JSON = {"Content-Type": "application/json", "Cache-Control": "no-cache, private"}
_TEXT = {"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"}


class Api:
    """What a store holds, as an API server tells it."""

    def __init__(self, store: Store, access: Access, discovery: Discovery, bookmark_seconds: float) -> None:
        self._store = store
        self._access = access
        self._discovery = discovery
        self._bookmark_seconds = bookmark_seconds

    def answer(self, request: Request) -> Answer:
        """Raises Refusal."""
        grant = self._access.identify(request.headers.get("authorization", ""))
        if request.path in _HEALTH:
            return Answer(body=b"ok", headers=_TEXT)
        document = self._discovery.document(request.path.rstrip("/"))
        if document is not None:
            self._access.check_path(grant, request.path)
            return Answer(body=document, headers=_JSON)
        found = route(request.path)
        if found is None or not self._discovery.serves(found.group, found.version):
            raise refusals.no_such_path()
        return self._of_resource(request, found, grant)

    def _of_resource(self, request: Request, found: Route, grant: Grant) -> Answer:
        verb = _verb(request, found)
        self._access.check(grant, verb, found.resource, found.namespace, found.name)
        if verb == "create":
            return self._create(request, found)
        form = accepted(
            request.headers.get("accept", ""), found.resource, found.version, single=verb != "list"
        )
        if verb == "get":
            return self._get(found, form)
        selected = selection(
            found.resource,
            found.version,
            request.query.get("labelSelector", ""),
            request.query.get("fieldSelector", ""),
        )
        if verb == "watch":
            return self._watch(request, found, form, selected)
        return self._list(request, found, form, selected)

    def _get(self, found: Route, form: Form) -> Answer:
        record = self._store.get(found.resource, found.namespace, found.name)
        if record is None:
            raise refusals.not_found(found.resource, found.name)
        return Answer(body=form.single(record) + b"\n", headers=_JSON)

    def _list(self, request: Request, found: Route, form: Form, selected: Selection) -> Answer:
        options = ListOptions(
            namespace=found.namespace,
            limit=_number(request.query, "limit"),
            continue_token=request.query.get("continue", ""),
            resource_version=request.query.get("resourceVersion", ""),
            resource_version_match=request.query.get("resourceVersionMatch", ""),
            selection=selected,
        )
        chunk = page(self._store, found.resource, options)
        return Answer(body=form.list(chunk, self._store.clock()), headers=_JSON)

    def _watch(self, request: Request, found: Route, form: Form, selected: Selection) -> Answer:
        initial = request.query.get("sendInitialEvents")
        options = WatchOptions(
            namespace=found.namespace,
            resource_version=request.query.get("resourceVersion", ""),
            resource_version_match=request.query.get("resourceVersionMatch", ""),
            send_initial_events=None if initial is None else initial in ("1", "true"),
            bookmarks=request.query.get("allowWatchBookmarks") in ("1", "true"),
            timeout_seconds=_number(request.query, "timeoutSeconds"),
            selection=selected,
        )
        watch = Watch(self._store, found.resource, form, options, self._bookmark_seconds)
        return Answer(headers=_JSON, lines=watch.lines)

    def _create(self, request: Request, found: Route) -> Answer:
        dry_run = _dry_run(request.query)
        claim = _claim_sent(request, found)
        stored = admitted(as_stored(found.resource, found.version, claim))
        metadata = stored["metadata"]
        if not metadata.get("name"):
            metadata["name"] = metadata["generateName"] + self._store.new_uid()[:5]
        if self._store.get(found.resource, found.namespace, metadata["name"]):
            raise refusals.already_exists(found.resource, metadata["name"])
        stored |= {"kind": found.resource.kind, "apiVersion": found.resource.api_version}
        created = self._store.preview(stored) if dry_run else self._store.put(stored)
        form = Form("plain", found.resource, found.version)
        return Answer(HTTPStatus.CREATED, form.single(_unsaved(created)) + b"\n", _JSON)


def _verb(request: Request, found: Route) -> str:
    if request.method == "GET":
        return "get" if found.name else "watch" if request.is_watch else "list"
    if request.method == "POST" and found.resource is RESOURCE_CLAIMS and found.namespace and not found.name:
        return "create"
    raise refusals.method_not_allowed()


def _number(query: Mapping[str, str], name: str) -> int:
    text = query.get(name, "") or "0"
    try:
        return int(text)
    except ValueError:
        raise refusals.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


def _dry_run(query: Mapping[str, str]) -> bool:
    asked = query.get("dryRun", "")
    if asked not in ("", "All"):
        message = f'Unsupported value: "{asked}": supported values: "All"'
        error = refusals.FieldError("dryRun", "FieldValueNotSupported", message)
        raise refusals.invalid("CreateOptions", "meta.k8s.io", "", [error])
    return asked == "All"


def _claim_sent(request: Request, found: Route) -> Object:
    try:
        claim = msgspec.json.decode(request.body, type=dict)
    except msgspec.DecodeError as error:
        raise refusals.bad_request(f"the object provided is unrecognized: {error}") from error
    metadata = claim.get("metadata")
    if not isinstance(metadata, dict):
        raise refusals.bad_request("the object provided has no metadata")
    if metadata.get("namespace") not in (None, "", found.namespace):
        raise refusals.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    return {**claim, "metadata": {**metadata, "namespace": found.namespace}}


def _unsaved(obj: Object) -> Record:
    stored = {key: value for key, value in obj.items() if key not in ("kind", "apiVersion")}
    metadata = obj["metadata"]
    return Record(metadata["namespace"], metadata["name"], 0, msgspec.json.encode(stored))
