"""What docs/fit.md and docs/conformance.md show is what comes out."""

import io
import json
import re
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from dashboard.api.wire import encode, wire
from inventory.dra.conformance import KINDS
from inventory.dra.simulator.explanation import Caveat, Verdict
from inventory.dra.simulator.rejections import Check
from inventory.queries.fit.answers import of_name
from inventory.queries.fit.questions import Waiting
from inventory.viewer import EVERYTHING
from tests.reading import read_recorded_cluster

DOCS = Path(__file__).parents[2] / "docs"
FIT = (DOCS / "fit.md").read_text()
CONFORMANCE = (DOCS / "conformance.md").read_text()


def blocks(document: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document, re.MULTILINE | re.DOTALL)


def answer(*arguments: str) -> list[str]:
    """Without the first line, which has the cluster and the time."""
    out = io.StringIO()
    # It ends so where something does not fit.
    with suppress(SystemExit):
        call_command("fit", *arguments, stdout=out)
    _, _, *told = out.getvalue().splitlines()
    return told


def first_column(heading: str) -> set[str]:
    """Of the table whose first column has this heading."""
    table = re.search(rf"^\| {heading} \|.*?\n\n", FIT, re.MULTILINE | re.DOTALL)
    assert table
    return set(re.findall(r"^\| `(\w+)` \|", table[0], re.MULTILINE))


@pytest.mark.django_db
def test_the_command_prints_what_the_document_shows(tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    manifest = tmp_path / "claim.yaml"
    manifest.write_text(blocks(FIT, "yaml")[0])
    by_name, by_file = blocks(FIT, "text")
    assert by_name.splitlines() == answer("team-vision/share-c")
    assert by_file.splitlines() == answer(str(manifest))


@pytest.mark.django_db
def test_the_api_answers_what_the_document_shows(tmp_path: Path) -> None:
    cluster = read_recorded_cluster(tmp_path)
    question, shown = map(json.loads, blocks(FIT, "json"))
    (found,) = json.loads(encode(wire(of_name(cluster, **question, viewer=EVERYTHING))))["requests"]
    left_out = {"nodes", "values", "selected", "examples"}
    groups = [
        {key: value for key, value in group.items() if value is not None and key not in left_out}
        for group in found["groups"]
    ]
    assert {**found, "groups": groups} == shown


@pytest.mark.parametrize(
    ("heading", "words"), [("verdict", Verdict), ("check", Check), ("waiting", Waiting), ("caveat", Caveat)]
)
def test_every_word_of_an_answer_is_explained(heading: str, words: type[StrEnum]) -> None:
    assert first_column(heading) == set(words)


SHOWN = list(zip(("allocator", "cel", "consumed-capacity"), blocks(CONFORMANCE, "json"), strict=True))


@pytest.mark.parametrize(("kind", "shown"), SHOWN)
def test_the_vectors_of_the_document_agree(kind: str, shown: str) -> None:
    vectors: dict[str, Any] = json.loads(shown)
    outcomes = list(KINDS[kind](vectors))
    assert outcomes
    assert all(outcome.agrees for outcome in outcomes), outcomes
