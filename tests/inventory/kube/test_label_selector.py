from hypothesis import given
from hypothesis import strategies as st

from inventory.kube.label_selector import matches, parse

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
