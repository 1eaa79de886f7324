"""What a request consumes of a device in each dimension: default, rounding and policy (KEP-5075;
k8s.io/dynamic-resource-allocation, structured/internal/incubating/consumable_capacity.go)."""

from functools import lru_cache

import msgspec

from inventory.kube.objects import Capacity
from inventory.kube.quantity import Notation, Quantity, QuantityError, parse

_KEPT = 4096
# Minimum, maximum and step, as written.
_Limits = tuple[str | None, str | None, str | None]


class Range(msgspec.Struct, frozen=True):
    minimum: Quantity
    maximum: Quantity | None = None
    step: Quantity | None = None


class Policy(msgspec.Struct, frozen=True):
    """Either a range or values, or neither."""

    default: Quantity | None = None
    range: Range | None = None
    values: tuple[Quantity, ...] = ()


class Dimension(msgspec.Struct, frozen=True):
    """What a device publishes of one dimension."""

    total: Quantity
    policy: Policy | None = None


def dimension(published: Capacity) -> Dimension:
    """Raises QuantityError, naming the text that is no quantity or the rule that it breaks.

    Devices that publish the same have the same object: of thousands there are a few.
    """
    policy = published.request_policy
    if policy is None:
        return _plain(published.value)
    found = policy.valid_range
    limits = None if found is None else (found.min, found.max, found.step)
    values = tuple(policy.valid_values or ())
    return _with_policy(published.value, policy.default, limits, values)


@lru_cache(maxsize=_KEPT)
def _plain(value: str) -> Dimension:
    return Dimension(parse(value))


@lru_cache(maxsize=_KEPT)
def _with_policy(
    value: str, default: str | None, limits: _Limits | None, values: tuple[str, ...]
) -> Dimension:
    allowed = None if limits is None else _range(*map(_read, limits))
    return Dimension(parse(value), Policy(_read(default), allowed, tuple(map(parse, values))))


def _range(minimum: Quantity | None, maximum: Quantity | None, step: Quantity | None) -> Range:
    if minimum is None:
        raise QuantityError("a validRange without min")
    if step is not None and step.nanos <= 0:
        raise QuantityError(f"a validRange with step {step}")
    return Range(minimum, maximum, step)


def _read(text: str | None) -> Quantity | None:
    return None if text is None else parse(text)


def needed(dimension: Dimension, asked: Quantity | None) -> Quantity:
    """What a request takes: `asked` rounded up by the policy.

    Where nothing is asked, the default, and without a default all that there is.
    """
    policy = dimension.policy
    if asked is None:
        return dimension.total if policy is None or policy.default is None else policy.default
    if policy is None:
        return asked
    if policy.range is not None:
        return _into(policy.range, asked)
    return next((value for value in policy.values if asked <= value), asked)


def _into(allowed: Range, asked: Quantity) -> Quantity:
    """Upstream counts steps in whole numbers, each rounded up first: a step of 500m acts as 1."""
    if asked < allowed.minimum:
        return allowed.minimum
    if allowed.step is None:
        return asked
    minimum, step = allowed.minimum.rounded_up(), allowed.step.rounded_up()
    steps = -(-(asked.rounded_up() - minimum) // step)
    return Quantity.of(minimum + steps * step, Notation.BINARY)


def violation(dimension: Dimension, need: Quantity) -> str:
    """Why the policy refuses what a request would take; empty if it does not."""
    policy = dimension.policy
    if policy is None or _is_default(policy, need):
        return ""
    if policy.range is not None:
        return _outside(policy.range, need)
    if policy.values and need not in policy.values:
        return "the largest that may be asked for is " + str(policy.values[-1])
    return ""


def _is_default(policy: Policy, need: Quantity) -> bool:
    """Upstream compares the two as they are kept, so 8Gi is not 8589934592 here."""
    default = policy.default
    return default is not None and need == default and need.notation is default.notation


def _outside(allowed: Range, need: Quantity) -> str:
    if allowed.maximum is not None and need > allowed.maximum:
        return f"the largest that may be asked for is {allowed.maximum}"
    if allowed.step is None:
        return ""
    above = need.rounded_up() - allowed.minimum.rounded_up()
    if above % allowed.step.rounded_up():
        return f"not reached from {allowed.minimum} in steps of {allowed.step}"
    return ""
