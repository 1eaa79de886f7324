"""Discovery: what the server says it serves."""

from collections.abc import Callable, Collection
from typing import Any

import msgspec

from demo.resources import CATALOGUE, DRA_GROUP, Resource, group_version

DRA_VERSIONS = ("v1", "v1beta2", "v1beta1", "v1alpha3")

GIT_VERSION = "v1.36.2"
VERSION = {
    "major": "1",
    "minor": "36",
    "emulationMajor": "1",
    "emulationMinor": "36",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "35",
    "gitVersion": GIT_VERSION,
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "2026-08-21T00:00:00Z",
    "goVersion": "go1.26.6",
    "compiler": "gc",
    "platform": "linux/amd64",
}


class Discovery:
    """The documents by path. The release is a choice, and so are the DRA versions: there may be none."""

    def __init__(self, dra_versions: Collection[str] = DRA_VERSIONS, version: str = GIT_VERSION) -> None:
        told = {**VERSION, "minor": version.split(".")[1], "gitVersion": version}
        self._groups = _groups(dra_versions)
        self._documents: dict[str, Callable[[], dict[str, Any]]] = {
            "/version": lambda: told,
            "/api": lambda: {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []},
            "/apis": self._group_list,
            "/api/v1": lambda: _resource_list("", "v1"),
        }
        for group, versions in self._groups.items():
            self._documents[f"/apis/{group}"] = lambda group=group: self._group(group)  # type: ignore[misc]
            for version in versions:
                self._documents[f"/apis/{group}/{version}"] = (
                    lambda group=group, version=version: _resource_list(group, version)  # type: ignore[misc]
                )

    def serves(self, group: str, version: str) -> bool:
        return (group, version) == ("", "v1") or version in self._groups.get(group, ())

    def document(self, path: str) -> bytes | None:
        make = self._documents.get(path)
        return msgspec.json.encode(make()) + b"\n" if make else None

    def _group_list(self) -> dict[str, Any]:
        groups = [_group_entry(group, versions) for group, versions in self._groups.items()]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}

    def _group(self, group: str) -> dict[str, Any]:
        return {"kind": "APIGroup", "apiVersion": "v1", **_group_entry(group, self._groups[group])}


def _groups(dra_versions: Collection[str]) -> dict[str, tuple[str, ...]]:
    groups = {resource.group: resource.versions for resource in CATALOGUE if resource.group}
    groups[DRA_GROUP] = tuple(version for version in DRA_VERSIONS if version in dra_versions)
    return {group: versions for group, versions in groups.items() if versions}


def _group_entry(group: str, versions: tuple[str, ...]) -> dict[str, Any]:
    entries = [{"groupVersion": group_version(group, version), "version": version} for version in versions]
    return {"name": group, "versions": entries, "preferredVersion": entries[0]}


def _resource_list(group: str, version: str) -> dict[str, Any]:
    served = [resource for resource in CATALOGUE if resource.group == group and version in resource.versions]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version(group, version),
        "resources": [
            entry
            for resource in sorted(served, key=lambda resource: resource.plural)
            for entry in _resource_entries(resource)
        ],
    }


def _resource_entries(resource: Resource) -> list[dict[str, Any]]:
    entry: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": resource.verbs,
    }
    if resource.short_names:
        entry["shortNames"] = resource.short_names
    if resource.storage_version_hash:
        entry["storageVersionHash"] = resource.storage_version_hash
    return [entry, _status_entry(resource)] if resource.status else [entry]


def _status_entry(resource: Resource) -> dict[str, Any]:
    return {
        "name": f"{resource.plural}/status",
        "singularName": "",
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": ("get", "patch", "update"),
    }
