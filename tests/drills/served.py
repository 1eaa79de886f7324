"""What an API server holds, as plain JSON."""

import json
import urllib.request
from dataclasses import dataclass
from typing import Any, Self

from demo.resources import CATALOGUE
from demo.store import Store

Object = dict[str, Any]

_DRA = "/apis/resource.k8s.io/v1/"
_PATHS = {
    "resourceslices": _DRA,
    "resourceclaims": _DRA,
    "deviceclasses": _DRA,
    "pods": "/api/v1/",
    "nodes": "/api/v1/",
    "namespaces": "/api/v1/",
    "resourcequotas": "/api/v1/",
}
_RESOURCES = {resource.plural: resource for resource in CATALOGUE}


@dataclass(frozen=True)
class Served:
    """All objects by the plural of their kind, and the newest revision that was there."""

    kinds: dict[str, list[Object]]
    revision: int

    @classmethod
    def of_store(cls, store: Store) -> Self:
        """As it is at one moment."""
        revision = store.revision
        return cls(
            {
                plural: [json.loads(one.body) for one in store.snapshot(_RESOURCES[plural], revision).records]
                for plural in _PATHS
            },
            revision,
        )

    @classmethod
    def over_http(cls, url: str) -> Self:
        """Kind by kind, so that a server which changes meanwhile is seen at several moments."""
        kinds, revision = {}, 0
        for plural, path in _PATHS.items():
            with urllib.request.urlopen(f"{url}{path}{plural}") as response:
                listed = json.load(response)
            kinds[plural] = listed["items"]
            revision = max(revision, int(listed["metadata"]["resourceVersion"]))
        return cls(kinds, revision)
