import pytest

from inventory.dra.taints import Rule

TAINT = {"key": "example.com/drain", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        (None, True),
        ({}, True),
        ({"driver": "d.x"}, True),
        ({"driver": "d.x", "pool": "n1", "device": "g"}, True),
        ({"driver": "d.x", "pool": "n2"}, False),
        ({"device": "other"}, False),
        ({"deviceClassName": "gpu"}, False),
    ],
)
def test_a_rule_selects_where_all_of_its_keys_hold(selector: dict[str, str] | None, selected: object) -> None:
    assert Rule("r", selector, TAINT).selects("d.x", "n1", "g") is selected


def test_an_added_taint_names_its_rule() -> None:
    assert Rule("r", None, TAINT).added() == {**TAINT, "rule": "r"}


def test_a_selector_that_is_not_known_is_told() -> None:
    assert Rule("r", {"driver": "d.x", "selectors": []}, TAINT).unknown == ["selectors"]
