"""How objects are printed: plain, as metadata only, or as rows of a table."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from demo.listing import Page
from demo.refusals import not_acceptable
from demo.resources import RESOURCE_CLAIMS, Resource, group_version
from demo.store import Object, Record
from demo.tables import CLAIM_COLUMNS, claim_cells
from demo.versions import as_served, has_stored_shape

PLAIN = "plain"
METADATA = "metadata"
TABLE = "table"
_META_GROUP = "meta.k8s.io/v1"
_JSON_TYPES = ("application/json", "application/*", "*/*")


class _OnlyMetadata(msgspec.Struct):
    metadata: msgspec.Raw


class Form(msgspec.Struct, frozen=True):
    """The form that a client accepts, for one kind in one version."""

    name: str
    resource: Resource
    version: str

    def item(self, record: Record) -> bytes:
        """An element of a list."""
        if self.name == METADATA:
            return _metadata_only(record.body)
        if has_stored_shape(self.resource, self.version):
            return record.body
        return msgspec.json.encode(as_served(self.resource, self.version, record.object()))

    def single(self, record: Record) -> bytes:
        """An object on its own, in an answer or an event."""
        if self.name == METADATA:
            return _metadata_only(record.body)
        return self._head(self.resource.kind) + b"," + self.item(record)[1:]

    def blank(self, metadata: Object) -> bytes:
        """An object of which only the metadata is given, as bookmarks carry it."""
        head = self._head("PartialObjectMetadata" if self.name == METADATA else self.resource.kind)
        rest = b"" if self.name == METADATA else b"," + self.resource.blank
        return head + b',"metadata":' + msgspec.json.encode(metadata) + rest + b"}"

    def list(self, page: Page, now: datetime) -> bytes:
        if self.name == TABLE:
            return _table(page, now)
        kind = "PartialObjectMetadata" if self.name == METADATA else self.resource.kind
        head = self._head(f"{kind}List") + b',"metadata":' + msgspec.json.encode(_list_metadata(page))
        items = b",".join([self.item(record) for record in page.records])
        return head + b',"items":[' + items + b"]}\n"

    def _head(self, kind: str) -> bytes:
        api_version = group_version(self.resource.group, self.version)
        if self.name == METADATA:
            api_version = _META_GROUP
        return f'{{"kind":"{kind}","apiVersion":"{api_version}"'.encode()


def accepted(accept: str, resource: Resource, version: str, *, single: bool = False) -> Form:
    """The first form of the Accept header that can be served; tables are served of lists of claims."""
    for media_range in (accept or "*/*").split(","):
        media_type, *parameters = (part.strip() for part in media_range.split(";"))
        name = _form_name(dict(part.partition("=")[::2] for part in parameters), resource, single=single)
        if media_type in _JSON_TYPES and name:
            return Form(name, resource, version)
    raise not_acceptable()


def _form_name(parameters: dict[str, str], resource: Resource, *, single: bool) -> str | None:
    wanted = parameters.get("as", "")
    if not wanted:
        return PLAIN
    if (parameters.get("g"), parameters.get("v")) != ("meta.k8s.io", "v1"):
        return None
    if wanted == "Table":
        return TABLE if resource is RESOURCE_CLAIMS and not single else None
    expected = "PartialObjectMetadata" if single else "PartialObjectMetadataList"
    return METADATA if wanted == expected else None


def _metadata_only(body: bytes) -> bytes:
    metadata = bytes(msgspec.json.decode(body, type=_OnlyMetadata).metadata)
    head = b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":'
    return head + metadata + b"}"


def _list_metadata(page: Page) -> Object:
    metadata: Object = {"resourceVersion": str(page.revision)}
    if page.continue_token:
        metadata["continue"] = page.continue_token
    if page.remaining is not None:
        metadata["remainingItemCount"] = page.remaining
    return metadata


def _table(page: Page, now: datetime) -> bytes:
    table = {
        "kind": "Table",
        "apiVersion": _META_GROUP,
        "metadata": _list_metadata(page),
        "columnDefinitions": CLAIM_COLUMNS,
        "rows": _rows(page.records, now),
    }
    return msgspec.json.encode(table) + b"\n"


def _rows(records: Sequence[Record], now: datetime) -> list[Object]:
    return [
        {"cells": claim_cells(record.object(), now), "object": msgspec.Raw(_metadata_only(record.body))}
        for record in records
    ]
