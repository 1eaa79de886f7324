"""Which devices are accelerators: they are summed into cards, everything else is only shown."""

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from inventory.dra.attributes import Attributes

DEFAULT_RULES = (
    "!compute-domain.nvidia.com",
    "gpu.*",
    "*-gpu.*",
    "ascend.*",
    "npu.*",
    "*-npu.*",
    "dra.hygon.com",
    "hcu.*",
    "dcu.*",
    "tpu.*",
    "gaudi.*",
    "mlu.*",
    "xpu.*",
    "gcu.*",
    "neuron.*",
    "fake.dra.hami.io",
    # A driver not known yet: what has both a UUID and memory of its own is a card.
    "* uuid=* +memory",
)


class RuleError(ValueError):
    """A rule cannot be read; the message quotes it."""


class Rule(msgspec.Struct, frozen=True):
    """`[!]driver [attribute=pattern …] [+capacity …]`; patterns are shell globs, all parts must hold."""

    accelerator: bool
    driver: str
    attributes: tuple[tuple[str, str], ...] = ()
    capacities: tuple[str, ...] = ()

    def holds(self, driver: str, attributes: Attributes, capacities: Collection[str]) -> bool:
        return (
            fnmatchcase(driver, self.driver)
            and all(_matches(attributes, driver, *wanted) for wanted in self.attributes)
            and all(_publishes(capacities, driver, name) for name in self.capacities)
        )


def parse(text: str) -> Rule:
    """Raises RuleError."""
    driver, *conditions = text.split() or [""]
    attributes = tuple(_pair(text, condition) for condition in conditions if not condition.startswith("+"))
    capacities = tuple(condition[1:] for condition in conditions if condition.startswith("+"))
    name = driver.removeprefix("!")
    if not name or "" in capacities:
        raise RuleError(_refusal(text))
    return Rule(not driver.startswith("!"), name, attributes, capacities)


def is_accelerator(
    rules: Sequence[Rule], driver: str, attributes: Attributes, capacities: Collection[str]
) -> bool:
    """The first rule that holds decides; where none does, the device is no accelerator."""
    return next((rule.accelerator for rule in rules if rule.holds(driver, attributes, capacities)), False)


def _pair(text: str, condition: str) -> tuple[str, str]:
    attribute, equals, pattern = condition.partition("=")
    if not (attribute and equals and pattern):
        raise RuleError(_refusal(text))
    return attribute, pattern


def _refusal(text: str) -> str:
    return f"{text!r} is no accelerator rule; expected '[!]driver [attribute=pattern …] [+capacity …]'"


def _matches(attributes: Attributes, driver: str, name: str, pattern: str) -> bool:
    published = attributes.get(name) or attributes.get(f"{driver}/{name}")
    contents = published.values() if isinstance(published, Mapping) else ()
    return any(fnmatchcase(str(content), pattern) for content in contents)


def _publishes(capacities: Collection[str], driver: str, name: str) -> bool:
    return name in capacities or f"{driver}/{name}" in capacities
