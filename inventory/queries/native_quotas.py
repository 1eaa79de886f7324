"""The native ResourceQuotas of namespaces, as the API server counts them, and why they differ from ours.

The rules are those of pkg/quota/v1/evaluator/core/resource_claims.go, and of HAMi for its own keys.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

import msgspec

from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Quota
from inventory.models.visibility import visible
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


def of_team(team: int, *, viewer: Viewer) -> list[NativeRow]:
    """Of the namespaces of a team; of keys only those that concern devices."""
    found = Quota.objects.filter(visible(Quota, viewer), namespace__team=team)
    ordered = found.select_related("cluster", "namespace").order_by(
        "cluster__name", "namespace__name", "name"
    )
    return list(_rows(ordered))


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


def _rows(quotas: Iterable[Quota]) -> Iterator[NativeRow]:
    for quota in quotas:
        for key, hard in sorted(quota.hard.items()):
            if (found := counts(key)) is not None:
                yield NativeRow(
                    cluster=quota.cluster.name,
                    namespace=quota.namespace.name,
                    quota=quota.name,
                    key=key,
                    counts=found,
                    device_class=device_class(key),
                    used=_read(quota.used.get(key)),
                    hard=_read(hard),
                )


def _read(text: Any) -> Quantity | None:
    try:
        return parse(str(text))
    except QuantityError:
        return None
