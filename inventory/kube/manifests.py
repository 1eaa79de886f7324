"""Objects as people write them: YAML or JSON, several documents, lists, workloads with a Pod template."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec

from inventory.kube.documents import DocumentError, documents
from inventory.kube.objects import Raw
from inventory.kube.untrusted import DEEPEST, readable
from inventory.kube.versions import DraVersion, lift_for

LONGEST_BYTES = 1024 * 1024
_ENCODER = msgspec.json.Encoder(decimal_format="number")
_DECODER = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)
_DRA_GROUP = "resource.k8s.io"
_RESOURCES = {
    "ResourceClaim": "resourceclaims",
    "ResourceClaimTemplate": "resourceclaimtemplates",
}
# Where a workload keeps the Pod that it makes.
_POD_TEMPLATES = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "ReplicationController": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}


class ManifestError(ValueError):
    """The text is no manifest; the message says where and why."""


class Manifest(msgspec.Struct, frozen=True):
    """One object; `kind` and `name` are those of the object, `raw` is all of it."""

    kind: str
    namespace: str
    name: str
    raw: Raw


def manifests(text: str) -> list[Manifest]:
    """The objects of a text in their order. Raises ManifestError."""
    if len(text.encode(errors="replace")) > LONGEST_BYTES:
        raise ManifestError(f"longer than {LONGEST_BYTES // 1024} KiB")
    found = [
        one
        for index, document in enumerate(_documents(text))
        for one in _objects(f"document {index + 1}", document)
    ]
    if not found:
        raise ManifestError("no object in it")
    return found


def object_of(document: Raw, where: str = "the object") -> Manifest:
    """One object that is no list. Raises ManifestError."""
    document = _as_json(where, document)
    kind, metadata = document.get("kind"), document.get("metadata")
    if not isinstance(kind, str):
        raise ManifestError(f"{where}: expected an object with a kind")
    if not isinstance(metadata, dict):
        metadata = {}
    name = metadata.get("name") or metadata.get("generateName") or ""
    namespace = metadata.get("namespace") or ""
    if not isinstance(name, str) or not isinstance(namespace, str):
        raise ManifestError(f"{where}: metadata.name and .namespace: expected texts")
    return Manifest(kind, namespace, name, _lifted(where, document))


def _documents(text: str) -> list[Any]:
    try:
        return documents(text)
    except DocumentError as error:
        raise ManifestError(str(error)) from error


def _objects(where: str, document: Any) -> Iterator[Manifest]:
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise ManifestError(f"{where}: expected an object with a kind")
    if not is_list(document):
        yield object_of(document, where)
        return
    for index, item in enumerate(document["items"]):
        place = f"{where}, item {index + 1}"
        if not isinstance(item, dict) or is_list(item):
            raise ManifestError(f"{place}: expected an object that is no list")
        yield object_of(item, place)


def is_list(document: Raw) -> bool:
    return str(document.get("kind")).endswith("List") and isinstance(document.get("items"), list)


def _as_json(where: str, document: Raw) -> Raw:
    """As it reaches an API server; a claim that came as JSON has been through no other check."""
    try:
        body = _ENCODER.encode(document)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ManifestError(f"{where}: cannot be written as JSON: {error}") from error
    if readable(body) != body:
        raise ManifestError(
            f"{where}: NUL characters, numbers of a thousand digits and more than {DEEPEST} levels "
            "are not read"
        )
    return _DECODER.decode(body)


def _lifted(where: str, document: Raw) -> Raw:
    """In the shape of resource.k8s.io/v1, whatever version it was written in."""
    resource = _RESOURCES.get(document["kind"])
    if resource is None:
        return document
    written = str(document.get("apiVersion") or "")
    group, _, version = written.partition("/")
    if group != _DRA_GROUP or version not in set(DraVersion):
        versions = ", ".join(f"{_DRA_GROUP}/{one}" for one in DraVersion)
        raise ManifestError(f"{where}: apiVersion {written or 'is missing'}; expected one of {versions}")
    lift = lift_for(resource, DraVersion(version))
    return document if lift is None else lift(document)


def pod_of(manifest: Manifest) -> Raw | None:
    """The Pod that it is, or that it makes; None for any other object."""
    if manifest.kind == "Pod":
        return manifest.raw
    found: Any = manifest.raw
    if (path := _POD_TEMPLATES.get(manifest.kind)) is None:
        return None
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None
