"""Older versions of resource.k8s.io, lifted into the shape of v1.

v1beta2 is spelled like v1. v1beta1 differs in two places (k8s.io/api/resource/v1beta1/types.go): a device
keeps its content under `basic`, and a request has the fields of `exactly` beside its name.
What is not shaped as expected stays as it came; the typed decoder tells about it afterwards.
"""

from collections.abc import Callable
from enum import StrEnum

from inventory.kube.objects import Raw


class DraVersion(StrEnum):
    """The versions of resource.k8s.io that Sliceboard reads, best first."""

    V1 = "v1"
    V1BETA2 = "v1beta2"
    V1BETA1 = "v1beta1"


Lift = Callable[[Raw], Raw]


def lift_slice(wire: Raw) -> Raw:
    return _changed(wire, ("spec", "devices"), _each(_without_basic))


def lift_claim(wire: Raw) -> Raw:
    return _changed(wire, ("spec", "devices", "requests"), _each(_with_exactly))


def lift_template(wire: Raw) -> Raw:
    return _changed(wire, ("spec", "spec", "devices", "requests"), _each(_with_exactly))


_LIFTS: dict[str, Lift] = {
    "resourceslices": lift_slice,
    "resourceclaims": lift_claim,
    "resourceclaimtemplates": lift_template,
}


def lift_for(resource: str, version: DraVersion) -> Lift | None:
    """How objects of a resource (plural, lower case) have to be lifted; None: they have the shape of v1."""
    return _LIFTS.get(resource) if version is DraVersion.V1BETA1 else None


def _without_basic(device: Raw) -> Raw:
    basic = device.get("basic")
    if not isinstance(basic, dict):
        return device
    return {**basic, **{name: value for name, value in device.items() if name != "basic"}}


def _with_exactly(request: Raw) -> Raw:
    """A request with `firstAvailable` has no `exactly`, though v1beta1 prints its empty class name."""
    if "exactly" in request:
        return request
    named = {name: value for name, value in request.items() if name in ("name", "firstAvailable")}
    exactly = {name: value for name, value in request.items() if name not in named}
    if not exactly.get("deviceClassName"):
        exactly.pop("deviceClassName", None)
    return {**named, "exactly": exactly} if exactly else named


def _changed(wire: Raw, path: tuple[str, ...], change: Callable[[object], object]) -> Raw:
    """A copy of `wire` in which the value at `path`, if there is one, is changed."""
    name, *rest = path
    value = wire.get(name)
    if not rest:
        return {**wire, name: change(value)} if value is not None else wire
    return {**wire, name: _changed(value, tuple(rest), change)} if isinstance(value, dict) else wire


def _each(change: Lift) -> Callable[[object], object]:
    def changed(values: object) -> object:
        if not isinstance(values, list):
            return values
        return [change(value) if isinstance(value, dict) else value for value in values]

    return changed
