import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = [
    ("allocator", "allocator"),
    ("allocator", "allocator-random"),
    ("cel", "cel"),
    ("consumed-capacity", "consumed-capacity"),
    ("conversion", "conversion"),
    ("conversion-template", "conversion-template"),
]


def run(kind: str, path: Path, *arguments: str) -> tuple[int, list[str]]:
    """How it ended, and the lines that it printed."""
    out = io.StringIO()
    try:
        call_command("conformance", kind, str(path), *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


def refusal(kind: str, path: Path) -> str:
    with pytest.raises(CommandError) as caught:
        run(kind, path)
    assert caught.value.returncode == 2
    return str(caught.value)


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


def written(folder: Path, vectors: Any) -> Path:
    path = folder / "vectors.json"
    path.write_text(vectors if isinstance(vectors, str) else json.dumps(vectors))
    return path


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_every_recorded_answer_agrees(kind: str, name: str) -> None:
    count = len(recorded(name)["cases"]) + len(recorded(name).get("extra_cases", []))
    assert run(kind, GOLDEN / f"{name}.json") == (0, [f"{count} of {count} agree"])


def test_more_verbose_it_names_each_case_with_what_was_found() -> None:
    _, lines = run("consumed-capacity", GOLDEN / "consumed-capacity.json", "-v", "2")
    assert lines[0] == "default: 15Gi"
    assert len(lines) == len(recorded("consumed-capacity")["cases"]) + 1


def test_a_case_that_differs_is_named_with_both_answers(tmp_path: Path) -> None:
    vectors = recorded("allocator")
    case = vectors["cases"][0]
    case["expect"]["results"][0]["device"] = "other"
    code, lines = run("allocator", written(tmp_path, vectors))
    count = len(vectors["cases"])
    assert code == 1
    assert lines == [
        case["name"],
        "  expected: r → d.x/n1/other, shared, cores 50, memory 20Gi",
        "  found:    r → d.x/n1/g, shared, cores 50, memory 20Gi",
        f"{count - 1} of {count} agree",
    ]


def test_a_selector_that_is_not_evaluated_here_is_told_and_not_guessed(tmp_path: Path) -> None:
    vectors = recorded("cel")
    vectors["cases"] = [{"expression": 'ip("10.0.0.1").family() == 4', "result": "true"}]
    code, lines = run("cel", written(tmp_path, vectors))
    assert (code, lines[-1]) == (1, "0 of 1 agree")
    assert lines[2].startswith("  found:    cannot simulate")


def test_a_file_says_of_which_release_its_answers_are(tmp_path: Path) -> None:
    """A scheduler of 1.33 knows no shares: with a request for capacity it gives up."""
    vectors = {"release": "v1.33.4", "cases": recorded("allocator")["cases"][:1]}
    vectors["cases"][0]["expect"] = {"fits": False, "error": "the feature is disabled"}
    assert run("allocator", written(tmp_path, vectors)) == (0, ["1 of 1 agree"])


def test_a_file_says_which_gates_are_on_besides(tmp_path: Path) -> None:
    device = {"name": "nic-0", "attributes": {"numaNodes": {"ints": [0, 1]}}}
    case = {"expression": "device.attributes['nic.example.com'].numaNodes.includes(1)", "result": "true"}
    vectors: dict[str, Any] = {"driver": "nic.example.com", "device": device, "cases": [case]}
    assert run("cel", written(tmp_path, vectors))[0] == 1
    vectors["gates"] = ["DRAListTypeAttributes"]
    assert run("cel", written(tmp_path, vectors)) == (0, ["1 of 1 agree"])


@pytest.mark.parametrize(
    ("kind", "vectors", "told"),
    [
        ("cel", "{", "no JSON"),
        ("cel", "[" * 100_000, "no JSON"),
        ("cel", [], "expected a JSON object"),
        ("allocator", {}, "expected an object with a list `cases`"),
        ("cel", {"cases": []}, "driver: Expected `str`"),
        ("allocator", {"cases": [{"name": "half"}]}, "case 0: Object missing required field"),
        ("allocator", {"cases": [], "release": "new"}, "release: new is none; expected one such as 1.36"),
        ("allocator", {"cases": [], "gates": ["DRAMagic"]}, "gates: DRAMagic: known are "),
        (
            "consumed-capacity",
            {"cases": [{"policy": {"value": "lots"}, "request": None, "consumed": "1"}]},
            "case 0: ",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_place(
    tmp_path: Path, kind: str, vectors: Any, told: str
) -> None:
    path = written(tmp_path, vectors)
    assert refusal(kind, path).startswith(f"{path}: {told}")


def test_an_expected_amount_that_is_none_is_refused(tmp_path: Path) -> None:
    vectors = {"cases": recorded("allocator")["cases"][:1]}
    vectors["cases"][0]["expect"]["results"][0]["consumedCapacity"] = {"memory": "lots"}
    assert "case 0, expect: " in refusal("allocator", written(tmp_path, vectors))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert refusal("cel", tmp_path / "none.json").endswith("No such file or directory")


def test_an_amount_that_the_policy_refuses_agrees_with_no_amount(tmp_path: Path) -> None:
    policy = {"value": "24Gi", "min": "1Gi", "max": "16Gi"}
    case: dict[str, Any] = {
        "policy": policy,
        "request": "20Gi",
        "consumed": "20Gi",
        "why": "more than may be asked for",
    }
    code, lines = run("consumed-capacity", written(tmp_path, {"cases": [case]}))
    assert (code, lines) == (
        1,
        ["more than may be asked for", "  expected: 20Gi", "  found:    refused", "0 of 1 agree"],
    )
    case["consumed"] = None
    assert run("consumed-capacity", written(tmp_path, {"cases": [case]}))[0] == 0


def test_without_results_only_whether_it_fits_is_compared(tmp_path: Path) -> None:
    vectors = recorded("allocator")
    vectors["cases"] = [case for case in vectors["cases"] if case["expect"]["fits"]]
    for case in vectors["cases"]:
        del case["expect"]["results"]
    count = len(vectors["cases"])
    assert run("allocator", written(tmp_path, vectors)) == (0, [f"{count} of {count} agree"])
    vectors["cases"] = vectors["cases"][:1]
    vectors["cases"][0]["expect"]["fits"] = False
    _, lines = run("allocator", written(tmp_path, vectors))
    assert lines[1:3] == [
        "  expected: does not fit",
        "  found:    r → d.x/n1/g, shared, cores 50, memory 20Gi",
    ]


def test_results_are_compared_in_their_order(tmp_path: Path) -> None:
    vectors = recorded("allocator-random")
    several = next(case for case in vectors["cases"] if len(case["expect"].get("results") or ()) > 1)
    vectors["cases"] = [several]
    assert run("allocator", written(tmp_path, vectors))[0] == 0
    several["expect"]["results"].reverse()
    assert run("allocator", written(tmp_path, vectors))[0] == 1


def test_a_toleration_is_compared_with_all_that_it_says(tmp_path: Path) -> None:
    vectors = recorded("allocator-random")
    results = [
        (case, result)
        for case in vectors["cases"]
        for result in case["expect"].get("results") or ()
        if result.get("tolerations")
    ]
    case, result = results[0]
    vectors["cases"] = [case]
    assert run("allocator", written(tmp_path, vectors))[0] == 0
    result["tolerations"][0]["key"] = "other"
    code, lines = run("allocator", written(tmp_path, vectors))
    assert code == 1
    assert "tolerates other " in lines[1]


def test_what_is_not_evaluated_here_is_told_once(tmp_path: Path) -> None:
    vectors = recorded("allocator")
    vectors["cases"] = vectors["cases"][:1]
    expression = 'ip("10.0.0.1").family() == 4'
    for one in vectors["cases"][0]["classes"]:
        one["spec"]["selectors"] = [{"cel": {"expression": expression}}]
    _, lines = run("allocator", written(tmp_path, vectors))
    assert lines[2].count("cannot simulate") == 1
