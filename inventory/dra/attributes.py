"""What a driver says of a device, found under whatever attribute it publishes it.

There is no standard name for the product or the UUID: the lists below are the names in use by the drivers
that publish resource slices today, in order of preference.
"""

from collections.abc import Mapping
from typing import Any

PRODUCT = ("productName", "product", "modelName", "model", "deviceModel", "tpuGen", "pciDevice")
UUID = ("uuid", "UUID", "deviceUUID", "gpuUUID", "serial", "serialNumber")
PARENT_UUID = ("parentUUID", "parentUuid")

KINDS = ("string", "int", "bool", "version", "strings", "ints", "bools", "versions")

# What a driver publishes: one-ofs by name, and whatever else somebody wrote there.
Attributes = Mapping[str, Any]
_LONGEST = 253


def value(published: Mapping[str, Any]) -> tuple[str, Any]:
    """The one-of as (kind, value); a kind that Kubernetes has added since comes back as it is named.

    Raises ValueError if it is no one-of.
    """
    if len(published) != 1:
        raise ValueError(
            f"expected exactly one of {', '.join(KINDS)}, found {', '.join(published) or 'nothing'}"
        )
    kind, content = next(iter(published.items()))
    return kind, content


def text(attributes: Attributes, names: tuple[str, ...], driver: str) -> str:
    """The first of the named attributes that is a text, in the driver's own domain before any other.

    A name without a domain belongs to the driver's domain (API type QualifiedName). Empty if there is none.
    """
    for name in names:
        for key in (name, f"{driver}/{name}", *(key for key in attributes if key.endswith(f"/{name}"))):
            published = attributes.get(key)
            content = published.get("string") if isinstance(published, Mapping) else None
            if isinstance(content, str) and content:
                return content[:_LONGEST]
    return ""


def product(attributes: Attributes, driver: str) -> str:
    return text(attributes, PRODUCT, driver)


def uuid(attributes: Attributes, driver: str) -> str:
    return text(attributes, UUID, driver)


def parent_uuid(attributes: Attributes, driver: str) -> str:
    return text(attributes, PARENT_UUID, driver)
