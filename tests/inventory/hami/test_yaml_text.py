from decimal import Decimal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.yaml_text import UnwritableError, number_text, yaml_stream, yaml_text

# Any character that UTF-8 can hold.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def test_keys_keep_their_order_and_lists_are_not_indented() -> None:
    pod = {"kind": "Pod", "apiVersion": "v1", "spec": {"containers": [{"name": "app", "args": []}]}}

    assert yaml_text(pod) == "kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - name: app\n    args: []\n"


@pytest.mark.parametrize(
    "text",
    [
        "1", "8589934592", "1e3", "1E3", "0x10", "0o17", "0b1", "1_000", ".5", "1.", "+1", "1:30",
        "2026-11-30", "2026-1-1", "true", "yes", "y", "N", "on", "null", "~", "", ".inf", ".NaN", "<<", "=",
    ],
)  # fmt: skip
def test_a_text_that_looks_like_something_else_is_quoted(text: str) -> None:
    written = yaml_text({"value": text}).removeprefix("value: ").strip()

    assert (written[0], written[-1]) == ('"', '"')


@pytest.mark.parametrize("text", ["- a", "a: b", "#", "a #b", "'", "%a", "@a", "a\t", " a", "&a", "*a", "!a"])
def test_a_text_that_would_be_read_as_yaml_is_quoted(text: str) -> None:
    written = yaml_text({"value": text}).removeprefix("value: ").strip()

    assert written[0] in "\"'"
    assert written[-1] == written[0]


@pytest.mark.parametrize("text", ["8Gi", "500m", "gpu-0", "NVIDIA A100-SXM4-80GB", "0.2.3", "中文", "a:b"])
def test_any_other_text_stands_as_it_is(text: str) -> None:
    assert yaml_text({"value": text}) == f"value: {text}\n"


def test_several_lines_are_a_block() -> None:
    assert yaml_text({"script": "set -e\necho 1\n"}) == "script: |\n  set -e\n  echo 1\n"


def test_a_long_text_is_one_line() -> None:
    text = "word " * 100 + "end"

    assert yaml_text({"value": text}) == f"value: {text}\n"


@pytest.mark.parametrize(
    ("character", "escape"), [("\u202e", "\\u202E"), ("\u200b", "\\u200B"), ("\ufeff", "\\uFEFF")]
)
def test_a_character_that_does_not_show_is_escaped(character: str, escape: str) -> None:
    written = yaml_text({"value": f"a{character}b\nc", f"key{character}": 1})

    assert character not in written
    assert written.count(escape) == 2
    assert yaml.safe_load(written) == {"value": f"a{character}b\nc", f"key{character}": 1}


def test_what_is_there_twice_is_written_twice() -> None:
    amounts = {"cpu": "1"}

    assert "&" not in yaml_text({"limits": amounts, "requests": amounts})


@pytest.mark.parametrize(
    ("number", "text"),
    [("0.5", "0.5"), ("1", "1.0"), ("1E+30", "1.0E+30"), ("-1.5E+40", "-1.5E+40"), ("1E-40", "1.0E-40")],
)
def test_a_number_has_a_point(number: str, text: str) -> None:
    assert number_text(Decimal(number)) == text


def test_a_huge_exponent_stays_short() -> None:
    assert len(yaml_text({"value": Decimal("1E+999999")})) < 30


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), "\ud800", object()])
def test_what_no_yaml_stands_for_is_an_error(value: object) -> None:
    with pytest.raises(UnwritableError):
        yaml_text({"value": value})


def test_a_stream_divides_its_documents() -> None:
    assert yaml_stream([{"a": 1}, {"b": 2}]) == "a: 1\n---\nb: 2\n"
    assert yaml_stream([]) == ""


class Exact(yaml.SafeLoader):
    """Without the rounding of floats."""


Exact.add_constructor("tag:yaml.org,2002:float", lambda _, node: Decimal(node.value))


@given(VALUES)
def test_what_is_written_reads_back_as_it_was(value: object) -> None:
    assert yaml.load(yaml_text({"value": value}), Loader=Exact) == {"value": value}  # noqa: S506
