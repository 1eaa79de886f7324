"""The claim that the webhook makes for one container and one kind of card."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inventory.hami.converted import ConvertedClaim, Origin, Rule
from inventory.hami.webhook import names, selectors
from inventory.hami.webhook.amounts import Amount, from_json, parsed
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.go import int64, quotient
from inventory.hami.webhook.profiles import Behaviour
from inventory.hami.webhook.reading import Container, as_written, at
from inventory.hami.webhook.selectors import Choice
from inventory.kube.objects import Raw

CLAIM, TEMPLATE = "ResourceClaim", "ResourceClaimTemplate"
DRA_LABEL = "hami.io/dra"
_MIB = 1024 * 1024


class NoReferenceError(ValueError):
    """The message is the webhook's own."""


class Asked(msgspec.Struct, frozen=True):
    """For whom a claim is made: a container of a Pod, and the kind of card that it asks for."""

    namespace: str
    pod: str
    annotations: Mapping[str, str]
    container: Container
    index: int
    device: DraDevice
    # As written: `container` has what is decoded.
    given: Mapping[str, Any]

    def path(self, resource: str) -> str:
        return at(f"{self.container.path}.resources.limits", resource)


class _Quantity(msgspec.Struct, frozen=True):
    """One dimension of the request."""

    key: str
    text: str
    rule: Rule
    resource: str


def claim(asked: Asked, behaviour: Behaviour) -> ConvertedClaim:
    """Raises NoReferenceError and NoUsableValueError."""
    device = asked.device
    name = _name(asked, behaviour)
    count = from_json(asked.container.limits[device.count]).value()
    capacity = [*_cores(asked), *_memory(asked)]
    choices = [selectors.of_type(device), *_chosen(asked, behaviour)]
    spec = _spec(device, choices, count, capacity)
    return ConvertedClaim(
        kind=TEMPLATE if behaviour.makes_templates else CLAIM,
        namespace=asked.namespace,
        name=name,
        container=asked.container.name,
        container_index=asked.index,
        device=device,
        raw=_object(asked.namespace, name, spec, behaviour),
        origins=tuple(_origins(asked, name, choices, count, capacity, behaviour)),
    )


def _name(asked: Asked, behaviour: Behaviour) -> str:
    if behaviour.has_bounded_names:
        return names.claim_name(asked.namespace, asked.pod, asked.container.name, asked.device.suffix)
    return names.unbounded_name(asked.namespace, asked.pod, asked.container.name)


def _chosen(asked: Asked, behaviour: Behaviour) -> Iterator[Choice]:
    of_annotations = selectors.of_annotations if behaviour.has_lists else selectors.of_raw_annotations
    return of_annotations(asked.device, asked.annotations)


def _cores(asked: Asked) -> Iterator[_Quantity]:
    device, limits = asked.device, asked.container.limits
    if device.cores not in limits:
        return
    given = from_json(limits[device.cores])
    if device.cores_are_percent_of_units:
        yield _Quantity("cores", str(_units(given, device)), Rule.PERCENT_OF_UNITS, device.cores)
    else:
        yield _Quantity("cores", str(given), Rule.AS_IS, device.cores)


def _units(percent: Amount, device: DraDevice) -> Amount:
    if device.reference_units <= 0:
        raise NoReferenceError(
            "referenceComputeUnits must be configured to convert hygon.com/hcucores requests"
        )
    hundredfold = int64(percent.value() * device.reference_units + 99)
    return Amount(max(1, quotient(hundredfold, 100)))


def _memory(asked: Asked) -> Iterator[_Quantity]:
    device, limits = asked.device, asked.container.limits
    if device.memory in limits:
        size = int64(from_json(limits[device.memory]).value() * _MIB)
        yield _Quantity("memory", str(parsed(str(size))), Rule.MIB_TO_BYTES, device.memory)


def _spec(device: DraDevice, choices: list[Choice], count: int, capacity: list[_Quantity]) -> Raw:
    exactly: Raw = {
        "deviceClassName": device.device_class,
        "selectors": [{"cel": {"expression": choice.expression}} for choice in choices],
        "allocationMode": "ExactCount",
    }
    # Go leaves a zero out, and the API server then puts a 1.
    if count:
        exactly["count"] = count
    requests = {one.key: one.text for one in capacity}
    exactly["capacity"] = {"requests": requests} if requests else {}
    return {"devices": {"requests": [{"name": device.request, "exactly": exactly}]}}


def _object(namespace: str, name: str, spec: Raw, behaviour: Behaviour) -> Raw:
    metadata: Raw = {"name": name, "namespace": namespace}
    if behaviour.makes_templates:
        metadata["labels"] = {DRA_LABEL: "true"}
        spec = {"metadata": {}, "spec": spec}
    kind = TEMPLATE if behaviour.makes_templates else CLAIM
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def _origins(
    asked: Asked,
    name: str,
    choices: list[Choice],
    count: int,
    capacity: list[_Quantity],
    behaviour: Behaviour,
) -> Iterator[Origin]:
    device, given = asked.device, asked.given
    request = f"{'spec.spec' if behaviour.makes_templates else 'spec'}.devices.requests[0]"
    exactly = f"{request}.exactly"
    yield Origin(name, "metadata.name", name, Rule.NAMED)
    yield Origin(
        name, "metadata.namespace", asked.namespace, Rule.AS_IS, "metadata.namespace", asked.namespace
    )
    if behaviour.makes_templates:
        yield Origin(name, f'metadata.labels["{DRA_LABEL}"]', "true", Rule.CONFIGURED)
    yield Origin(name, f"{request}.name", device.request, Rule.CONFIGURED)
    yield Origin(name, f"{exactly}.deviceClassName", device.device_class, Rule.CONFIGURED)
    for index, choice in enumerate(choices):
        yield _of_choice(asked, name, f"{exactly}.selectors[{index}].cel.expression", choice)
    yield Origin(name, f"{exactly}.allocationMode", "ExactCount", Rule.CONFIGURED)
    source = asked.path(device.count)
    yield Origin(name, f"{exactly}.count", str(count), Rule.COUNT, source, as_written(given[device.count]))
    for one in capacity:
        field = f"{exactly}.capacity.requests.{one.key}"
        source, written = asked.path(one.resource), as_written(given[one.resource])
        yield Origin(name, field, one.text, one.rule, source, written)


def _of_choice(asked: Asked, name: str, field: str, choice: Choice) -> Origin:
    if not choice.annotation:
        return Origin(name, field, choice.expression, choice.rule)
    source, written = at("metadata.annotations", choice.annotation), asked.annotations[choice.annotation]
    return Origin(name, field, choice.expression, choice.rule, source, written)
