"""What the validation of Kubernetes 1.36 says of a Pod, as far as the conversion can have to do with it.

That is its names, claims, containers and resources, with the values that the API server puts where there are
none. Everything else is valid or not whatever the webhook does.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from inventory.hami.webhook import field_errors, resource_refusals
from inventory.hami.webhook.go import quote
from inventory.hami.webhook.kubernetes_names import label_faults, subdomain_faults
from inventory.hami.webhook.names import sample
from inventory.hami.webhook.reading import Container, containers, mapping, sequence, text
from inventory.kube.objects import Raw

_EPHEMERAL = "ephemeralContainers"


def reasons(pod: Raw) -> Iterator[str]:
    """Raises PodError."""
    metadata, spec = mapping(pod.get("metadata"), "metadata"), mapping(pod.get("spec"), "spec")
    yield from _of_name(metadata)
    claims = [
        mapping(one, f"spec.resourceClaims[{index}]")
        for index, one in enumerate(sequence(spec.get("resourceClaims"), "spec.resourceClaims"))
    ]
    yield from _of_claims(claims)
    claim_names = {text(one.get("name"), "spec.resourceClaims") for one in claims} - {""}
    yield from _of_containers(pod, spec, sorted(claim_names))
    yield from _of_pod_resources(spec)
    if sequence(spec.get(_EPHEMERAL), f"spec.{_EPHEMERAL}"):
        yield field_errors.forbidden(f"spec.{_EPHEMERAL}", "cannot be set on create")


def _of_name(metadata: Raw) -> Iterator[str]:
    name = text(metadata.get("name"), "metadata.name")
    if name:
        yield from field_errors.names("metadata.name", name, subdomain_faults(name))
    elif not metadata.get("generateName"):
        yield field_errors.required("metadata.name", "name or generateName is required")


def _of_claims(claims: Sequence[Raw]) -> Iterator[str]:
    seen: set[str] = set()
    for index, one in enumerate(claims):
        path = f"spec.resourceClaims[{index}]"
        name = text(one.get("name"), f"{path}.name")
        if not name:
            yield field_errors.required(f"{path}.name")
        elif name in seen:
            yield field_errors.duplicate(f"{path}.name", name)
        else:
            yield from field_errors.names(f"{path}.name", name, label_faults(sample(name)))
        seen.add(name)
        yield from _of_reference(one, name, path)


def _of_reference(one: Raw, name: str, path: str) -> Iterator[str]:
    fields = ("resourceClaimName", "resourceClaimTemplateName")
    referred = {field: text(one[field], f"{path}.{field}") for field in fields if one.get(field) is not None}
    if len(referred) != 1:
        detail = (
            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            if referred
            else "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        )
        yield field_errors.invalid(path, _internal_claim(name, referred), detail)
    for field, value in referred.items():
        yield from field_errors.names(f"{path}.{field}", value, subdomain_faults(sample(value)))


def _internal_claim(name: str, referred: dict[str, str]) -> str:
    """As JSON, by the names that Go has for the fields."""
    fields = [f'"Name":{quote(name)}']
    for field in ("resourceClaimName", "resourceClaimTemplateName"):
        value = quote(referred[field]) if field in referred else "null"
        fields.append(f'"R{field.removeprefix("r")}":{value}')
    return "{" + ",".join(fields) + "}"


def _of_containers(pod: Raw, spec: Raw, claim_names: Sequence[str]) -> Iterator[str]:
    if not spec.get("containers"):
        yield field_errors.required("spec.containers")
    seen: set[str] = set()
    for field in ("containers", "initContainers", _EPHEMERAL):
        raw = sequence(spec.get(field), f"spec.{field}")
        for one, container in zip(raw, containers(pod, field), strict=True):
            written = mapping(one, container.path)
            yield from _of_container(written, container, claim_names, has_defaults=field != _EPHEMERAL)
            if container.name in seen:
                yield field_errors.duplicate(f"{container.path}.name", container.name)
            seen.add(container.name)
            if field == _EPHEMERAL and (container.limits or container.requests):
                detail = "cannot be set for an Ephemeral Container"
                yield field_errors.forbidden(f"{container.path}.resources", detail)


def _of_container(
    raw: Raw, container: Container, claim_names: Sequence[str], *, has_defaults: bool
) -> Iterator[str]:
    path = container.path
    if not container.name:
        yield field_errors.required(f"{path}.name")
    else:
        yield from field_errors.names(f"{path}.name", container.name, label_faults(container.name))
    if not raw.get("image"):
        yield field_errors.required(f"{path}.image")
    requests = container.requests
    if has_defaults:
        requests = resource_refusals.with_defaults(container.limits, requests)
    yield from resource_refusals.reasons(
        container.limits, requests, f"{path}.resources", resource_refusals.of_container_name
    )
    resources = mapping(raw.get("resources"), f"{path}.resources")
    used = sequence(resources.get("claims"), f"{path}.resources.claims")
    yield from _of_uses(used, claim_names, f"{path}.resources.claims")


def _of_uses(used: Sequence[Any], claim_names: Sequence[str], path: str) -> Iterator[str]:
    seen: set[str] = set()
    for index, one in enumerate(used):
        place = f"{path}[{index}]"
        found = mapping(one, place)
        name, request = text(found.get("name"), place), text(found.get("request"), f"{place}.request")
        if not name:
            yield field_errors.required(place)
            continue
        yield from _of_use(name, request, seen, place)
        if name not in claim_names:
            yield field_errors.not_found(place, name, _missing(claim_names))


def _of_use(name: str, request: str, seen: set[str], path: str) -> Iterator[str]:
    """A container may name several requests of a claim, or the whole of it, each once."""
    if name in seen:
        yield field_errors.duplicate(path, name)
        return
    key = f"{name}/{request}" if request else name
    if request:
        yield from field_errors.names(f"{path}.request", request, label_faults(request))
    if key in seen:
        yield field_errors.duplicate(path, key)
    elif not request:
        for _ in [one for one in seen if one.startswith(f"{name}/")]:
            yield field_errors.duplicate(path, name)
    seen.add(key)


def _missing(claim_names: Sequence[str]) -> str:
    among = f": {', '.join(claim_names)}" if claim_names else " which is empty"
    return f"must be one of the names in pod.spec.resourceClaims{among}"


def _of_pod_resources(spec: Raw) -> Iterator[str]:
    path = "spec.resources"
    resources = mapping(spec.get("resources"), path)
    limits = mapping(resources.get("limits"), f"{path}.limits")
    requests = mapping(resources.get("requests"), f"{path}.requests")
    yield from resource_refusals.reasons(limits, requests, path, resource_refusals.of_pod_name)
