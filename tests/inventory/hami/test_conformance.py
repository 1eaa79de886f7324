"""The recorded answers of the real webhook, and how a difference from them is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from inventory.dra.conformance import Outcome, VectorError
from inventory.hami.conformance import KINDS
from inventory.hami.webhook.configuration import configured
from inventory.hami.webhook.device_config import ConfigurationError
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile

GOLDEN = Path(__file__).parents[2] / "golden"


def vectors(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"{kind}.json").read_text())
    return found


def outcomes(kind: str, given: dict[str, Any]) -> list[Outcome]:
    return list(KINDS[kind](given))


CASES = [(kind, outcome) for kind in KINDS for outcome in outcomes(kind, vectors(kind))]
CONVERSIONS = [case for field in ("cases", "extra_cases") for case in vectors("conversion")[field]]


@pytest.mark.parametrize(("kind", "outcome"), CASES, ids=[f"{kind}/{one.name}" for kind, one in CASES])
def test_we_answer_as_the_webhook_did(kind: str, outcome: Outcome) -> None:
    assert outcome.found == outcome.expected


@pytest.mark.parametrize(
    "case", [one for one in CONVERSIONS if one["claims"] is not None], ids=lambda case: case["id"]
)
def test_amounts_are_printed_as_the_webhook_prints_them(case: dict[str, Any]) -> None:
    """Which the comparison above does not ask for."""
    devices = configured(case["vendors"], case["config"])
    mutation = mutate(case["pod"], devices, Profile.V0_2_3)
    assert [claim.raw["spec"] for claim in mutation.claims] == [claim["spec"] for claim in case["claims"]]
    changed = mutation.pod["spec"]["containers"]
    assert [
        {field: one.get("resources", {}).get(field, {}) for field in ("limits", "requests")}
        for one in changed
    ] == [{field: one[field] for field in ("limits", "requests")} for one in case["pod_out"]["containers"]]


def one_case(**changes: Any) -> dict[str, Any]:
    (case,) = [case for case in CONVERSIONS if case["id"] == "nv-full"]
    return {"cases": [{**case, **changes}]}


def test_what_differs_is_told_part_by_part() -> None:
    (outcome,) = outcomes("conversion", one_case(error="denied", apiRejectsPod=["spec: bad"]))
    assert not outcome.agrees
    assert outcome.expected == 'error: "denied"; apiRejectsPod: ["spec: bad"]'
    assert outcome.found == "error: null; apiRejectsPod: []"


def test_an_amount_that_is_none_is_compared_as_it_is() -> None:
    (case,) = one_case()["cases"]
    (claim,) = case["claims"]
    (outcome,) = outcomes("conversion", one_case(claims=[{**claim, "capacity": {"memory": "lots"}}]))
    assert '"memory": "lots"' in outcome.expected


def test_a_case_that_agrees_is_told_in_short() -> None:
    (outcome,) = outcomes("conversion", one_case())
    assert outcome.found == "1 claims, the Pod is changed"


def test_a_file_may_be_of_another_version() -> None:
    (outcome,) = outcomes("conversion", {**one_case(), "profile": "0.0.1"})
    assert "ml-p-app-nvidia" in outcome.expected
    assert "ml-p-app-nvidia" not in outcome.found


def test_a_pod_that_is_none_differs_and_stops_nothing() -> None:
    (outcome,) = outcomes("conversion", one_case(pod={"spec": []}))
    assert "spec: expected a mapping" in outcome.found


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "expected an object with a list `cases`"),
        ({"cases": [], "extra_cases": {}}, "expected an object with a list `extra_cases`"),
        ({"cases": [{}]}, "cases, 0: "),
        ({"cases": [], "profile": "9"}, "profile: 9 is none; known are 0.0.1, 0.2.3, later, template"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(VectorError) as caught:
        outcomes("conversion", given)
    assert str(caught.value).startswith(told)


def test_configurations_that_keep_the_webhook_from_starting_are_among_them() -> None:
    broken = [case for case in CONVERSIONS if case.get("configError")]
    assert broken
    for case in broken:
        with pytest.raises(ConfigurationError):
            configured(case["vendors"], case["config"])
