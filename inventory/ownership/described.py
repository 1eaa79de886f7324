"""What a thing says of itself, as far as it may tell whose it is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# Of an annotation that is kept: a longer value is no name, and anybody may write any amount of text there.
LONGEST_VALUE = 253


@dataclass(frozen=True)
class Described:
    """Labels, and those annotations that are kept."""

    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


def kept(annotations: Mapping[str, str] | None, keys: Iterable[str]) -> dict[str, str]:
    """Those under the keys; never a part of a value, which might be somebody else's name."""
    found = {key: annotations[key] for key in keys if key in annotations} if annotations else {}
    return {key: value for key, value in found.items() if 0 < len(value) <= LONGEST_VALUE}
