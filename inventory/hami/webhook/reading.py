"""A Pod as it was handed over: any JSON, so every look into it says where it finds something else."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from inventory.hami.converted import POD, Origin, Rule
from inventory.hami.webhook.amounts import AmountError, from_json
from inventory.hami.webhook.go import quote, well_formed
from inventory.kube.objects import Raw


class PodError(ValueError):
    """Not a Pod that an API server would hand on; `field` says where, `told` what was expected."""

    def __init__(self, field: str, told: str) -> None:
        super().__init__(f"{field}: {told}")
        self.field, self.told = field, told


def mapping(value: Any, path: str) -> Raw:
    """Empty where there is none. Raises PodError."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise PodError(path, "expected a mapping")
    # YAML has numbers and more as keys.
    if not all(isinstance(key, str) for key in value):
        raise PodError(path, "expected texts as keys")
    return value


def sequence(value: Any, path: str) -> list[Any]:
    """Empty where there is none. Raises PodError."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise PodError(path, "expected a list")
    return value


def text(value: Any, path: str) -> str:
    """Empty where there is none. Raises PodError."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise PodError(path, "expected a text")
    return well_formed(value)


def texts(value: Any, path: str) -> dict[str, str]:
    """Raises PodError."""
    return {key: text(one, at(path, key)) for key, one in mapping(value, path).items()}


def at(path: str, key: str) -> str:
    return f"{path}[{quote(key)}]"


class Container(msgspec.Struct, frozen=True):
    """A container of one of the lists of a Pod."""

    name: str
    path: str
    limits: Mapping[str, Any]
    requests: Mapping[str, Any]


def containers(pod: Raw, field: str = "containers") -> Sequence[Container]:
    """Raises PodError."""
    spec = mapping(pod.get("spec"), "spec")
    listed = sequence(spec.get(field), f"spec.{field}")
    return [_container(one, f"spec.{field}[{index}]") for index, one in enumerate(listed)]


def _container(value: Any, path: str) -> Container:
    found = mapping(value, path)
    resources = mapping(found.get("resources"), f"{path}.resources")
    return Container(
        text(found.get("name"), f"{path}.name"),
        path,
        mapping(resources.get("limits"), f"{path}.resources.limits"),
        mapping(resources.get("requests"), f"{path}.resources.requests"),
    )


# Where a Pod has quantities: a tree of fields, lists of one element for lists, and these two.
_AMOUNT, _AMOUNTS = "amount", "amounts"
_RESOURCES = {"limits": _AMOUNTS, "requests": _AMOUNTS}
_DIVISOR = {"resourceFieldRef": {"divisor": _AMOUNT}}
_CONTAINERS = [{"resources": _RESOURCES, "env": [{"valueFrom": _DIVISOR}]}]
_DOWNWARD = {"downwardAPI": {"items": [_DIVISOR]}}
_VOLUME = {
    "emptyDir": {"sizeLimit": _AMOUNT},
    **_DOWNWARD,
    "projected": {"sources": [_DOWNWARD]},
    "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": _RESOURCES}}},
}
_QUANTITIES = {
    "spec": {
        "containers": _CONTAINERS,
        "initContainers": _CONTAINERS,
        "ephemeralContainers": _CONTAINERS,
        "resources": _RESOURCES,
        "overhead": _AMOUNTS,
        "volumes": [_VOLUME],
    }
}


class Decoded(msgspec.Struct, frozen=True):
    """The Pod with every quantity as the webhook prints it; what has none in it is that of the given one."""

    pod: Raw
    reprinted: tuple[Origin, ...]


def decoded(pod: Raw) -> Decoded:
    """Raises PodError, and AmountError for the first quantity that is none."""
    reprinted: list[Origin] = []
    return Decoded(_printed(pod, _QUANTITIES, "", reprinted), tuple(reprinted))


def _printed(value: Any, shape: Any, path: str, reprinted: list[Origin]) -> Any:
    if shape is None or value is None:
        return value
    if shape == _AMOUNT:
        return _amount(value, path, reprinted)
    if shape == _AMOUNTS:
        return {key: _amount(one, at(path, key), reprinted) for key, one in mapping(value, path).items()}
    if isinstance(shape, list):
        return [
            _printed(one, shape[0], f"{path}[{index}]", reprinted)
            for index, one in enumerate(sequence(value, path))
        ]
    return {
        key: _printed(one, shape.get(key), f"{path}.{key}".removeprefix("."), reprinted)
        for key, one in mapping(value, path or "the Pod").items()
    }


def _amount(value: Any, path: str, reprinted: list[Origin]) -> str:
    try:
        printed, given = str(from_json(value)), as_written(value)
    except AmountError as error:
        error.field = path
        raise
    if printed != given:
        reprinted.append(Origin(POD, path, printed, Rule.REPRINTED, path, given))
    return printed


def as_written(value: Any) -> str:
    return "null" if value is None else str(value)
