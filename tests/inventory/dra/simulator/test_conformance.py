"""Every recorded answer of the real scheduler, case by case."""

import json
from pathlib import Path
from typing import Any

import pytest

from inventory.dra.conformance import KINDS, Outcome, VectorError

GOLDEN = Path(__file__).parents[3] / "golden"
FILES = {
    "allocator": ("allocator", "allocator-random"),
    "cel": ("cel",),
    "consumed-capacity": ("consumed-capacity",),
}


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


OUTCOMES = [
    (f"{file}: {outcome.name}", outcome)
    for kind, files in FILES.items()
    for file in files
    for outcome in KINDS[kind](read(file))
]


@pytest.mark.parametrize("outcome", [one for _, one in OUTCOMES], ids=[name for name, _ in OUTCOMES])
def test_it_answers_as_the_scheduler_does(outcome: Outcome) -> None:
    assert outcome.found == outcome.expected


def test_the_recorded_answers_are_of_all_sorts() -> None:
    expected = [outcome.expected for name, outcome in OUTCOMES if name.startswith("allocator")]
    assert len(expected) > 320
    assert {"error", "does not fit"} < set(expected)
    assert any("shared" in one for one in expected)
    assert any("admin access" in one for one in expected)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_without_cases_is_refused(kind: str) -> None:
    with pytest.raises(VectorError, match="cases"):
        list(KINDS[kind]({"driver": "d", "device": {"name": "x"}}))


def test_a_case_that_cannot_be_read_is_named() -> None:
    cases = [*read("allocator")["cases"][:1], {"name": "half"}]
    with pytest.raises(VectorError, match=r"case 1.*node"):
        list(KINDS["allocator"]({"cases": cases}))


def test_a_case_that_differs_is_told() -> None:
    case = read("allocator")["cases"][0]
    case["expect"]["results"][0]["consumedCapacity"]["memory"] = "1Gi"
    (outcome,) = KINDS["allocator"]({"cases": [case]})
    assert not outcome.agrees
    assert "1Gi" in outcome.expected
