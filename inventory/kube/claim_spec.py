"""The spec of a ResourceClaim, typed (resource.k8s.io/v1 ResourceClaimSpec).

Strict: a field that is not here may decide where a claim goes, so it must not be skipped over.
"""

from typing import Any

import msgspec


class Strict(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """Base of all: camel case on the wire, unknown fields refused."""


class Cel(Strict, frozen=True):
    expression: str = ""


class Selector(Strict, frozen=True):
    cel: Cel | None = None


class CapacityRequirements(Strict, frozen=True):
    """Quantities as they came: text, or a JSON number."""

    requests: dict[str, Any] | None = None


class Toleration(Strict, frozen=True):
    """`seconds` of NoExecute say when a Pod is evicted, not where it is placed."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class SubRequest(Strict, frozen=True):
    """An entry of `firstAvailable` (DeviceSubRequest): admin access cannot be asked for here."""

    name: str
    device_class_name: str = ""
    selectors: list[Selector] | None = None
    allocation_mode: str = ""
    count: int | None = None
    tolerations: list[Toleration] | None = None
    capacity: CapacityRequirements | None = None


class ExactRequest(Strict, frozen=True):
    """`exactly` (ExactDeviceRequest); its name is that of the request."""

    device_class_name: str = ""
    selectors: list[Selector] | None = None
    allocation_mode: str = ""
    count: int | None = None
    admin_access: bool | None = None
    tolerations: list[Toleration] | None = None
    capacity: CapacityRequirements | None = None


class Request(Strict, frozen=True):
    name: str
    exactly: ExactRequest | None = None
    first_available: list[SubRequest] | None = None


class Constraint(Strict, frozen=True):
    requests: list[str] | None = None
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class Devices(Strict, frozen=True):
    requests: list[Request] | None = None
    constraints: list[Constraint] | None = None
    # Handed to the driver; it has no say in where the claim goes.
    config: list[Any] | None = None


class ClaimSpec(Strict, frozen=True):
    devices: Devices = msgspec.field(default_factory=Devices)
