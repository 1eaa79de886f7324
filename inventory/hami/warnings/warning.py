"""What a converted Pod does otherwise than before, as codes and values; `wording` has the texts."""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec

from inventory.hami.webhook.go import well_formed
from inventory.hami.yaml_text import yaml_text
from inventory.kube.objects import Raw
from inventory.kube.untrusted import printable

# An annotation may hold a quarter of a mebibyte; a sentence that names it does not.
_LONGEST_VALUE = 256


class Severity(StrEnum):
    # The Pod is refused or waits for ever.
    NEVER_FITS = "never_fits"
    # It runs, and gets something else than before.
    DIFFERS = "differs"
    NOTE = "note"


class Code(StrEnum):
    # Amounts
    COUNT_ZERO = "count-zero"
    COUNT_ROUNDED = "count-rounded"
    TOO_MANY_RESULTS = "too-many-results"
    MEMORY_SUFFIX = "memory-suffix"
    MEMORY_SUFFIX_HUGE = "memory-suffix-huge"
    MEMORY_OVERFLOWS = "memory-overflows"
    MEMORY_ZERO = "memory-zero"
    MEMORY_NEGATIVE = "memory-negative"
    MEMORY_ROUNDED = "memory-rounded"
    MEMORY_ABOVE_EVERY_CARD = "memory-above-every-card"
    CORES_TAKE_ALL = "cores-take-all"
    CORES_ABOVE_ALL = "cores-above-all"
    CORES_ROUNDED = "cores-rounded"
    CORES_NEGATIVE = "cores-negative"
    CORES_NOT_EXCLUSIVE = "cores-not-exclusive"
    UNITS_NEGATIVE = "units-negative"
    UNITS_OF_ONE_REFERENCE = "units-of-one-reference"
    UNITS_NOT_CONFIGURED = "units-not-configured"
    # Ascend
    CHIP_NOT_SELECTED = "chip-not-selected"
    OTHER_CHIPS_HERE = "other-chips-here"
    CORES_OF_TEMPLATE = "cores-of-template"
    TEMPLATE_NOT_TAKEN = "template-not-taken"
    WHOLE_CARD_GIVEN = "whole-card-given"
    TEMPLATE_REFUSED = "template-refused"
    MODULES_OF_TWO = "modules-of-two"
    SLICES_OF_SEVERAL = "slices-of-several"
    RUNTIME_CLASS = "runtime-class"
    # Annotations
    TYPE_IS_WHOLE = "type-is-whole"
    TYPE_MATCHES_NONE = "type-matches-none"
    TYPE_MATCHES_FEWER = "type-matches-fewer"
    TYPE_EXCLUDES_LESS = "type-excludes-less"
    TYPE_NEWLY_READ = "type-newly-read"
    TYPE_EMPTY = "type-empty"
    TYPE_EMPTY_NEWLY_READ = "type-empty-newly-read"
    UUID_EMPTY = "uuid-empty"
    UUID_PREFIX = "uuid-prefix"
    UUID_UNKNOWN = "uuid-unknown"
    LIST_NOT_SPLIT = "list-not-split"
    EXCLUSION_DROPPED = "exclusion-dropped"
    ANNOTATION_DROPPED = "annotation-dropped"
    # What the webhook leaves where it is
    PERCENTAGE_LEFT = "percentage-left"
    PRIORITY_LEFT = "priority-left"
    WITHOUT_COUNT = "without-count"
    ONLY_REQUESTED = "only-requested"
    INIT_CONTAINER = "init-container"
    EPHEMERAL_CONTAINER = "ephemeral-container"
    POD_AS_A_WHOLE = "pod-as-a-whole"
    OTHER_VENDOR = "other-vendor"
    # Placement
    MAY_SHARE_ONE_CARD = "may-share-one-card"
    CLAIMS_OVERWRITTEN = "claims-overwritten"
    NODE_NAME = "node-name"
    PRIVILEGED = "privileged"
    OTHER_SCHEDULER = "other-scheduler"
    HAMI_RECORDS = "hami-records"
    # The cluster
    CLASS_MISSING = "class-missing"
    CLASS_ANSWERS_TO_RESOURCE = "class-answers-to-resource"
    BOTH_WAYS = "both-ways"
    SHARING_OFF = "sharing-off"
    QUOTA_NOT_COUNTED = "quota-not-counted"


class Correction(msgspec.Struct, frozen=True):
    """What to write in the Pod, in the limits of the container that a warning is about; None takes away."""

    limits: Mapping[str, int | str | None] = {}
    annotations: Mapping[str, str | None] = {}

    def text(self) -> str:
        lines = (*self.annotations.items(), *self.limits.items())
        return "\n".join(
            f"# no {name} at all" if value is None else entry(name, value) for name, value in lines
        )


class ConversionWarning(msgspec.Struct, frozen=True):
    """One thing to know before converting.

    `field` is the path in the Pod that it is about, `container` the name of the container where it is about
    one. `values` are what the texts name. `instead` is the YAML to write, empty where nothing would help;
    `correction` is the same where it is a matter of limits and annotations alone.
    """

    code: Code
    severity: Severity
    field: str
    container: str = ""
    values: Mapping[str, str] = {}
    instead: str = ""
    correction: Correction | None = None


def warn(
    code: Code,
    severity: Severity,
    field: str,
    container: str = "",
    values: Mapping[str, Any] | None = None,
    instead: str | Correction = "",
) -> ConversionWarning:
    """Values are shown: without controls, and cut."""
    named = {name: _shown(str(value)) for name, value in (values or {}).items()}
    if isinstance(instead, Correction):
        return ConversionWarning(code, severity, field, container, named, instead.text(), instead)
    return ConversionWarning(code, severity, field, container, named, instead)


def _shown(text: str) -> str:
    return printable(text) if len(text) <= _LONGEST_VALUE else f"{printable(text, _LONGEST_VALUE)}…"


def written(part: Raw) -> str:
    """A part of a manifest, to be written instead; whatever is in it stays a value."""
    return yaml_text(_well_formed(part)).rstrip("\n")


@lru_cache(maxsize=1024)
def entry(name: str, value: str | int) -> str:
    """One line of a manifest. Pods of one workload have the same."""
    return written({name: value})


def _well_formed(value: Any) -> Any:
    match value:
        case dict():
            return {well_formed(key): _well_formed(one) for key, one in value.items()}
        case list():
            return [_well_formed(one) for one in value]
        case str():
            return well_formed(value)
        case _:
            return value
