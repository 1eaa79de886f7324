import pytest

from inventory.dra.accelerators import DEFAULT_RULES, Rule, RuleError, is_accelerator, parse

RULES = [parse(rule) for rule in DEFAULT_RULES]
UUID = {"uuid": {"string": "GPU-1"}}


@pytest.mark.parametrize(
    ("driver", "attributes", "capacities", "expected"),
    [
        ("gpu.nvidia.com", {}, ["memory"], True),
        ("hami-core-gpu.project-hami.io", {}, ["memory", "cores"], True),
        ("ascend.project-hami.io", {}, [], True),
        ("dra.hygon.com", {}, [], True),
        ("gpu.amd.com", {}, [], True),
        ("gpu.intel.com", {}, [], True),
        ("tpu.google.com", {}, [], True),
        ("compute-domain.nvidia.com", UUID, ["memory"], False),
        ("dra.net", {"dra.net/mac": {"string": "0e:96"}}, [], False),
        ("dra.cpu", {}, ["dra.cpu/cpu"], False),
        ("fabric.example.com", {"productName": {"string": "license"}}, ["seats"], False),
        ("fabric.example.com", UUID, ["memory"], True),
        ("vmem.example.com", {}, ["memory"], False),
    ],
)
def test_cards_are_told_from_everything_else(
    driver: str, attributes: dict[str, dict[str, object]], capacities: list[str], expected: object
) -> None:
    assert is_accelerator(RULES, driver, attributes, capacities) is expected


def test_the_first_rule_that_holds_decides() -> None:
    rules = [parse("!gpu.example.com type=vfio"), *RULES]
    assert not is_accelerator(rules, "gpu.example.com", {"type": {"string": "vfio"}}, ["memory"])
    assert is_accelerator(rules, "gpu.example.com", {"type": {"string": "gpu"}}, ["memory"])


def test_a_rule_names_driver_attributes_and_capacities() -> None:
    assert parse("!x.* kind=a* +memory") == Rule(False, "x.*", (("kind", "a*"),), ("memory",))


@pytest.mark.parametrize("text", ["", "!", "gpu.* kind", "gpu.* =x", "gpu.* +"])
def test_a_rule_that_cannot_be_read_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(RuleError, match="is no accelerator rule"):
        parse(text)
