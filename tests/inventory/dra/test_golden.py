"""The books against outcomes of the real allocator: it never takes what they call taken."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest

from inventory.dra.ledger import Books, State, Use
from inventory.kube.objects import AllocationResult, ResourceClaim
from tests.inventory.dra.factories import Target, books_of, case_books, results, use

GOLDEN = Path(__file__).parents[2] / "golden"
CASES = [
    case
    for name in ("allocator", "allocator-random")
    for case in json.loads((GOLDEN / f"{name}.json").read_text())["cases"]
]
PLACED = [case for case in CASES if case["expect"]["fits"]]


def placed(case: dict[str, Any]) -> dict[Target, list[Use]]:
    found: defaultdict[Target, list[Use]] = defaultdict(list)
    for result in msgspec.convert(case["expect"]["results"], list[AllocationResult]):
        found[result.driver, result.pool, result.device].append(use(result))
    return found


def already_held(case: dict[str, Any]) -> dict[Target, list[Use]]:
    return {
        target: [use(result) for result in found]
        for target, found in results(msgspec.convert(case["claims"], list[ResourceClaim])).items()
    }


def excess(books: Books) -> dict[str, int]:
    return {balance.dimension: balance.over.nanos for balance in books.balances}


def test_the_golden_files_hold_placements_of_all_sorts() -> None:
    uses = [one for case in PLACED for found in placed(case).values() for one in found]
    assert len(PLACED) > 150
    assert {(one.dedicated, one.admin_access) for one in uses} == {
        (a, b) for a in (True, False) for b in (True, False)
    }


@pytest.mark.parametrize("case", PLACED, ids=lambda case: case["name"])
def test_a_placement_takes_no_more_than_the_books_say_is_left(case: dict[str, Any]) -> None:
    devices, before = case_books(case)
    held = already_held(case)
    for target, uses in placed(case).items():
        if target not in devices:
            continue  # placed from an older generation that is complete on its own node
        after = books_of(devices[target], [*held.get(target, ()), *uses])
        assert all(excess(after)[name] <= over for name, over in excess(before[target]).items())
        if any(not one.admin_access for one in uses):
            assert before[target].state is not State.DEDICATED
            assert after.held
