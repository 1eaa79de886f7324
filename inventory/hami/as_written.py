"""An object of a cluster as somebody would have written it: without what others have filled in."""

from typing import Any

from inventory.hami.asked import mapping
from inventory.kube.objects import Raw

_METADATA = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "ownerReferences",
    "selfLink",
)
_ANNOTATIONS = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deployment.kubernetes.io/revision",
)
# What HAMi's scheduler writes, and what it has given: of every kind of card another one.
_RECORDS = ("hami.io/vgpu-node", "hami.io/vgpu-time", "hami.io/bind-time", "hami.io/bind-phase")
_RECORD_ENDS = ("-devices-allocated", "-devices-to-allocate")
_TOKEN_VOLUME = "kube-api-access-"  # noqa: S105
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def is_record(name: str) -> bool:
    """Whether HAMi's scheduler writes this annotation or label."""
    return name in _RECORDS or name.endswith(_RECORD_ENDS)


def as_written(document: Raw) -> Raw:
    kept = {key: value for key, value in document.items() if key != "status"}
    if isinstance(metadata := kept.get("metadata"), dict):
        kept["metadata"] = _metadata(metadata)
    if kept.get("kind") == "Pod" and isinstance(spec := kept.get("spec"), dict):
        kept["spec"] = _pod_spec(spec) if mapping(document.get("metadata")).get("uid") else spec
    return kept


def _metadata(metadata: Raw) -> Raw:
    kept = {key: value for key, value in metadata.items() if key not in _METADATA}
    for field in ("annotations", "labels"):
        if not isinstance(found := kept.get(field), dict):
            continue
        own = {name: value for name, value in found.items() if not _is_filled_in(name)}
        if own:
            kept[field] = own
        else:
            del kept[field]
    return kept


def _is_filled_in(name: Any) -> bool:
    return isinstance(name, str) and (name in _ANNOTATIONS or is_record(name))


def _pod_spec(spec: Raw) -> Raw:
    """Of a Pod of a cluster: the scheduler has chosen a node, and a volume for its token was added."""
    kept = {key: value for key, value in spec.items() if key != "nodeName"}
    for part in _CONTAINERS:
        if isinstance(listed := kept.get(part), list):
            kept[part] = [_container(one) if isinstance(one, dict) else one for one in listed]
    return _without_token(kept, "volumes")


def _container(container: Raw) -> Raw:
    return _without_token(container, "volumeMounts")


def _without_token(holder: Raw, key: str) -> Raw:
    listed = holder.get(key)
    if not isinstance(listed, list):
        return holder
    own = [one for one in listed if not _is_token(one)]
    rest = {name: value for name, value in holder.items() if name != key or own}
    return {**rest, key: own} if own else rest


def _is_token(one: Any) -> bool:
    return str(mapping(one).get("name", "")).startswith(_TOKEN_VOLUME)
