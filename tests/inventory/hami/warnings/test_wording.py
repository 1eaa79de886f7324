import re
from pathlib import Path
from string import Formatter
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.surroundings import Surroundings, by_driver
from inventory.hami.warnings.rules import warnings
from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.warnings.wording import ENGLISH, Wording, worded
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from tests.inventory.hami.pods import A100, DEVICES, T4, pod, warned, with_cards

KNOWN = Surroundings(
    cards=by_driver((A100, T4)),
    classes={},
    resources=frozenset({"nvidia.com/gpu"}),
    quotas=frozenset({"limits.nvidia.com/gpu"}),
    consumable_capacity=False,
)
NAMES = sorted(
    {name for device in DEVICES for name in device.names()}
    | {"nvidia.com/gpumem-percentage", "nvidia.com/priority", "amd.com/gpu", "cpu"}
)
ANNOTATIONS = sorted(
    {"nvidia.com/vgpu-mode", "hami.io/vgpu-node", "huawei.com/vnpu-mode"}
    | {f"nvidia.com/{use}-gpu{what}" for use in ("use", "nouse") for what in ("uuid", "type")}
    | {"hygon.com/use-gpuuuid", "hami.io/use-nputype", "hami.io/no-use-Ascend310P-uuid"}
)
AMOUNTS = st.sampled_from([0, 1, 2, 33, -1, "1500m", "16Gi", "5k", "1Ei", "100", "33.3", None, 8192, 90000])


def test_every_code_has_its_texts() -> None:
    assert set(ENGLISH) == set(Code)


def test_every_code_is_documented() -> None:
    documented = (Path(__file__).parents[4] / "docs" / "conversion.md").read_text()

    assert [code for code in Code if f"`{code}`" not in documented] == []


def test_the_texts_say_a_title_and_three_sentences() -> None:
    for wording in ENGLISH.values():
        assert not wording.title.endswith(".")
        assert all(text.endswith((".", ":")) for text in (wording.before, wording.after, wording.write))


def test_the_values_are_filled_in() -> None:
    told = worded(warned(pod({"nvidia.com/gpu": 1, "nvidia.com/gpumem": "16Gi"}))[Code.MEMORY_SUFFIX_HUGE])

    assert told.after == "Asks for 16Pi of memory. No card has as much: the Pod waits for ever."


def test_braces_in_a_value_are_no_names() -> None:
    one = pod({"nvidia.com/gpu": 1}, {"nvidia.com/use-gputype": "{0.__class__}{severity}"})

    assert "{0.__class__}{severity}" in worded(warned(one)[Code.TYPE_IS_WHOLE]).after


def test_what_is_written_in_a_pod_stays_a_value() -> None:
    hostile = pod({"nvidia.com/gpu": 1}, nodeName="n1\nprivileged: true")
    warning = warned(hostile)[Code.NODE_NAME]

    assert yaml.safe_load(warning.instead) == {
        "nodeSelector": {"kubernetes.io/hostname": "n1\nprivileged: true"}
    }


def test_a_model_cannot_add_a_line() -> None:
    card = msgspec.structs.replace(A100, model="A100\nprivileged: true")
    one = pod({"nvidia.com/gpu": 1, "nvidia.com/gpumem-percentage": 50})

    assert len(warned(one, with_cards(card))[Code.PERCENTAGE_LEFT].instead.splitlines()) == 1


def test_values_are_cut_and_have_no_controls() -> None:
    warning = warned(pod({"nvidia.com/gpu": 1}, {"nvidia.com/use-gputype": "\x1b[31m" + "x" * 10_000}))[
        Code.TYPE_IS_WHOLE
    ]

    assert warning.values["given"].startswith("\ufffd[31mx")
    assert len(warning.values["given"]) == 257


def test_other_texts_may_take_their_place() -> None:
    warning = warned(pod({"nvidia.com/gpu": 0}))[Code.COUNT_ZERO]
    others = {Code.COUNT_ZERO: Wording("无", "{resource}", "", "")}

    assert worded(warning, others) == Wording("无", "nvidia.com/gpu", "", "")


@pytest.mark.parametrize("profile", Profile)
@given(
    limits=st.dictionaries(st.sampled_from(NAMES), AMOUNTS, max_size=8),
    requests=st.dictionaries(st.sampled_from(NAMES), AMOUNTS, max_size=3),
    annotations=st.dictionaries(st.sampled_from(ANNOTATIONS), st.text(max_size=30), max_size=4),
    is_known=st.booleans(),
)
def test_any_pod_has_warnings_that_can_be_told(
    profile: Profile, limits: Any, requests: Any, annotations: Any, is_known: bool
) -> None:
    one = pod(limits, annotations, nodeName="n1")
    one["spec"]["containers"][0]["resources"]["requests"] = requests
    surroundings = KNOWN if is_known else Surroundings()
    found = warnings(one, mutate(one, DEVICES, profile), DEVICES, profile, surroundings)

    assert [list(Severity).index(warning.severity) for warning in found] == sorted(
        list(Severity).index(warning.severity) for warning in found
    )
    for warning in found:
        told = worded(warning)
        assert re.match(r"spec|metadata", warning.field)
        assert told.before
        assert told.after


def test_no_text_names_a_value_in_another_form() -> None:
    for wording in ENGLISH.values():
        for text in (wording.title, wording.before, wording.after, wording.write):
            fields = [
                name for _, name, spec, conversion in Formatter().parse(text) if name or spec or conversion
            ]
            assert all(name and name.isidentifier() for name in fields)
