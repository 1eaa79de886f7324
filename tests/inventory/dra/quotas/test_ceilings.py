"""Per-device fit: a sum that is left is no room for one request."""

from fractions import Fraction
from typing import Any

from inventory.dra.quotas.ceilings import Limit, OwnPart, ceiling_of
from inventory.dra.quotas.equivalents import Part
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePools
from inventory.dra.simulator.room import Room, room
from inventory.dra.simulator.simulate import alike
from inventory.kube.quantity import parse
from tests.inventory.dra.simulator.factories import DRIVER, cluster, device, held, slice_of

GIB = 2**30


def seen(limits: list[Limit], *, results: Any = (), shared: bool = True) -> Room:
    """The room of a node with two cards of 16 GiB."""
    capacity = {"memory": {"value": "16Gi"}, "cores": {"value": "100"}}
    cards = [device(f"gpu-{n}", shared=shared, capacity=capacity) for n in range(2)]
    found = cluster(slice_of(*cards), results=results)
    ((_, slices),) = alike(found, list(found.nodes.values()), lambda: True)
    assert not isinstance(slices, ValueError)
    pools = NodePools(found.slices, found.rules).of(slices)
    counting = Counting(found.allocated, found.rules)
    return room(pools, found.allocated, counting, ceiling=ceiling_of(limits))


def largest(found: Room) -> dict[str, str]:
    return {name: str(one.amount) for name, one in found.largest.items()}


def limit(
    dimension: str, headroom: Fraction | int | None, own: Any = None, *, concerns: bool = True
) -> Limit:
    amount = None if headroom is None else Fraction(headroom)
    return Limit(dimension, amount, lambda _: concerns, own or {})


def shares(memory: str) -> list[Any]:
    """So much of either card is held, whoever does."""
    return [
        held(f"gpu-{n}", shareID=f"s{n}", consumedCapacity={"memory": memory, "cores": "10"})
        for n in range(2)
    ]


def test_sixteen_gib_over_two_cards_hold_no_request_of_ten() -> None:
    assert largest(seen([limit("memory", 16 * GIB)], results=shares("8Gi")))["memory"] == "8Gi"


def test_the_headroom_bounds_what_the_card_would_give() -> None:
    found = largest(seen([limit("memory", 3 * GIB), limit("cores", 20)]))
    assert found == {"memory": "3Gi", "cores": "20"}


def test_the_lower_of_two_limits_counts_and_others_do_not() -> None:
    limits = [limit("memory", 8 * GIB), limit("memory", 4 * GIB), limit("memory", 0, concerns=False)]
    assert largest(seen(limits))["memory"] == "4Gi"


def test_without_headroom_or_where_it_is_not_known_there_is_nothing() -> None:
    assert largest(seen([limit("memory", 0)])) == {}
    assert largest(seen([limit("memory", None)])) == {}


def test_a_device_that_is_given_whole_must_fit_as_a_whole() -> None:
    assert largest(seen([limit("memory", 15 * GIB)], shared=False)) == {}
    assert largest(seen([limit("memory", 16 * GIB)], shared=False))["memory"] == "16Gi"


def test_where_no_card_is_left_only_cards_of_the_team_itself_do() -> None:
    assert largest(seen([limit("cards", 0)])) == {}
    parts = {"memory": Part(parse("4Gi"), parse("16Gi"))}
    own = {DeviceId(DRIVER, "n1", "gpu-0"): OwnPart(parts, holds=True)}
    assert largest(seen([limit("cards", 0, own)]))["memory"] == "16Gi"


def test_card_equivalents_grow_by_no_more_than_is_left() -> None:
    assert largest(seen([limit("card_equivalents", Fraction(1, 4))])) == {"memory": "4Gi", "cores": "25"}
    parts = {"memory": Part(parse("8Gi"), parse("16Gi")), "cores": Part(parse("10"), parse("100"))}
    own = {DeviceId(DRIVER, "n1", f"gpu-{n}"): OwnPart(parts, holds=True) for n in range(2)}
    found = largest(seen([limit("card_equivalents", Fraction(0), own)], results=shares("8Gi")))
    # No more memory, and a request for none of it has no use.
    assert found == {}
    found = largest(seen([limit("card_equivalents", Fraction(1, 4), own)], results=shares("8Gi")))
    assert found == {"memory": "4Gi", "cores": "65"}


def test_what_counts_against_one_limit_need_not_count_against_another() -> None:
    own = {
        DeviceId(DRIVER, "n1", "gpu-0"): OwnPart({"memory": Part(parse("4Gi"), parse("16Gi"))}, holds=True)
    }
    assert largest(seen([limit("cards", 0, own), limit("cards", 1)]))["memory"] == "16Gi"
    assert largest(seen([limit("cards", 0, own), limit("cards", 0)])) == {}


def test_of_a_card_of_which_a_share_says_nothing_no_equivalent_is_left() -> None:
    parts = {"memory": Part(parse("4Gi"), parse("16Gi"))}
    own = {DeviceId(DRIVER, "n1", f"gpu-{n}"): OwnPart(parts, unreadable=True, holds=True) for n in range(2)}
    assert largest(seen([limit("card_equivalents", 1, own)])) == {}
