"""The older DRA API versions: the same objects, nested differently.

v1 is the stored form and v1beta2 has its shape. v1beta1 keeps a device's fields under `basic`
and a request's fields directly in the request.
"""

from typing import Any

from demo.resources import (
    RESOURCE_CLAIM_TEMPLATES,
    RESOURCE_CLAIMS,
    RESOURCE_SLICES,
    Resource,
)
from demo.store import Object

_NESTED_DIFFERENTLY = "v1beta1"
_OUTSIDE_EXACTLY = ("name", "firstAvailable")


def has_stored_shape(resource: Resource, version: str) -> bool:
    reshaped = (RESOURCE_SLICES, RESOURCE_CLAIMS, RESOURCE_CLAIM_TEMPLATES)
    return version != _NESTED_DIFFERENTLY or resource not in reshaped


def as_served(resource: Resource, version: str, obj: Object) -> Object:
    """A stored object as the given version shows it."""
    if has_stored_shape(resource, version):
        return obj
    spec = obj["spec"]
    if resource is RESOURCE_SLICES:
        return {**obj, "spec": _with_devices(spec, _nested_device)}
    if resource is RESOURCE_CLAIMS:
        return {**obj, "spec": _with_requests(spec, _flat_request)}
    return {**obj, "spec": {**spec, "spec": _with_requests(spec["spec"], _flat_request)}}


def as_stored(resource: Resource, version: str, obj: Object) -> Object:
    """An object sent in the given version, in the stored form. Only claims can be sent."""
    if has_stored_shape(resource, version) or resource is not RESOURCE_CLAIMS:
        return obj
    return {**obj, "spec": _with_requests(obj.get("spec") or {}, _wrapped_request)}


def _with_devices(spec: Object, reshape: Any) -> Object:
    if "devices" not in spec:
        return spec
    return {**spec, "devices": [reshape(device) for device in spec["devices"]]}


def _with_requests(spec: Object, reshape: Any) -> Object:
    devices = spec.get("devices") or {}
    if not devices.get("requests"):
        return spec
    requests = [reshape(request) for request in devices["requests"]]
    return {**spec, "devices": {**devices, "requests": requests}}


def _nested_device(device: Object) -> Object:
    fields = {key: value for key, value in device.items() if key != "name"}
    return {"name": device["name"], "basic": fields}


def _flat_request(request: Object) -> Object:
    flat = {"name": request["name"], **request.get("exactly", {"deviceClassName": ""})}
    if "firstAvailable" in request:
        flat["firstAvailable"] = request["firstAvailable"]
    return flat


def _wrapped_request(request: Object) -> Object:
    kept = {key: value for key, value in request.items() if key in _OUTSIDE_EXACTLY}
    fields = {key: value for key, value in request.items() if key not in _OUTSIDE_EXACTLY}
    # The flat form always prints its deviceClassName, empty beside firstAvailable.
    if any(fields.values()):
        kept["exactly"] = fields
    return kept
