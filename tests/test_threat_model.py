"""Every test that the threat model rests on is there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODEL = (ROOT / "docs/security/threat-model.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[\w/.]+\.py)::(\w+)`", MODEL)))


@cache
def functions_of(path: str) -> frozenset[str]:
    file = ROOT / path
    parsed = ast.parse(file.read_text() if file.exists() else "")
    return frozenset(one.name for one in parsed.body if isinstance(one, ast.FunctionDef))


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_test_that_is_named_is_there(path: str, name: str) -> None:
    assert name in functions_of(path)


def test_every_threat_in_scope_is_held_by_a_test() -> None:
    in_scope = MODEL.partition("## In scope")[2].partition("## Out of scope")[0]
    rows = [line for line in in_scope.splitlines() if line.startswith("|") and "---" not in line]
    threats = [row for row in rows if not row.startswith("| threat |")]
    assert len(threats) > 20
    assert [row for row in threats if "`tests/" not in row] == []
