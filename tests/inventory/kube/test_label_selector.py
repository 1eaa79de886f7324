import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.kube.label_selector import SelectorError, matches, parse

KEYS = st.sampled_from(["app", "tier", "example.com/zone"])
VALUES = st.sampled_from(["", "a", "b", "c-1"])
LABELS = st.dictionaries(KEYS, VALUES)


def holds(selector: str, labels: dict[str, str]) -> bool:
    return matches(parse(selector), labels)


@given(LABELS, KEYS, st.lists(VALUES, min_size=1))
def test_in_and_notin_are_opposites(labels: dict[str, str], key: str, values: list[str]) -> None:
    among = ",".join(values)
    assert holds(f"{key} in ({among})", labels) is (labels.get(key) in values)
    assert holds(f"{key} notin ({among})", labels) is not holds(f"{key} in ({among})", labels)


@given(LABELS, KEYS, VALUES)
def test_equality_is_a_set_of_one(labels: dict[str, str], key: str, value: str) -> None:
    assert holds(f"{key}={value}", labels) is holds(f"{key} in ({value})", labels)
    assert holds(f"{key}!={value}", labels) is holds(f"{key} notin ({value})", labels)


@given(LABELS, KEYS)
def test_a_label_is_there_or_not(labels: dict[str, str], key: str) -> None:
    assert holds(key, labels) is (key in labels)
    assert holds(f"!{key}", labels) is (key not in labels)


@given(LABELS, KEYS, VALUES, KEYS)
def test_all_requirements_must_hold(labels: dict[str, str], key: str, value: str, other: str) -> None:
    both = holds(f"{key}={value},!{other}", labels)
    assert both is (holds(f"{key}={value}", labels) and holds(f"!{other}", labels))


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "! a",
        "a = b",
        "a==b",
        "a=",
        "a=,b!=",
        "a in(b)",
        "a in ()",
        "a notin ( b , c ),d",
        "in in (in)",
        "notin",
        "a.b-c/D_e.f=1",
        f"{'a' * 253}/{'b' * 63}={'c' * 63}",
    ],
)
def test_what_kubernetes_takes_is_taken(text: str) -> None:
    assert parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",a",
        "a,",
        "a,,b",
        "a b",
        "a='b'",
        'a="b"',
        "a=b=c",
        "!a=b",
        "!a in (b)",
        "a in b",
        "a in (b",
        "a in (b c)",
        "a in (b))",
        "a in ((b))",
        "a=b*",
        "a=.*",
        "a=-b",
        "-a",
        "a-",
        "é",
        "a=é",
        "/a",
        "a/",
        "a/b/c",
        "A.b/c",
        "a..b/c",
        "a-.b/c",
        f"{'a' * 254}/b",
        "b" * 64,
        f"a={'c' * 64}",
        f"a in ({'c' * 64})",
    ],
)
def test_what_kubernetes_refuses_is_refused(text: str) -> None:
    with pytest.raises(SelectorError):
        parse(text)


def test_an_empty_set_is_the_empty_value() -> None:
    assert holds("a in ()", {"a": ""})
    assert not holds("a in ()", {})
    assert holds("a in (,b)", {"a": ""})


def test_requirements_that_contradict_each_other_select_nothing() -> None:
    assert not any(holds("a=b,a=c", {"a": value}) for value in "bc")
    assert not any(holds("a,!a", labels) for labels in ({}, {"a": "b"}))
