"""Sums of amounts in the database, exact on every database it supports."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Q, Sum
from django.db.models.functions import Coalesce

from inventory.kube.quantity import Notation, Quantity

# SQLite's sum fails past 64 bits, so the upper and the lower half are summed apart.
_HALF = 2**32
# Looked up for each of many rows: that is faster than to make one of its value.
_NOTATIONS = {one.value: one for one in Notation}


def halves(name: str, column: str, where: Q | None = None) -> dict[str, Any]:
    """Annotations for the sum of a column of amounts; `summed` reads them back."""
    return {
        f"{name}_high": Coalesce(Sum(F(column) / _HALF, filter=where), 0),
        f"{name}_low": Coalesce(Sum(F(column) % _HALF, filter=where), 0),
    }


def whole(high: int, low: int) -> int:
    """The sum of two halves."""
    return int(high) * _HALF + int(low)


def summed(group: Mapping[str, Any], name: str) -> Quantity:
    """The sum of a group whose rows all have its `exponent` and `notation`."""
    amount = whole(group[f"{name}_high"], group[f"{name}_low"])
    return Quantity(amount * 10 ** (group["exponent"] + 9), _NOTATIONS[group["notation"]])
