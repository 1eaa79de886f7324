"""Selectors against what cel-go finds as Kubernetes 1.36 builds it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from inventory.dra.cel.errors import CompileError, EvaluationError
from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import subject
from inventory.kube.objects import Device

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "cel.json").read_text())
SUBJECT = subject(GOLDEN["driver"], msgspec.convert(GOLDEN["device"], Device))


def found(expression: str) -> str:
    try:
        return "true" if compiled(expression).matches(SUBJECT) else "false"
    except CompileError:
        return "compile-error"
    except EvaluationError:
        return "runtime-error"


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["expression"])
def test_a_selector_finds_what_the_scheduler_finds(case: dict[str, Any]) -> None:
    assert found(case["expression"]) == case["result"]


@pytest.mark.parametrize(
    "case",
    [case for case in GOLDEN["cases"] if case["result"] == "runtime-error"],
    ids=lambda case: case["expression"],
)
def test_an_error_is_told_in_the_scheduler_s_words(case: dict[str, Any]) -> None:
    with pytest.raises(EvaluationError) as refused:
        compiled(case["expression"]).matches(SUBJECT)
    assert str(refused.value) == case["error"]
