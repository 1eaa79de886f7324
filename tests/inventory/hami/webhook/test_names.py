from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.webhook.kubernetes_names import label_faults
from inventory.hami.webhook.names import claim_name, is_random, sample

NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?", fullmatch=True)
LONG_NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,200}[a-z0-9])?", fullmatch=True)


def test_a_name_says_for_whom_the_claim_is() -> None:
    assert claim_name("ml", "p", "app", "nvidia") == "ml-p-app-nvidia"


def test_a_long_name_is_cut_and_ends_with_a_hash_of_the_whole() -> None:
    name = claim_name(
        "team-vision-research", "resnet-very-long-training-job-name-0", "pytorch-main", "nvidia"
    )
    assert name == "team-vision-research-resnet-very-long-training-job-nam-be54a5fc"


def test_dashes_at_the_cut_go_and_dots_stay() -> None:
    dashes = claim_name("ml", "a" * 48 + "----bcdefghijk", "app", "nvidia")
    assert dashes == f"ml-{'a' * 48}-362df7f5"
    assert claim_name("ml", "a" * 50 + "." + "b" * 20, "app", "nvidia").startswith(f"ml-{'a' * 50}.-")


def test_63_characters_are_not_too_long() -> None:
    assert claim_name("ml", "a" * 49, "app", "nvidia") == f"ml-{'a' * 49}-app-nvidia"
    assert claim_name("ml", "a" * 50, "app", "nvidia") == f"ml-{'a' * 50}-c5653090"


@pytest.mark.parametrize(
    ("namespace", "container", "name"),
    [
        ("ml", "app", "ml-<rand5>-app-nvidia"),
        ("n" * 40, "c" * 30, f"{'n' * 40}-<rand5>-{'c' * 7}-<hash8>"),
        ("n" * 50, "app", f"{'n' * 50}-<rand3>-<hash8>"),
        ("n" * 48, "app", f"{'n' * 48}-<rand5>-<hash8>"),
        ("n" * 63, "app", f"{'n' * 54}-<hash8>"),
    ],
)
def test_a_pod_without_a_name_has_a_random_part_in_that_of_its_claim(
    namespace: str, container: str, name: str
) -> None:
    found = claim_name(namespace, "", container, "nvidia")
    assert found == name
    assert is_random(found)
    assert len(sample(found)) <= 63


@given(NAMES, LONG_NAMES, NAMES)
def test_a_name_made_of_valid_names_is_one(namespace: str, pod: str, container: str) -> None:
    name = claim_name(namespace, pod, container, "nvidia")
    assert not list(label_faults(name))
    whole = f"{namespace}-{pod}-{container}-nvidia"
    assert name == whole or name.endswith(sha256(whole.encode()).hexdigest()[:8])


@given(NAMES, NAMES)
def test_so_is_one_with_a_random_part(namespace: str, container: str) -> None:
    assert not list(label_faults(sample(claim_name(namespace, "", container, "ascend910b4-1"))))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS, TEXTS, TEXTS)
def test_any_names_give_a_name_of_at_most_63_bytes(namespace: str, pod: str, container: str) -> None:
    assert len(sample(claim_name(namespace, pod, container, "x"))) <= 63
