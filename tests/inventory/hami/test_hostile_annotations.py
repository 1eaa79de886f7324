"""Whatever an annotation says, a claim takes the cards that are named there, or the Pod is denied."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inventory.dra.cel.selectors import compiled
from inventory.dra.cel.subjects import Subject, subject
from inventory.hami.converted import Mutation
from inventory.hami.proposals import Proposal, alternatives, proposals
from inventory.hami.webhook.configuration import NVIDIA_DRIVER
from inventory.hami.webhook.go import trimmed
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.kube.objects import Device
from tests.inventory.hami.pods import DEVICES, pod

LONGEST_ATTRIBUTE = 64
LONGEST_EXPRESSION = 10 * 1024
PIECES = st.sampled_from(
    (
        "GPU-a", "GPU-b", ",", " ", '"', "\\", '"]', ' || true || "', "//", "\n", "\x00", "\x1b", "\u2028",
        "'", "`", "{}", "${x}", "中文", "é", "\U0001f600", "x" * 300, "\u00a0", "\ufeff", ")", "\\u0022",
    )
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=50
)


def card(uuid: str, model: str = "NVIDIA A100") -> Subject:
    attributes = {"type": {"string": "hami-gpu"}, "uuid": {"string": uuid}, "productName": {"string": model}}
    return subject(NVIDIA_DRIVER, Device("gpu-0", attributes))


def listed(text: str) -> set[str]:
    return {value for part in text.split(",") if (value := trimmed(part))}


def publishable(text: str) -> set[str]:
    """Those of a list that a device may have; no object of a cluster is read with a NUL."""
    return {
        value for value in listed(text) if len(value.encode()) <= LONGEST_ATTRIBUTE and "\x00" not in value
    }


def fits(mutation: Mutation, one: Subject) -> bool:
    (claim,) = mutation.claims
    exactly = claim.raw["spec"]["devices"]["requests"][0]["exactly"]
    return all(compiled(selector["cel"]["expression"]).matches(one) for selector in exactly["selectors"])


def is_too_long(mutation: Mutation) -> bool:
    (claim,) = mutation.claims
    selectors = claim.raw["spec"]["devices"]["requests"][0]["exactly"]["selectors"]
    return any(len(one["cel"]["expression"].encode()) > LONGEST_EXPRESSION for one in selectors)


@given(TEXTS)
@example('"] || true || ["')
@example('A100"x,B\\C')
@example("GPU-a\x00,GPU-b")
def test_a_choice_takes_the_named_cards_alone(text: str) -> None:
    made = mutate(pod({"nvidia.com/gpu": 1}, {"nvidia.com/use-gpuuuid": text}), DEVICES, Profile.V0_2_3)
    if made.failure is not None:
        assert not listed(text)
        return
    if is_too_long(made):
        assert made.refusals
        return
    assert not fits(made, card("another"))
    assert all(fits(made, card(uuid)) for uuid in publishable(text))


@given(TEXTS)
@example('"] || true || ["')
def test_an_exclusion_passes_over_the_named_cards_alone(text: str) -> None:
    made = mutate(pod({"nvidia.com/gpu": 1}, {"nvidia.com/nouse-gputype": text}), DEVICES, Profile.V0_2_3)
    if made.failure is not None:
        assert not listed(text)
        return
    if is_too_long(made):
        assert made.refusals
        return
    assert fits(made, card("GPU-a", "another"))
    assert not any(fits(made, card("GPU-a", model)) for model in publishable(text))


def test_the_first_version_let_text_into_the_expression() -> None:
    text = 'x" || true || "" == "'
    made = mutate(pod({"nvidia.com/gpu": 1}, {"nvidia.com/use-gpuuuid": text}), DEVICES, Profile.V0_0_1)

    assert fits(made, card("any card at all"))


def asking(vendor: str, text: str) -> Proposal:
    """The claim for a card whose type has a part as the text says."""
    if vendor == "amd":
        (found,) = proposals(pod({"amd.com/gpu": 1}, {"amd.com/use-gputype": text}), DEVICES).claims
    else:
        (found,) = alternatives(pod({"nvidia.com/gpu": 1}, {"nvidia.com/use-gputype": text}))
    return found


@pytest.mark.parametrize("vendor", ["amd", "nvidia"])
@given(text=TEXTS.filter(str.isascii))
def test_a_proposal_takes_cards_whose_type_has_a_named_part(vendor: str, text: str) -> None:
    found = asking(vendor, text)
    exactly = found.need.spec["devices"]["requests"][0]["exactly"]
    expressions = [one["cel"]["expression"] for one in exactly.get("selectors", ())]
    if any(len(one.encode()) > LONGEST_EXPRESSION for one in expressions):
        return
    parts = [value.upper() for value in listed(text) if "\x00" not in value]
    for model in ("Model of nobody", *publishable(text)):
        attributes = {"type": {"string": "amdgpu"}, "productName": {"string": model}}
        one = subject(found.driver.driver, Device("gpu-0", attributes))
        is_named = any(part in model.upper() for part in parts)
        assert all(compiled(text).matches(one) for text in expressions) is (is_named or not listed(text))
