"""Where workloads keep the Pods that they make."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from inventory.hami.asked import mapping, text
from inventory.kube.objects import Raw

Keys = tuple[str | int, ...]
Kind = tuple[str, str]

_APPS, _BATCH, _VOLCANO = "apps", "batch", "batch.volcano.sh"
POD: Kind = ("", "Pod")
JOB: Kind = (_BATCH, "Job")
VOLCANO_JOB: Kind = (_VOLCANO, "Job")
_TEMPLATE: Keys = ("spec", "template")
# By group and kind. A bare Pod is its own.
_KEYS: dict[Kind, Keys] = {
    POD: (),
    ("", "ReplicationController"): _TEMPLATE,
    ("", "PodTemplate"): ("template",),
    (_APPS, "Deployment"): _TEMPLATE,
    (_APPS, "StatefulSet"): _TEMPLATE,
    (_APPS, "DaemonSet"): _TEMPLATE,
    (_APPS, "ReplicaSet"): _TEMPLATE,
    JOB: _TEMPLATE,
    (_BATCH, "CronJob"): ("spec", "jobTemplate", *_TEMPLATE),
}


class Place(msgspec.Struct, frozen=True):
    """Of one Pod in a workload; only a Volcano Job has tasks."""

    keys: Keys
    task: str = ""

    @property
    def path(self) -> str:
        parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.keys)
        return "".join(parts).removeprefix(".")


def kind_of(document: Raw) -> Kind:
    group, slash, _ = text(document.get("apiVersion")).partition("/")
    return group if slash else "", text(document.get("kind"))


def places(document: Raw) -> tuple[Place, ...] | None:
    """Where its Pods should be; None for a kind that is not known."""
    kind = kind_of(document)
    if kind == VOLCANO_JOB:
        return tuple(_of_tasks(document))
    keys = _KEYS.get(kind)
    return None if keys is None else (Place(keys),)


def _of_tasks(document: Raw) -> Iterator[Place]:
    tasks = mapping(document.get("spec")).get("tasks")
    for index, task in enumerate(tasks if isinstance(tasks, list) else ()):
        name = text(mapping(task).get("name"))
        yield Place(("spec", "tasks", index, "template"), name or f"task-{index}")


def at(document: Any, keys: Sequence[str | int]) -> Any:
    """None where something else is on the way."""
    for key in keys:
        if isinstance(key, int):
            document = document[key] if isinstance(document, list) and key < len(document) else None
        else:
            document = mapping(document).get(key)
    return document


def put(document: Any, keys: Sequence[str | int], value: Any) -> Any:
    """A copy with another value there, where there is one; the order of everything stays."""
    if not keys:
        return value
    first, *rest = keys
    inner = put(document[first], rest, value)
    if isinstance(first, int):
        return [*document[:first], inner, *document[first + 1 :]]
    return {**document, first: inner}
