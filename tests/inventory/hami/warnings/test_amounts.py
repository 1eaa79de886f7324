from typing import Any

import pytest

from inventory.hami.warnings.warning import Code, Severity
from tests.inventory.hami.pods import A100, T4, codes, pod, warned, with_cards

GPU, MEMORY, CORES = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"


def sized(memory: Any) -> dict[str, Any]:
    return {GPU: 1, MEMORY: memory, CORES: 30}


def test_a_plain_share_of_a_card_has_no_warning() -> None:
    assert codes(pod(sized(8192))) == set()
    assert codes(pod({GPU: 2})) == set()


def test_no_card_becomes_one() -> None:
    warning = warned(pod({GPU: 0}))[Code.COUNT_ZERO]

    assert warning.severity is Severity.DIFFERS
    assert warning.field == 'spec.containers[0].resources.limits["nvidia.com/gpu"]'
    assert warning.container == "app"
    assert warning.values["given"] == "0"


def test_a_part_of_a_card_is_rounded_up() -> None:
    warning = warned(pod({GPU: "1500m"}))[Code.COUNT_ROUNDED]

    assert warning.instead == "nvidia.com/gpu: 2"


@pytest.mark.parametrize(("count", "is_too_many"), [(32, False), (33, True)])
def test_a_claim_holds_32_devices_at_most(count: int, is_too_many: bool) -> None:
    assert (Code.TOO_MANY_RESULTS in codes(pod({GPU: count}))) is is_too_many


@pytest.mark.parametrize("given", ["16Gi", "16Mi", "16G", "17179869184"])
def test_an_amount_in_bytes_never_fits(given: str) -> None:
    warning = warned(pod(sized(given)))[Code.MEMORY_SUFFIX_HUGE]

    assert warning.severity is Severity.NEVER_FITS


def test_16_gi_are_16_pi() -> None:
    warning = warned(pod(sized("16Gi")))[Code.MEMORY_SUFFIX_HUGE]

    assert warning.values["bytes"] == "16Pi"
    assert warning.values["mebibytes"] == "17179869184"
    assert warning.instead == "nvidia.com/gpumem: 16384"


@pytest.mark.parametrize(("given", "plain"), [("5k", 5000), ("8Ki", 8192)])
def test_a_suffix_that_makes_sense_is_worth_a_note(given: str, plain: int) -> None:
    warning = warned(pod(sized(given)))[Code.MEMORY_SUFFIX]

    assert warning.severity is Severity.NOTE
    assert warning.instead == f"nvidia.com/gpumem: {plain}"


@pytest.mark.parametrize("given", ["8796093022208", "1Ei", "8Ei"])
def test_an_amount_that_overflows_is_told_as_what_is_left_of_it(given: str) -> None:
    warning = warned(pod(sized(given)))[Code.MEMORY_OVERFLOWS]

    assert warning.severity is Severity.DIFFERS
    assert warning.values["bytes"] in {"-9223372036854775808", "0", "-1048576"}


def test_what_is_left_of_an_overflow_may_be_too_much() -> None:
    assert warned(pod(sized("1e18")))[Code.MEMORY_OVERFLOWS].severity is Severity.NEVER_FITS


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (0, Code.MEMORY_ZERO),
        (-1, Code.MEMORY_NEGATIVE),
        ("500m", Code.MEMORY_ROUNDED),
        (None, Code.MEMORY_ZERO),
    ],
)
def test_an_odd_amount_is_told(given: Any, code: Code) -> None:
    assert code in codes(pod(sized(given)))


def test_more_than_the_largest_card_has_never_fits() -> None:
    known = with_cards(A100, T4)

    assert codes(pod(sized(81920)), known) == set()
    warning = warned(pod(sized(81921)), known)[Code.MEMORY_ABOVE_EVERY_CARD]
    assert (warning.severity, warning.instead) == (Severity.NEVER_FITS, "nvidia.com/gpumem: 81920")


def test_cards_of_another_driver_do_not_count() -> None:
    assert codes(pod({"hygon.com/hcunum": 1, "hygon.com/hcumem": 90000}), with_cards(A100)) == set()


def test_an_amount_that_is_none_is_the_webhook_s_error() -> None:
    assert codes(pod(sized("a lot"))) == set()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("1e30", Code.MEMORY_OVERFLOWS),
        ("1e28", Code.MEMORY_OVERFLOWS),
        ("-", Code.MEMORY_ZERO),
        (".", Code.MEMORY_ZERO),
    ],
)
def test_whatever_amount_the_webhook_reads_is_read(given: str, code: Code) -> None:
    assert code in codes(pod(sized(given)))


def test_an_amount_that_fills_a_line_is_one_too() -> None:
    assert Code.CORES_TAKE_ALL in codes(pod({GPU: 1, MEMORY: "5".zfill(71)}))


def test_more_cards_than_a_claim_may_hold_are_not_made_fewer() -> None:
    assert warned(pod({GPU: 40}))[Code.TOO_MANY_RESULTS].correction is None


def test_a_count_that_wraps_around_is_not_too_large_but_refused() -> None:
    assert Code.TOO_MANY_RESULTS not in codes(pod({GPU: str(2**63)}))
