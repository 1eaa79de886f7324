"""From the path of a URL to the kind, namespace and name that it means."""

import msgspec

from demo.resources import NAMESPACES, Resource, by_plural


class Route(msgspec.Struct, frozen=True):
    """The target of a resource request; no name means the collection."""

    resource: Resource
    group: str
    version: str
    namespace: str = ""
    name: str = ""


def route(path: str) -> Route | None:
    parts = path.strip("/").split("/")
    if parts[:2] == ["api", "v1"]:
        return _within("", "v1", parts[2:])
    if parts[0] == "apis" and len(parts) >= 4:
        return _within(parts[1], parts[2], parts[3:])
    return None


def _within(group: str, version: str, parts: list[str]) -> Route | None:
    if len(parts) >= 3 and parts[0] == NAMESPACES.plural:
        return _target(group, version, parts[2:], parts[1])
    return _target(group, version, parts, "")


def _target(group: str, version: str, parts: list[str], namespace: str) -> Route | None:
    resource = by_plural(group, version, parts[0]) if parts else None
    if resource is None or len(parts) > 3 or (parts[2:] and not (resource.status and parts[2] == "status")):
        return None
    name = parts[1] if len(parts) > 1 else ""
    if resource.namespaced is not bool(namespace) and (name or namespace):
        return None
    return Route(resource, group, version, namespace, name)
