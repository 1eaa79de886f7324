"""Conditions on cards that only pages have: `8 GiB, 30 %` of room, and a product that nobody publishes."""

from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet

from inventory.kube.quantity import NANO, Quantity, QuantityError, parse
from inventory.models import Balance
from inventory.models.amounts import EXPONENTS
from inventory.models.devices import DeviceState
from inventory.queries.cards import CardFilter
from inventory.queries.filters import Names, NamesField
from inventory.queries.options import NONE

_USABLE = (DeviceState.FREE, DeviceState.PARTLY_ALLOCATED)


class RoomField(NamesField):
    """An amount of memory, a percentage of cores, or both; cleaned to lower bounds by dimension."""

    def clean(self, value: Any) -> dict[str, Quantity]:
        parts = [part for text in super().clean(value) for part in text.split(",") if part.strip()]
        try:
            return dict(map(_bound, parts))
        except QuantityError as error:
            raise ValidationError(str(error)) from error


class Room(Names):
    """At least so much is left of each named dimension, on a card on which something can still be placed."""

    field_class = RoomField

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        for dimension, least in (value or {}).items():
            qs = qs.filter(Exists(_with_at_least(dimension, least)), state__in=_USABLE)
        return qs


class NamesOrNone(Names):
    """`-` asks for what has no name."""

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        return super().filter(qs, ["" if name == NONE else name for name in value or ()])


class RoomyCardFilter(CardFilter):
    product = NamesOrNone(field_name="product")
    room = Room()


def _bound(part: str) -> tuple[str, Quantity]:
    """Raises QuantityError."""
    text = part.replace(" ", "")
    if text.endswith("%"):
        return "cores", parse(text.removesuffix("%"))
    return "memory", parse(text.removesuffix("B"))


def _with_at_least(dimension: str, least: Quantity) -> QuerySet[Balance]:
    """The balances of a card that leave so much, whatever power of ten they are kept in."""
    enough = Q()
    for exponent in EXPONENTS:
        amount = Fraction(least.nanos, NANO) / Fraction(10) ** exponent
        enough |= Q(exponent=exponent, remaining__gte=-(-amount.numerator // amount.denominator))
    named = Q(dimension=dimension) | Q(dimension__endswith=f"/{dimension}")
    return Balance.objects.filter(enough, named, card=OuterRef("pk"))
