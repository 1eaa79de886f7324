"""One dimension of a device, as every face shows it."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from inventory.kube.objects import Capacity
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Balance
from inventory.models.amounts import to_quantity

_MILLIONTH = Decimal("0.000001")


class RequestPolicy(msgspec.Struct, frozen=True):
    """What one claim may ask of a dimension; `default` is what it gets when it does not ask."""

    default: Quantity | None
    minimum: Quantity | None
    maximum: Quantity | None
    step: Quantity | None
    valid_values: tuple[Quantity, ...]


class Dimension(msgspec.Struct, frozen=True):
    """Null is not known, and then `reason` says why. `ratio` is allocated over total."""

    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    ratio: Decimal | None
    reason: str | None
    request_policy: RequestPolicy | None = None


def ratio(allocated: Quantity | None, total: Quantity | None) -> Decimal | None:
    """Allocated over total with six places, rounded down: what is not full never reads as 1."""
    if allocated is None or not total:
        return None
    return Decimal(allocated.nanos * 10**6 // total.nanos) * _MILLIONTH


def dimensions(
    balances: Iterable[Balance], published: Mapping[str, Any] | None = None
) -> dict[str, Dimension]:
    """The balances of one device or card; `published` is the device's capacity as its slice has it."""
    return {
        balance.dimension: _dimension(balance, (published or {}).get(balance.dimension))
        for balance in balances
    }


def _dimension(balance: Balance, published: Any) -> Dimension:
    total, allocated, remaining = (
        to_quantity(amount, balance.exponent, balance.notation)
        for amount in (balance.total, balance.allocated, balance.remaining)
    )
    return Dimension(
        total,
        allocated,
        remaining,
        ratio(allocated, total),
        balance.reason or None,
        request_policy(published),
    )


def request_policy(published: Any) -> RequestPolicy | None:
    """The policy of a capacity as published; None where there is none, or none that can be read."""
    try:
        policy = msgspec.convert(published, Capacity).request_policy
        if policy is None:
            return None
        within = policy.valid_range
        return RequestPolicy(
            default=_parsed(policy.default),
            minimum=_parsed(within.min) if within else None,
            maximum=_parsed(within.max) if within else None,
            step=_parsed(within.step) if within else None,
            valid_values=tuple(parse(text) for text in policy.valid_values or ()),
        )
    except (msgspec.ValidationError, QuantityError):
        return None


def _parsed(text: str | None) -> Quantity | None:
    return None if text is None else parse(text)
