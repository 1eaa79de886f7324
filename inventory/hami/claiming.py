"""Claims of our own in the place of HAMi's resources: their names, and the spec of a Pod that uses them.

Unlike what the webhook makes, this is for people to keep: what they wrote stays as they wrote it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import Any

import msgspec

from inventory.hami.asked import CONTAINERS, LIMITS, REQUESTS, mapping
from inventory.kube.objects import Raw

_API_VERSION = "resource.k8s.io/v1"
_LONGEST_LABEL = 63
_HASH = 8
_NOT_IN_A_LABEL = re.compile(r"[^a-z0-9-]+")


class Need(msgspec.Struct, frozen=True):
    """A claim that a container needs, and the resources that it takes the place of."""

    container: str
    container_index: int
    # Says in names what it is of: nvidia, ascend310p.
    suffix: str
    resources: tuple[str, ...]
    # The spec of the claim.
    spec: Raw


class Claimed(msgspec.Struct, frozen=True):
    """A Pod's spec with its claims. `templates` are in the order of the needs."""

    spec: Raw
    templates: tuple[Raw, ...]


def label(parts: Sequence[str], taken: Collection[str] = ()) -> str:
    """A name (RFC 1123 label) from parts, with a hash where it would be too long, changed or taken."""
    joined = "-".join(parts)
    name = _NOT_IN_A_LABEL.sub("-", joined.lower()).strip("-")
    if name and name == joined and len(name) <= _LONGEST_LABEL and name not in taken:
        return name
    return next(hashed for hashed in _hashed(name, parts) if hashed not in taken)


def _hashed(name: str, parts: Sequence[str]) -> Iterator[str]:
    for attempt in count():
        digest = sha256("\0".join((*parts, str(attempt))).encode(errors="replace")).hexdigest()[:_HASH]
        # A label begins with anything but a dash, and a hash alone will do.
        yield f"{name[: _LONGEST_LABEL - _HASH - 1].rstrip('-')}-{digest}".lstrip("-")


def claimed(
    spec: Raw, needs: Sequence[Need], owner: Sequence[str], namespace: str, taken: Collection[str]
) -> Claimed:
    """`owner` are the names that lead to the Pod: of the workload, and of its task if it has tasks.

    `taken` are names that no template may have. `namespace` is empty where none is written.
    """
    names, templates, known = _local_names(spec), list[Raw](), set(taken)
    uses: list[tuple[Need, str]] = []
    entries: list[Raw] = []
    for need in needs:
        local = label((need.container, need.suffix), names)
        name = label((*owner, need.container, need.suffix), known)
        names.add(local)
        known.add(name)
        templates.append(_template(name, namespace, need.spec))
        uses.append((need, local))
        entries.append({"name": local, "resourceClaimTemplateName": name})
    return Claimed(_with(spec, uses, entries), tuple(templates))


def _local_names(spec: Raw) -> set[str]:
    claims = spec.get("resourceClaims")
    return {str(mapping(one).get("name")) for one in (claims if isinstance(claims, list) else ())}


def _template(name: str, namespace: str, spec: Raw) -> Raw:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    kind = "ResourceClaimTemplate"
    return {"apiVersion": _API_VERSION, "kind": kind, "metadata": metadata, "spec": {"spec": spec}}


def _with(spec: Raw, uses: Sequence[tuple[Need, str]], entries: Sequence[Raw]) -> Raw:
    if not entries:
        return spec
    containers = [
        _container(one, [(need, name) for need, name in uses if need.container_index == index])
        for index, one in enumerate(spec[CONTAINERS])
    ]
    claims = [*(spec.get("resourceClaims") or ()), *entries]
    return {**spec, CONTAINERS: containers, "resourceClaims": claims}


def _container(container: Raw, uses: Sequence[tuple[Need, str]]) -> Raw:
    if not uses:
        return container
    gone = {name for need, _ in uses for name in need.resources}
    resources = dict(container["resources"])
    for section in (LIMITS, REQUESTS):
        _take_away(resources, section, gone)
    resources["claims"] = [*(resources.get("claims") or ()), *({"name": name} for _, name in uses)]
    return {**container, "resources": resources}


def _take_away(resources: dict[str, Any], section: str, gone: Collection[str]) -> None:
    """A section of which nothing is left goes, too."""
    amounts = mapping(resources.get(section))
    kept = {name: amount for name, amount in amounts.items() if name not in gone}
    if kept:
        resources[section] = kept
    elif amounts:
        del resources[section]
