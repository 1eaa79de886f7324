"""Metric families: a name, what it says, and one sample for each thing that it is said of."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Generic, NamedTuple, TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from inventory.kube.quantity import Quantity

Value = datetime | timedelta | Quantity | Decimal | int | None
Sample = tuple[Sequence[str], Value]
ThingT = TypeVar("ThingT")


class Told(NamedTuple, Generic[ThingT]):
    """What a family says of each thing; null: not known, and then it says nothing of it."""

    name: str
    about: str
    value: Callable[[ThingT], Value]
    counter: bool = False


def family(
    name: str, about: str, labels: Sequence[str], samples: Iterable[Sample], *, counter: bool = False
) -> Metric:
    """The name is that of the product in front, and of a counter without `_total`."""
    made = (CounterMetricFamily if counter else GaugeMetricFamily)(f"sliceboard_{name}", about, labels=labels)
    for values, value in samples:
        if value is not None:
            made.add_metric(values, _number(value))
    return made


def families(
    told: Iterable[Told[ThingT]], labels: Sequence[str], things: Sequence[tuple[Sequence[str], ThingT]]
) -> Iterable[Metric]:
    for one in told:
        samples = ((values, one.value(thing)) for values, thing in things)
        yield family(one.name, one.about, labels, samples, counter=one.counter)


def _number(value: datetime | timedelta | Quantity | Decimal | int) -> float:
    """The text format knows floats alone: from 2^53 up a number is the nearest one."""
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, Quantity):
        return float(value.as_decimal())
    return value.total_seconds() if isinstance(value, timedelta) else float(value)


class _Collected(Collector):
    def __init__(self, found: Iterable[Metric]) -> None:
        self._found = found

    def collect(self) -> Iterable[Metric]:
        return self._found


def text(found: Iterable[Metric]) -> bytes:
    """In the text format 0.0.4."""
    return generate_latest(_Collected(found))
