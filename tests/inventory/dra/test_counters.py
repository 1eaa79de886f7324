import msgspec

from inventory.dra.counters import Counter, CounterKey, counters, draws_all, overdrawn, shortfall
from inventory.kube.objects import CounterConsumption, CounterSet

SETS = msgspec.convert(
    [{"name": "cs", "counters": {"memory": {"value": "40Gi"}, "slices": {"value": "7"}}}], list[CounterSet]
)


def draws(memory: str, slices: str = "1") -> list[CounterConsumption]:
    one = {"counterSet": "cs", "counters": {"memory": {"value": memory}, "slices": {"value": slices}}}
    return msgspec.convert([one], list[CounterConsumption])


def left(found: dict[CounterKey, Counter], name: str) -> str:
    return str(found["cs", name].remaining)


def test_held_devices_draw_from_the_counters_of_their_set() -> None:
    found = counters(SETS, [draws("10Gi"), draws("20Gi", "3")])
    assert (left(found, "memory"), left(found, "slices")) == ("10Gi", "3")


def test_nothing_held_leaves_everything() -> None:
    assert left(counters(SETS, []), "memory") == "40Gi"


def test_partitions_that_exclude_each_other_push_a_counter_below_zero() -> None:
    found = counters(SETS, [draws("40Gi"), draws("10Gi")])
    assert left(found, "memory") == "-10Gi"
    assert overdrawn(found) == "counter cs/memory is over-drawn by 10Gi"


def test_a_device_that_draws_more_than_is_left_cannot_be_placed() -> None:
    found = counters(SETS, [draws("30Gi")])
    assert shortfall(draws("20Gi"), found) == "counter cs/memory: 20Gi needed, 10Gi left"
    assert shortfall(draws("10Gi"), found) == ""


def test_a_counter_that_cannot_be_read_is_unknown() -> None:
    sets = msgspec.convert([{"name": "cs", "counters": {"memory": {"value": "40XB"}}}], list[CounterSet])
    counter = counters(sets, [])["cs", "memory"]
    assert (counter.total, counter.remaining) == (None, None)
    assert counter.reason
    assert shortfall(draws("1"), counters(sets, [])) == "counter cs/memory cannot be read"


def test_a_device_that_draws_every_counter_to_the_last_unit_is_the_whole() -> None:
    left = counters(SETS, [])
    assert draws_all(draws("40Gi", "7")[0], left)
    assert not draws_all(draws("40Gi", "6")[0], left)
