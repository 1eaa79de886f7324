from pathlib import Path

import pytest

from inventory.dra.units import Unit
from inventory.models import Card, Share
from inventory.queries.kinds import KindSum, by_kind, over
from inventory.queries.slices import known_teams
from inventory.viewer import EVERYTHING
from tests.factories import (
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_pool,
    make_share,
    make_team,
)
from tests.reading import read_recorded_cluster

pytestmark = pytest.mark.django_db


def _kinds() -> list[KindSum]:
    return by_kind(Card.objects.all(), Share.objects.all(), known_teams(viewer=EVERYTHING), viewer=EVERYTHING)


def test_whole_shared_and_partitioned_cards_of_a_product_are_counted_apart() -> None:
    for name, fields in (("a", {"shareable": True}), ("b", {"partitioned": True}), ("c", {})):
        device = make_device(name, product="X" if name == "a" else "H100")
        Card.objects.filter(devices=device).update(**fields)
    assert {(one.kind.product, one.kind.sharing) for one in _kinds()} == {
        ("X", "shared"),
        ("H100", "partitions"),
        ("H100", "whole"),
    }


def test_what_teams_hold_adds_up_to_what_is_allocated() -> None:
    first, second = make_device("a"), make_device("b")
    make_balance(first, "memory", "80Gi", "12Gi")
    make_balance(second, "memory", "80Gi", "80Gi")
    for slug, device, consumed in (("nlp", first, {"memory": "12Gi"}), ("vision", second, {})):
        claim = make_claim(namespace=make_namespace(f"team-{slug}", team=make_team(slug)))
        make_share(device, claim, consumed=consumed)
    (kind,) = _kinds()
    (memory,) = kind.dimensions
    assert {part.team.slug if part.team else "": str(part.amount) for part in memory.parts} == {
        "nlp": "12Gi",
        "vision": "80Gi",
    }
    assert str(memory.allocated) == "92Gi"


def test_memory_and_cores_are_summed_and_other_dimensions_only_without_them() -> None:
    gpu, licence = make_device("a"), make_device("b", product="seat")
    for dimension in ("memory", "cores", "copyEngines"):
        make_balance(gpu, dimension, "8", "0")
    make_balance(licence, "seats", "10", "5")
    assert {one.kind.product: [d.name for d in one.dimensions] for one in _kinds()} == {
        "A100": ["memory", "cores"],
        "seat": ["seats"],
    }


def test_only_cores_that_are_per_cent_are_added_to_each_other() -> None:
    hami, hygon = make_pool(driver="hami-core-gpu.project-hami.io"), make_pool(driver="dra.hygon.com")
    make_balance(make_device("a", pool=hami), "cores", "100", "50")
    make_balance(make_device("b", pool=hygon), "cores", "120", "60")
    assert str(over(_kinds(), "cores", Unit.PERCENT).total) == "100"


def test_a_card_whose_numbers_are_not_known_is_counted_as_left_out() -> None:
    make_balance(make_device("a"), "memory", "80Gi", None)
    (kind,) = _kinds()
    assert (kind.cards, kind.dimensions[0].cards, kind.dimensions[0].unknown) == (1, 0, 1)


def test_a_kind_without_capacity_has_no_dimension() -> None:
    make_device()
    assert _kinds()[0].dimensions == ()


def test_what_is_held_of_a_card_without_a_known_total_is_counted_as_held() -> None:
    known, unknown = make_device("a"), make_device("b")
    make_balance(known, "memory", "80Gi", "8Gi")
    make_balance(unknown, "memory", None, None)
    claim = make_claim(namespace=make_namespace(team=make_team()))
    for device in (known, unknown):
        make_share(device, claim, consumed={"memory": "8Gi"})
    (memory,) = _kinds()[0].dimensions
    assert (str(memory.allocated), str(memory.total), str(memory.remaining)) == ("16Gi", "80Gi", "72Gi")
    assert sum(part.amount.nanos for part in memory.parts) == memory.allocated.nanos
    assert str(memory.ratio) == "0.100000"


def test_cores_of_cards_that_are_not_known_are_still_per_cent() -> None:
    device = make_device(pool=make_pool(driver="hami-core-gpu.project-hami.io"))
    make_balance(device, "cores", None, None)
    make_share(device, consumed={"cores": "50"})
    assert str(over(_kinds(), "cores", Unit.PERCENT).allocated) == "50"


def test_what_is_held_of_partitions_is_no_part_of_the_whole_cards_of_the_product() -> None:
    whole, part = make_device("whole"), make_device("part")
    Card.objects.filter(devices=part).update(partitioned=True)
    for device in (whole, part):
        make_balance(device, "memory", "80Gi", "8Gi")
    make_share(part, consumed={"memory": "8Gi"})
    held = {one.kind.sharing: str(one.dimensions[0].allocated) for one in _kinds()}
    assert held == {"whole": "0", "partitions": "8Gi"}


def test_the_recorded_cluster_is_the_same_by_teams_and_by_cards(tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    for kind in _kinds():
        for one in kind.dimensions:
            assert one.allocated.nanos == one.counted.nanos, (kind.kind, one.name)
            assert sum(part.amount.nanos for part in one.parts) == one.allocated.nanos
