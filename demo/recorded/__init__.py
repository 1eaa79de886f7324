"""The recorded cluster: one moment of a real control plane, which does not change."""

from pathlib import Path

import msgspec

from demo.resources import CATALOGUE, by_kind
from demo.store import Object, Store

_FOLDER = Path(__file__).parent
_OWNERS = "owners.json"


class _ListMetadata(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = "0"


class _List(msgspec.Struct, frozen=True):
    items: list[Object]
    metadata: _ListMetadata = _ListMetadata()


def store() -> Store:
    """Every list as recorded; the server's revision starts where the latest of them was read."""
    recorded = Store()
    for resource in CATALOGUE:
        path = _FOLDER / f"{resource.plural}.json"
        if path.exists():
            read = msgspec.json.decode(path.read_bytes(), type=_List)
            recorded.load(resource, read.items, int(read.metadata.resource_version))
    for owner in msgspec.json.decode((_FOLDER / _OWNERS).read_bytes(), type=_List).items:
        recorded.load(by_kind(owner["apiVersion"], owner["kind"]), [owner])
    return recorded
