"""Which files, context, cluster and user a connection uses, checked before the client library loads them.

The library's own messages can quote a whole user entry with its token, so what can be wrong in a
kubeconfig is found here first. The rules of merging are those of kubectl: the first file that sets a
name or a value wins.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec
import yaml
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from inventory.kube.errors import KubeconfigError

DEFAULT_KUBECONFIG = "~/.kube/config"


class _Entry(msgspec.Struct, frozen=True, rename="kebab"):
    name: str


class _Cluster(msgspec.Struct, frozen=True, rename="kebab"):
    server: str = ""
    proxy_url: str = ""


class _NamedCluster(_Entry, frozen=True):
    cluster: _Cluster | None = None


class _Context(msgspec.Struct, frozen=True, rename="kebab"):
    cluster: str = ""
    user: str = ""


class _NamedContext(_Entry, frozen=True):
    context: _Context | None = None


class _Plugin(msgspec.Struct, frozen=True, rename="kebab"):
    command: str


class _User(msgspec.Struct, frozen=True, rename="kebab"):
    exec: _Plugin | None = None


class _NamedUser(_Entry, frozen=True):
    user: _User | None = None


class _File(msgspec.Struct, frozen=True, rename="kebab"):
    current_context: str | None = None
    contexts: list[_NamedContext] | None = None
    clusters: list[_NamedCluster] | None = None
    users: list[_NamedUser] | None = None


class Selection(msgspec.Struct, frozen=True):
    """What a kubeconfig says about one context; `plugin` is the command that gets the credential, if any."""

    paths: tuple[str, ...]
    context: str
    server: str
    proxy_url: str = ""
    plugin: str = ""

    def __str__(self) -> str:
        return f"context {self.context!r} of {_listed(self.paths)}"


def select(kubeconfig: str, context: str) -> Selection:
    """`kubeconfig` may name several files; empty means $KUBECONFIG, else ~/.kube/config.

    Raises KubeconfigError.
    """
    paths = _existing(kubeconfig or os.environ.get("KUBECONFIG", "") or DEFAULT_KUBECONFIG)
    files = [_read(path) for path in paths]
    contexts = _first_of_each_name(entry for file in files for entry in file.contexts or ())
    chosen = _chosen_context(context, files, contexts, paths)
    where = f"Context {chosen!r} of kubeconfig {_listed(paths)}"
    entry = contexts[chosen].context or _Context()
    cluster = _cluster(entry, files, where)
    return Selection(tuple(paths), chosen, cluster.server, cluster.proxy_url, _plugin(entry, files, where))


def _existing(kubeconfig: str) -> list[str]:
    named = [os.path.expanduser(path) for path in kubeconfig.split(os.pathsep) if path]  # noqa: PTH111
    found = [path for path in named if Path(path).exists()]
    if not found:
        raise KubeconfigError(
            f"Kubeconfig not found at {_listed(named)}. "
            "Give the path of a kubeconfig that the worker can read, or mount it there."
        )
    return found


def _read(path: str) -> _File:
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        return msgspec.convert(content if content is not None else {}, _File)
    except OSError as error:
        problem = error.strerror or type(error).__name__
    except UnicodeDecodeError:
        problem = "it is no UTF-8 text"
    except yaml.YAMLError as error:
        problem = _yaml_problem(error)
    except msgspec.ValidationError as error:
        problem = str(error)
    except RecursionError:
        problem = "it is nested too deeply"
    raise KubeconfigError(f"Kubeconfig {path} cannot be read: {problem}.")


def _yaml_problem(error: yaml.YAMLError) -> str:
    """Without the text around the mistake: it may hold a credential."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"it is no YAML, see line {error.problem_mark.line + 1}"
    return "it is no YAML"


def _chosen_context(
    context: str, files: list[_File], contexts: dict[str, _NamedContext], paths: list[str]
) -> str:
    chosen = context or next((file.current_context for file in files if file.current_context), "")
    known = ", ".join(sorted(contexts)) or "none"
    if not chosen:
        raise KubeconfigError(
            f"Kubeconfig {_listed(paths)} sets no current-context: name one. Known contexts: {known}."
        )
    if chosen not in contexts:
        raise KubeconfigError(
            f"Context {chosen!r} is not in kubeconfig {_listed(paths)}. Known contexts: {known}."
        )
    return chosen


def _cluster(context: _Context, files: list[_File], where: str) -> _Cluster:
    clusters = _first_of_each_name(entry for file in files for entry in file.clusters or ())
    if context.cluster not in clusters:
        raise KubeconfigError(f"{where} names the cluster {context.cluster!r}, which is not there.")
    cluster = clusters[context.cluster].cluster or _Cluster()
    if not _is_address(cluster.server):
        raise KubeconfigError(f"{where}: cluster {context.cluster!r} has no `server` like https://host:port.")
    return cluster


def _is_address(server: str) -> bool:
    try:
        url = parse_url(server)
    except LocationParseError:
        return False
    return url.scheme in ("https", "http") and bool(url.host)


def _plugin(context: _Context, files: list[_File], where: str) -> str:
    if not context.user:
        return ""
    users = _first_of_each_name(entry for file in files for entry in file.users or ())
    if context.user not in users:
        raise KubeconfigError(f"{where} names the user {context.user!r}, who is not there.")
    user = users[context.user].user or _User()
    return user.exec.command if user.exec else ""


NamedEntry = TypeVar("NamedEntry", bound=_Entry)


def _first_of_each_name(entries: Iterable[NamedEntry]) -> dict[str, NamedEntry]:
    first: dict[str, NamedEntry] = {}
    for entry in entries:
        first.setdefault(entry.name, entry)
    return first


def _listed(paths: Iterable[str]) -> str:
    return ", ".join(paths)
