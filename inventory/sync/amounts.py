"""Amounts as they are stored, by what they are of; None in a dimension whose amount is not known."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from inventory.kube.quantity import Quantity
from inventory.models import Balance, ConsumedCapacity
from inventory.models.amounts import to_quantity
from inventory.sync.touched import batches

Amounts = defaultdict[int, dict[str, Quantity | None]]


def consumed(shares: Iterable[int]) -> Amounts:
    """By share."""
    found: Amounts = defaultdict(dict)
    columns = ("share_id", "dimension", "amount", "exponent", "notation")
    for batch in batches(shares):
        amounts = ConsumedCapacity.objects.filter(share__in=batch).order_by()
        for share, dimension, amount, exponent, notation in amounts.values_list(*columns):
            found[share][dimension] = to_quantity(amount, exponent, notation)
    return found


def totals(of: Literal["device", "card"], ids: Iterable[int]) -> Amounts:
    """By device or by card."""
    found: Amounts = defaultdict(dict)
    columns = (f"{of}_id", "dimension", "total", "exponent", "notation")
    for batch in batches(ids):
        balances = Balance.objects.filter(**{f"{of}__in": batch}).order_by()
        for pk, dimension, total, exponent, notation in balances.values_list(*columns):
            found[pk][dimension] = to_quantity(total, exponent, notation)
    return found
