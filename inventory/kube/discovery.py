"""What an API server is and which version of resource.k8s.io it serves."""

import logging
import re
from typing import TypeVar

import msgspec

from inventory.kube.client import Client
from inventory.kube.errors import (
    ClusterError,
    KubeconfigError,
    NotServedError,
    TlsError,
    UnauthorizedError,
    UnreachableError,
)
from inventory.kube.refusals import not_an_api_server
from inventory.kube.untrusted import printable
from inventory.kube.versions import DraVersion

logger = logging.getLogger(__name__)

_GROUP = "/apis/resource.k8s.io"
_VERSION = "/version"
_LONGEST_VERSION = 100
# With any of these nothing else can be asked either.
_OF_THE_CONNECTION = (KubeconfigError, UnreachableError, TlsError, UnauthorizedError)
# DeviceTaintRule came later than the kinds it acts on: v1alpha3 in 1.33, v1beta2 in 1.36, v1 in 1.37.
_TAINT_RULES = "devicetaintrules"
_TAINT_RULE_VERSIONS = ("v1", "v1beta2", "v1alpha3")


class Served(msgspec.Struct, frozen=True):
    """`server_version` is the server's own word (v1.36.2-eks-1), empty if it does not tell.

    `release` is its (major, minor), None if that cannot be told. `taint_rules_version` is the version that
    serves DeviceTaintRules, empty where they are switched off and so without effect, None if not known.
    """

    server_version: str
    release: tuple[int, int] | None
    dra_version: DraVersion
    taint_rules_version: str | None = ""

    def version_of(self, resource: str) -> str:
        """The version in which a resource of the group is read."""
        return (self.taint_rules_version or "") if resource == _TAINT_RULES else self.dra_version

    def streams_lists(self) -> bool:
        """Whether a list may be asked for as a watch: on by default from Kubernetes 1.34."""
        return self.release is not None and self.release >= (1, 34)


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
    server_version = _server_version(client)
    served = _served_versions(client)
    for version in DraVersion:
        if version in served:
            taint_rules = _taint_rules_version(client, served)
            return Served(server_version, release_of(server_version), version, taint_rules)
    raise NotServedError(_without_dra(client.url(_GROUP), server_version, served))


def _server_version(client: Client) -> str:
    """A cluster that keeps its version to itself can be read all the same."""
    try:
        found = _get(client, _VERSION, _ServerVersion)
    except _OF_THE_CONNECTION:
        raise
    except ClusterError as error:
        logger.warning("server version not read reason=%s message=%s", error.reason, error)
        return ""
    return printable(found.git_version, _LONGEST_VERSION)


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


def _taint_rules_version(client: Client, served: list[str]) -> str | None:
    none_found: str | None = ""
    for version in _TAINT_RULE_VERSIONS:
        if version in served:
            has_taint_rules = _has_taint_rules(client, version)
            if has_taint_rules:
                return version
            if has_taint_rules is None:
                none_found = None
    return none_found


def _has_taint_rules(client: Client, version: str) -> bool | None:
    try:
        listed = _get(client, f"{_GROUP}/{version}", _Resources)
    except _OF_THE_CONNECTION:
        raise
    except ClusterError as error:
        logger.warning("taint rules not discovered reason=%s message=%s", error.reason, error)
        return None
    return any(resource.name == _TAINT_RULES for resource in listed.resources)


def _without_dra(url: str, server_version: str, served: list[str]) -> str:
    found = f"only {', '.join(served)}" if served else "no version at all"
    release = server_version or "of an unknown version"
    return (
        f"{url} (Kubernetes {release}) serves {found} of resource.k8s.io; Sliceboard reads "
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
