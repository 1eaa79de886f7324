"""A Pod with what its warnings say to write instead: to see what comes out, and where it would fit then."""

from collections.abc import Iterable, Mapping
from typing import Any

from inventory.hami.asked import CONTAINERS, LIMITS, mapping
from inventory.hami.warnings.warning import ConversionWarning, Correction
from inventory.kube.objects import Raw


def corrected(pod: Raw, warnings: Iterable[ConversionWarning]) -> Raw:
    """A copy; the same Pod where no warning has a correction."""
    for warning in warnings:
        if warning.correction is not None:
            pod = _corrected(pod, warning.container, warning.correction)
    return pod


def _corrected(pod: Raw, container: str, correction: Correction) -> Raw:
    if correction.annotations:
        metadata = mapping(pod.get("metadata"))
        pod = {**pod, "metadata": _with(metadata, "annotations", correction.annotations)}
    listed = mapping(pod.get("spec")).get(CONTAINERS)
    if not correction.limits or not isinstance(listed, list):
        return pod
    changed = [_limited(one, correction) if mapping(one).get("name") == container else one for one in listed]
    return {**pod, "spec": {**pod["spec"], CONTAINERS: changed}}


def _limited(container: Raw, correction: Correction) -> Raw:
    resources = mapping(container.get("resources"))
    return {**container, "resources": _with(resources, LIMITS, correction.limits)}


def _with(holder: Mapping[str, Any], key: str, changes: Mapping[str, int | str | None]) -> Raw:
    changed = {**mapping(holder.get(key)), **changes}
    return {**holder, key: {name: value for name, value in changed.items() if value is not None}}
