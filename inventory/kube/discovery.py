"""What an API server is and which version of resource.k8s.io it serves."""

import re
from typing import TypeVar

import msgspec

from inventory.kube.client import Client
from inventory.kube.errors import NotServedError
from inventory.kube.refusals import not_an_api_server
from inventory.kube.versions import DraVersion

_GROUP = "/apis/resource.k8s.io"
_VERSION = "/version"
# DeviceTaintRule came later than the kinds it acts on: v1alpha3 in 1.33, v1beta2 in 1.36, v1 in 1.37.
_TAINT_RULES = "devicetaintrules"
_TAINT_RULE_VERSIONS = ("v1", "v1beta2", "v1alpha3")


class Served(msgspec.Struct, frozen=True):
    """`server_version` is the server's own word (v1.36.2-eks-1).

    `release` is its (major, minor), None if it does not tell. `taint_rules_version` is the version that
    serves DeviceTaintRules, empty where they are switched off and so without effect.
    """

    server_version: str
    release: tuple[int, int] | None
    dra_version: DraVersion
    taint_rules_version: str = ""

    def version_of(self, resource: str) -> str:
        """The version in which a resource of the group is read."""
        return self.taint_rules_version if resource == _TAINT_RULES else self.dra_version


class _ServerVersion(msgspec.Struct, frozen=True, rename="camel"):
    git_version: str


class _GroupVersion(msgspec.Struct, frozen=True):
    version: str


class _Group(msgspec.Struct, frozen=True):
    versions: list[_GroupVersion]


class _Resource(msgspec.Struct, frozen=True):
    name: str


class _Resources(msgspec.Struct, frozen=True):
    resources: list[_Resource]


def discover(client: Client) -> Served:
    """Raises NotServedError when no version of DRA is served that Sliceboard reads."""
    server_version = _get(client, _VERSION, _ServerVersion).git_version
    served = _served_versions(client)
    for version in DraVersion:
        if version in served:
            taint_rules = _taint_rules_version(client, served)
            return Served(server_version, release_of(server_version), version, taint_rules)
    raise NotServedError(_without_dra(client.url(_GROUP), server_version, served))


def release_of(server_version: str) -> tuple[int, int] | None:
    """`v1.36.2-eks-1` → (1, 36)."""
    match = re.match(r"v?(\d{1,9})\.(\d{1,9})", server_version, re.ASCII)
    return (int(match[1]), int(match[2])) if match else None


def _served_versions(client: Client) -> list[str]:
    try:
        group = _get(client, _GROUP, _Group)
    except NotServedError:
        return []
    return [entry.version for entry in group.versions]


def _taint_rules_version(client: Client, served: list[str]) -> str:
    for version in _TAINT_RULE_VERSIONS:
        if version in served:
            listed = _get(client, f"{_GROUP}/{version}", _Resources)
            if any(resource.name == _TAINT_RULES for resource in listed.resources):
                return version
    return ""


def _without_dra(url: str, server_version: str, served: list[str]) -> str:
    found = f"only {', '.join(served)}" if served else "no version at all"
    return (
        f"{url} (Kubernetes {server_version}) serves {found} of resource.k8s.io; Sliceboard reads "
        f"{', '.join(DraVersion)}. Upgrade to Kubernetes 1.34 or later, where v1 is on by default, or enable "
        "a version with the API server's --runtime-config and the feature gate DynamicResourceAllocation."
    )


Answer = TypeVar("Answer", _ServerVersion, _Group, _Resources)


def _get(client: Client, path: str, shape: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(client.get(path), type=shape)
    except (msgspec.DecodeError, RecursionError) as error:
        raise not_an_api_server(
            client.url(path), f"200 with something that is no discovery: {error}"
        ) from error
