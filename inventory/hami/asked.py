"""What the containers of a Pod ask for, read leniently: what has an unexpected shape is passed over.

The webhook judges the Pod; this only looks at it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inventory.hami.webhook.amounts import AmountError, from_json
from inventory.hami.webhook.go import quote
from inventory.kube.objects import Raw
from inventory.kube.quantity import Quantity

CONTAINERS = "containers"
INIT_CONTAINERS = "initContainers"
EPHEMERAL_CONTAINERS = "ephemeralContainers"
LIMITS, REQUESTS = "limits", "requests"


class Asked(msgspec.Struct, frozen=True):
    """One container; its amounts are as written, by resource name."""

    # The list in the Pod's spec that it is in, and its place there.
    part: str
    index: int
    name: str
    limits: Mapping[str, Any]
    requests: Mapping[str, Any]
    raw: Raw

    @property
    def path(self) -> str:
        return f"spec.{self.part}[{self.index}]"

    def place(self, resource: str) -> str:
        """The path in the Pod of an amount; the limit where there is one."""
        section = LIMITS if resource in self.limits else REQUESTS
        return f"{self.path}.resources.{section}[{quote(resource)}]"

    def names(self) -> frozenset[str]:
        return frozenset((*self.limits, *self.requests))

    def amount(self, resource: str) -> Any:
        """As HAMi looks: the limit, or else the request; None for neither."""
        return self.limits.get(resource, self.requests.get(resource)) if resource else None


def containers(pod: Raw) -> tuple[Asked, ...]:
    """Of every kind, those that run to the end last."""
    parts = (CONTAINERS, INIT_CONTAINERS, EPHEMERAL_CONTAINERS)
    return tuple(one for part in parts for one in _containers(pod, part))


def _containers(pod: Raw, part: str) -> Iterator[Asked]:
    listed = mapping(pod.get("spec")).get(part)
    for index, one in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(one, dict):
            resources = mapping(one.get("resources"))
            limits, requests = (mapping(resources.get(section)) for section in (LIMITS, REQUESTS))
            yield Asked(part, index, text(one.get("name")), limits, requests, one)


def annotations(pod: Raw) -> Mapping[str, str]:
    return _texts(pod, "annotations")


def labels(pod: Raw) -> Mapping[str, str]:
    return _texts(pod, "labels")


def _texts(pod: Raw, what: str) -> Mapping[str, str]:
    found = mapping(mapping(pod.get("metadata")).get(what))
    return {key: value for key, value in found.items() if isinstance(value, str)}


def quantity(amount: Any) -> Quantity | None:
    """As an API server reads it; None for what is no quantity."""
    try:
        found = from_json(amount)
    except AmountError:
        return None
    return Quantity(found.billionths(), found.notation)


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""
