from typing import Any

import pytest

from inventory.hami.surroundings import Card
from inventory.hami.warnings.corrections import corrected
from inventory.hami.warnings.rules import warnings
from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.kube.quantity import parse
from tests.inventory.hami.pods import ASCEND_DRIVER, DEVICES, codes, pod, warned, with_cards

COUNT, MEMORY, CORES = "huawei.com/Ascend310P", "huawei.com/Ascend310P-memory", "huawei.com/Ascend310P-core"
MODE = {"huawei.com/vnpu-mode": "hami-core"}


def of_model(model: str) -> Card:
    return Card(ASCEND_DRIVER, "n1", f"npu-{model}", model, model, parse("21525Mi"))


def test_the_chip_s_name_selects_nothing() -> None:
    known = with_cards(of_model("310P3"), of_model("910B4"))
    warning = warned(pod({COUNT: 1}), known)[Code.OTHER_CHIPS_HERE]

    assert warning.severity is Severity.DIFFERS
    assert warning.values["models"] == "310P3, 910B4"
    assert warning.instead == "hami.io/use-nputype: 310P3"


def test_a_cluster_with_that_chip_alone_gives_no_other() -> None:
    assert codes(pod({COUNT: 1}), with_cards(of_model("310P3"))) == {Code.RUNTIME_CLASS}
    assert Code.OTHER_CHIPS_HERE in codes(pod({COUNT: 1}), with_cards(of_model("910B4")))
    assert Code.CHIP_NOT_SELECTED in codes(pod({COUNT: 1}))


@pytest.mark.parametrize("name", ["hami.io/use-nputype", "hami.io/use-Ascend310P-uuid"])
def test_a_chosen_chip_is_selected(name: str) -> None:
    assert Code.CHIP_NOT_SELECTED not in codes(pod({COUNT: 1}, {name: "310P3"}))


@pytest.mark.parametrize(("asked", "given"), [(3072, None), (3073, 6144), (6145, 12288), (12288, None)])
def test_hami_cuts_by_templates_and_a_claim_does_not(asked: int, given: int | None) -> None:
    warning = warned(pod({COUNT: 1, MEMORY: asked})).get(Code.TEMPLATE_NOT_TAKEN)

    assert (warning.instead if warning else None) == (f"{MEMORY}: {given}" if given else None)


@pytest.mark.parametrize("asked", [12289, 21527, 24576])
def test_above_its_largest_template_hami_gives_the_whole_card(asked: int) -> None:
    warning = warned(pod({COUNT: 1, MEMORY: asked}))[Code.WHOLE_CARD_GIVEN]

    assert warning.values["given_by_hami"] == "21527"
    assert warning.instead == f"# no {MEMORY} at all"


def test_two_chips_cannot_be_told_apart_by_the_one_annotation_that_both_read() -> None:
    one = pod({COUNT: 1, "huawei.com/Ascend910C": 2})
    found = warnings(one, mutate(one, DEVICES, Profile.V0_2_3), DEVICES, Profile.V0_2_3)
    both = [warning for warning in found if warning.code is Code.CHIP_NOT_SELECTED]

    assert [one.correction for one in both] == [None, None]
    assert "hami.io/use-Ascend310P-uuid" in both[0].instead
    assert corrected(one, both) == one


@pytest.mark.parametrize(("asked", "percent"), [(3072, 13), (6144, 25), (12289, None), (None, None)])
def test_a_template_has_cores_and_a_claim_takes_all(asked: int | None, percent: int | None) -> None:
    limits: dict[str, Any] = {COUNT: 1} if asked is None else {COUNT: 1, MEMORY: asked}
    warning = warned(pod(limits)).get(Code.CORES_OF_TEMPLATE)

    assert (warning.instead if warning else None) == (f"{CORES}: {percent}" if percent else None)


@pytest.mark.parametrize(
    ("chip", "memory", "percent"),
    [("Ascend910A", 2184, 7), ("Ascend910B2", 8192, 13), ("Ascend910B4", 1, 25)],
)
def test_a_percentage_is_not_below_the_cores_of_the_template(chip: str, memory: int, percent: int) -> None:
    limits = {f"huawei.com/{chip}": 1, f"huawei.com/{chip}-memory": memory}

    assert warned(pod(limits))[Code.CORES_OF_TEMPLATE].instead == f"huawei.com/{chip}-core: {percent}"


def test_hami_refuses_more_than_the_chip_has() -> None:
    assert Code.TEMPLATE_REFUSED in codes(pod({COUNT: 1, MEMORY: 24577}))


@pytest.mark.parametrize(
    "one", [pod({COUNT: 1, MEMORY: 3073}, MODE), pod({COUNT: 1, MEMORY: 3073, CORES: 50})]
)
def test_in_its_software_mode_hami_takes_the_amount_as_well(one: Any) -> None:
    assert codes(one).isdisjoint({Code.TEMPLATE_NOT_TAKEN, Code.CORES_OF_TEMPLATE})


def test_hami_refuses_parts_of_several_cards() -> None:
    assert Code.SLICES_OF_SEVERAL in codes(pod({COUNT: 2, MEMORY: 3072}))
    assert Code.SLICES_OF_SEVERAL not in codes(pod({COUNT: 2, MEMORY: 21527}))


@pytest.mark.parametrize(("count", "even"), [(1, 2), (3, 4), (2, None)])
def test_910c_come_in_twos_with_hami(count: int, even: int | None) -> None:
    warning = warned(pod({"huawei.com/Ascend910C": count})).get(Code.MODULES_OF_TWO)

    assert (warning.instead if warning else None) == (f"huawei.com/Ascend910C: {even}" if even else None)


def test_the_runtime_class_has_to_be_written() -> None:
    assert warned(pod({COUNT: 1}))[Code.RUNTIME_CLASS].instead == "runtimeClassName: ascend"
    assert Code.RUNTIME_CLASS not in codes(pod({COUNT: 1}, runtimeClassName="ascend"))
    assert Code.RUNTIME_CLASS not in codes(pod({"nvidia.com/gpu": 1}))


def test_the_example_of_the_lab_has_one_note() -> None:
    annotations = {"hami.io/use-Ascend310P-uuid": "68496E64-20E05477-92C31323-6E78030A-BD003019"}
    one = pod({COUNT: 1, MEMORY: "8192", CORES: "50"}, annotations, runtimeClassName="ascend")

    assert codes(one) == set()
