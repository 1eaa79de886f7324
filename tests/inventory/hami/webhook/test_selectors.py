from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import subject
from inventory.hami.webhook.configuration import configured
from inventory.hami.webhook.go import trimmed
from inventory.hami.webhook.selectors import (
    NoUsableValueError,
    of_annotations,
    of_raw_annotations,
    of_type,
)
from inventory.kube.objects import Device

(NVIDIA,) = configured(["nvidia"])
(HYGON,) = configured(["hygon"])
UUIDS = 'device.attributes["hami-core-gpu.project-hami.io"].uuid'
MODELS = 'device.attributes["hami-core-gpu.project-hami.io"].productName'


def chosen(annotations: Mapping[str, str]) -> list[str]:
    return [choice.expression for choice in of_annotations(NVIDIA, annotations)]


def matches(expression: str, uuid: str) -> bool:
    device = Device(name="gpu-0", attributes={"uuid": {"string": uuid}})
    return compiled(expression).matches(subject(NVIDIA.driver, device))


def test_only_hygon_and_ascend_ask_for_the_driver_as_well_as_for_the_type() -> None:
    assert of_type(NVIDIA).expression == (
        'device.attributes["hami-core-gpu.project-hami.io"].type == "hami-gpu"'
    )
    assert of_type(HYGON).expression == (
        'device.driver == "dra.hygon.com" && device.attributes["dra.hygon.com"].type == "hcu"'
    )


def test_annotations_are_read_in_one_order_whatever_theirs_is() -> None:
    assert chosen(
        {
            "nvidia.com/nouse-gputype": "T4",
            "nvidia.com/use-gputype": "A100, H20",
            "nvidia.com/nouse-gpuuuid": "b",
            "nvidia.com/use-gpuuuid": " a, ",
            "nvidia.com/vgpu-mode": "mig",
        }
    ) == [
        f'{UUIDS} in ["a"]',
        f'!({UUIDS} in ["b"])',
        f'{MODELS} in ["A100","H20"]',
        f'!({MODELS} in ["T4"])',
    ]


@pytest.mark.parametrize(
    ("written", "listed"),
    [
        ('A100"x,B\\C', r'["A100\"x","B\\C"]'),
        ('"] || true || ["', r'["\"] || true || [\""]'),
        ("a,a", '["a","a"]'),
        ("a，b;c", '["a，b;c"]'),
        ("\u3000a\u200b", r'["a\u200b"]'),
    ],
)
def test_a_value_is_split_at_commas_trimmed_and_quoted(written: str, listed: str) -> None:
    assert chosen({"nvidia.com/use-gpuuuid": written}) == [f"{UUIDS} in {listed}"]


@pytest.mark.parametrize(
    ("written", "quoted"), [("", '""'), (" , ,", '" , ,"'), ("\t", r'"\t"'), ("\xa0", r'"\u00a0"')]
)
def test_an_annotation_without_a_value_is_an_error(written: str, quoted: str) -> None:
    with pytest.raises(NoUsableValueError) as caught:
        chosen({"nvidia.com/use-gputype": "", "nvidia.com/nouse-gpuuuid": written})
    assert str(caught.value) == f"annotation nvidia.com/nouse-gpuuuid has no usable value: {quoted}"


def test_the_first_version_puts_the_text_in_as_it_is() -> None:
    annotations = {"nvidia.com/use-gpuuuid": 'a" || true || "', "nvidia.com/nouse-gpuuuid": "b"}
    found = [choice.expression for choice in of_raw_annotations(NVIDIA, annotations)]
    assert found == [f'{UUIDS} == "a" || true || ""']


def test_the_longest_list_that_is_allowed_compiles() -> None:
    (expression,) = chosen({"nvidia.com/use-gpuuuid": ",".join(f"{index}" for index in range(1600))})
    assert 9_900 < len(expression) <= 10_240
    assert matches(expression, "1599")
    assert not matches(expression, "1600")


HOSTILE = st.text(
    st.sampled_from("\"'\\,[]()|&!=. \t\n\x01\x1b`$un0xUa\u00a0\u200d\u2028\U0010ffff卡é"), max_size=30
)
# Of an attribute.
LONGEST = 64


@given(HOSTILE | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_hostile_annotation_gives_an_error_or_names_cards_and_nothing_else(written: str) -> None:
    try:
        (expression,) = chosen({"nvidia.com/use-gpuuuid": written})
    except NoUsableValueError:
        return
    assume(len(expression.encode()) <= 10_240)
    named = {item for part in written.split(",") if (item := trimmed(part))}
    for uuid in (*named, *(f"{one}x" for one in named), "", written):
        if len(uuid.encode()) <= LONGEST:
            assert matches(expression, uuid) is (uuid in named)
