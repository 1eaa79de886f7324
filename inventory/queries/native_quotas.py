"""The native ResourceQuotas of namespaces, as the API server counts them, and why they differ from ours.

The rules are those of pkg/quota/v1/evaluator/core/resource_claims.go, and of HAMi for its own keys.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec

from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Quota
from inventory.models.visibility import visible
from inventory.queries.at_once import Questions, Rows
from inventory.viewer import Viewer

_CLAIMS = "count/resourceclaims.resource.k8s.io"
_TEMPLATES = "count/resourceclaimtemplates.resource.k8s.io"
_DEVICES = ".deviceclass.resource.k8s.io/devices"
_EXTENDED = "requests.deviceclass.resource.kubernetes.io/"


class Counts(StrEnum):
    """What a key counts, which is why its number is another than ours."""

    CLAIMS = "claims"
    TEMPLATES = "templates"
    DEVICES_OF_CLASS = "devices_of_class"
    EXTENDED = "extended"
    HAMI = "hami"


class NativeRow(msgspec.Struct, frozen=True):
    """One key of a ResourceQuota. Null for an amount that is missing or cannot be read."""

    cluster: str
    namespace: str
    quota: str
    key: str
    counts: Counts
    device_class: str | None
    used: Quantity | None
    hard: Quantity | None


class OfTeam:
    """Of the namespaces of a team, asked with other things; of keys only those that concern devices."""

    def __init__(self, team: int, viewer: Viewer, questions: Questions) -> None:
        found = Quota.objects.filter(visible(Quota, viewer), namespace__team=team)
        names = ("cluster__name", "namespace__name", "name")
        self._quotas = questions.ask(found.order_by(*names).values_list(*names, "hard", "used"))

    def found(self) -> list[NativeRow]:
        return list(_rows(self._quotas.rows))


def counts(key: str) -> Counts | None:
    """None for a key that concerns no device."""
    if key == _CLAIMS:
        return Counts.CLAIMS
    if key == _TEMPLATES:
        return Counts.TEMPLATES
    if key.endswith(_DEVICES):
        return Counts.DEVICES_OF_CLASS
    if key.startswith("limits.") and "/" in key:
        return Counts.HAMI
    # Names without a domain are the API server's own: requests.cpu, requests.storage.
    if key.startswith("requests.") and "/" in key:
        return Counts.EXTENDED
    return None


def device_class(key: str) -> str | None:
    if key.endswith(_DEVICES):
        return key.removesuffix(_DEVICES)
    return key.removeprefix(_EXTENDED) if key.startswith(_EXTENDED) else None


def _rows(quotas: Rows) -> Iterator[NativeRow]:
    for cluster, namespace, quota, hard, used in quotas:
        for key, most in sorted(hard.items()):
            if (found := counts(key)) is not None:
                yield NativeRow(
                    cluster=cluster,
                    namespace=namespace,
                    quota=quota,
                    key=key,
                    counts=found,
                    device_class=device_class(key),
                    used=_read(used.get(key)),
                    hard=_read(most),
                )


def _read(text: Any) -> Quantity | None:
    try:
        return parse(str(text))
    except QuantityError:
        return None
