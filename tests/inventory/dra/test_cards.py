import msgspec

from inventory.dra.cards import Card, Part, Sheet, cards, sheet
from inventory.dra.counters import counters
from inventory.dra.ledger import Books, State, books
from inventory.kube.objects import CounterConsumption, CounterSet
from tests.inventory.dra.factories import WHOLE, totals

SETS = msgspec.convert(
    [
        {
            "name": "gpu-0-counter-set",
            "counters": {"memory": {"value": "40Gi"}, "copy-engines": {"value": "8"}},
        }
    ],
    list[CounterSet],
)
PARTS = [
    Part("gpu-0", "gpu-0-counter-set", draws_all=True, uuid="GPU-1"),
    Part("gpu-0-mig-0", "gpu-0-counter-set", parent_uuid="GPU-1"),
    Part("gpu-0-mig-1", "gpu-0-counter-set", parent_uuid="GPU-1"),
]


def draws(memory: str, engines: str) -> list[CounterConsumption]:
    found = {"memory": {"value": memory}, "copy-engines": {"value": engines}}
    return msgspec.convert([{"counterSet": "gpu-0-counter-set", "counters": found}], list[CounterConsumption])


def amounts(found: Sheet) -> dict[str, tuple[str, str, str]]:
    return {one.dimension: (str(one.total), str(one.allocated), str(one.remaining)) for one in found.balances}


def of_counters(**held: bool) -> Sheet:
    (card,) = cards(PARTS)
    drawn = {
        "gpu-0": draws("40Gi", "8"),
        "gpu-0-mig-0": draws("10Gi", "2"),
        "gpu-0-mig-1": draws("20Gi", "4"),
    }
    own: dict[str, Books] = {
        name: books(
            totals(memory=str(drawn[name][0].counters["memory"].value), copyEngines="1"),
            [WHOLE] if held.get(name.replace("-", "_")) else [],
        )
        for name in drawn
    }
    left = counters(SETS, [drawn[name] for name in drawn if own[name].held])
    return sheet(card, own, left)


def test_devices_of_one_counter_set_are_one_card() -> None:
    (card,) = cards(PARTS)
    assert (card.parts, card.whole, card.partitioned) == (
        ("gpu-0", "gpu-0-mig-0", "gpu-0-mig-1"),
        "gpu-0",
        True,
    )


def test_a_partitioned_card_is_called_by_its_whole_device_or_else_by_its_counter_set() -> None:
    assert [card.key for card in cards(PARTS)] == ["gpu-0"]
    assert [card.key for card in cards(PARTS[1:])] == ["gpu-0-counter-set"]
    # The first listed is not the whole because it names no parent.
    unnamed = [Part("partition-0", "cs"), Part("card", "cs", draws_all=True)]
    assert [card.whole for card in cards(unnamed)] == ["card"]


def test_a_device_alone_is_a_card_of_its_own_name() -> None:
    assert cards([Part("npu-0-0", uuid="U")]) == [Card("npu-0-0", ("npu-0-0",), whole="npu-0-0")]


def test_partitions_of_one_parent_uuid_are_one_card_with_or_without_the_parent() -> None:
    partitions = [Part("mig-0", parent_uuid="GPU-1"), Part("mig-1", parent_uuid="GPU-1")]
    assert [card.parts for card in cards(partitions)] == [("mig-0", "mig-1")]
    assert [card.whole for card in cards([Part("gpu-0", uuid="GPU-1"), *partitions])] == ["gpu-0"]


def test_one_uuid_under_two_names_is_one_card() -> None:
    assert (
        len(
            cards(
                [Part("gpu-0", uuid="GPU-1"), Part("gpu-vfio-0", uuid="GPU-1"), Part("gpu-1", uuid="GPU-2")]
            )
        )
        == 2
    )


def test_a_partitioned_card_is_counted_once_by_its_counters() -> None:
    assert amounts(of_counters()) == {"memory": ("40Gi", "0", "40Gi"), "copyEngines": ("8", "0", "8")}
    held = of_counters(gpu_0_mig_0=True)
    assert amounts(held)["memory"] == ("40Gi", "10Gi", "30Gi")
    assert held.state is State.PARTLY_ALLOCATED


def test_a_card_held_whole_is_dedicated() -> None:
    found = of_counters(gpu_0=True)
    assert (found.state, amounts(found)["memory"]) == (State.DEDICATED, ("40Gi", "40Gi", "0"))


def test_exclusive_partitions_that_are_both_held_are_over_allocated() -> None:
    found = of_counters(gpu_0=True, gpu_0_mig_1=True)
    assert found.state is State.OVER_ALLOCATED
    assert "over-drawn" in found.reason


def test_partitions_without_counters_add_up() -> None:
    (card,) = cards([Part("mig-0", parent_uuid="GPU-1"), Part("mig-1", parent_uuid="GPU-1")])
    own = {"mig-0": books(totals(memory="5Gi"), [WHOLE]), "mig-1": books(totals(memory="10Gi"), [])}
    found = sheet(card, own, {})
    assert amounts(found) == {"memory": ("15Gi", "5Gi", "10Gi")}
    assert found.state is State.PARTLY_ALLOCATED


def test_partitions_beside_their_whole_card_count_within_it() -> None:
    (card,) = cards([Part("gpu-0", uuid="GPU-1"), Part("mig-0", parent_uuid="GPU-1")])
    own = {"gpu-0": books(totals(memory="40Gi"), []), "mig-0": books(totals(memory="5Gi"), [WHOLE])}
    assert amounts(sheet(card, own, {})) == {"memory": ("40Gi", "5Gi", "35Gi")}


def test_a_card_whose_parts_all_have_an_obstacle_is_unavailable() -> None:
    (card,) = cards([Part("gpu-0", uuid="GPU-1"), Part("mig-0", parent_uuid="GPU-1")])
    own = {name: books(totals(memory="1Gi"), [], obstacle="pool incomplete") for name in card.parts}
    found = sheet(card, own, {})
    assert (found.state, found.reason) == (State.UNAVAILABLE, "pool incomplete")
