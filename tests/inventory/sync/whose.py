"""Rules, and what they look at: a namespace, and a claim that Pods use in it."""

from typing import Any

from demo.store import Object
from inventory.models import Team, TeamRule
from tests.inventory.sync.books import GIVEN, allocated, shared
from tests.inventory.sync.objects import consumer, named


def namespace(labels: dict[str, str] | None = None, annotations: dict[str, str] | None = None) -> Object:
    said = {"labels": labels or {}, "annotations": annotations or {}}
    return named("v1", "Namespace", "team-a", metadata=said)


def selects(text: str, team: Team, subject: str = "namespace", **fields: Any) -> TeamRule:
    return TeamRule.objects.create(selector=text, team=team, subject=subject, **fields)


def of_key(key: str, subject: str = "namespace", **fields: Any) -> TeamRule:
    return TeamRule.objects.create(key=key, subject=subject, **fields)


def reserved(*pods: Object, name: str = "c", **metadata: Any) -> Object:
    """A claim that holds a share of the card, for these Pods."""
    held = allocated(GIVEN, shared(), name=name, **metadata)
    held["status"]["reservedFor"] = [consumer(one) for one in pods]
    return held
