"""What tests of watches have in common."""

from collections.abc import Iterator
from typing import Any

from inventory.kube.events import Change, Events

CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"
SECONDS = 30.0


def changes(events: Iterator[Events[Any]], count: int) -> list[Change[Any]]:
    """The next so many."""
    found: list[Change[Any]] = []
    while len(found) < count:
        found += next(events).changes
    return found


def told(found: list[Change[Any]]) -> list[tuple[str, bool]]:
    return [(change.object.metadata.name, change.deleted) for change in found]
