"""Device classes as the allocator takes them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from inventory.dra.simulator.claims import SpecError, UnknownFieldError, selectors
from inventory.kube.claim_spec import Selector


def class_selectors(name: str, spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The CEL expressions of a class. Raises SpecError and UnknownFieldError."""
    try:
        listed = msgspec.convert(spec.get("selectors"), list[Selector] | None)
    except msgspec.ValidationError as error:
        unknown = str(error).startswith("Object contains unknown field")
        raise (UnknownFieldError if unknown else SpecError)(f"class {name}: {error}") from error
    return selectors(f"class {name}", listed)
