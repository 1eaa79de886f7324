import pytest

from inventory.hami.surroundings import Card
from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.webhook.profiles import Profile
from tests.inventory.hami.pods import A100, A100_SMALL, HYGON_DRIVER, T4, codes, pod, warned, with_cards

GPU = {"nvidia.com/gpu": 1}
USE, NO_USE = "nvidia.com/use-gputype", "nvidia.com/nouse-gputype"
KNOWN = with_cards(A100, A100_SMALL, T4)


def test_a_part_of_the_type_matches_no_card_any_more() -> None:
    warning = warned(pod(GPU, {USE: "a100"}), KNOWN)[Code.TYPE_MATCHES_NONE]

    assert warning.severity is Severity.NEVER_FITS
    assert warning.field == 'metadata.annotations["nvidia.com/use-gputype"]'
    assert warning.instead == "nvidia.com/use-gputype: NVIDIA A100-PCIE-40GB,NVIDIA A100-SXM4-80GB"


def test_a_type_that_no_card_has_is_told_with_those_there_are() -> None:
    warning = warned(pod(GPU, {USE: "H100"}), KNOWN)[Code.TYPE_MATCHES_NONE]

    assert warning.values["models"] == "NVIDIA A100-PCIE-40GB, NVIDIA A100-SXM4-80GB, Tesla T4"
    assert warning.instead == ""


def test_a_whole_type_may_match_fewer_than_before() -> None:
    warning = warned(pod(GPU, {USE: "NVIDIA A100-SXM4-80GB,A100"}), KNOWN)[Code.TYPE_MATCHES_FEWER]

    assert warning.severity is Severity.DIFFERS
    assert warning.values["models"] == "NVIDIA A100-PCIE-40GB"


def test_a_whole_type_that_matches_as_before_is_no_warning() -> None:
    assert codes(pod(GPU, {USE: "Tesla T4"}), KNOWN) == set()


def test_where_no_card_is_known_any_type_is_told() -> None:
    assert warned(pod(GPU, {USE: "A100"}))[Code.TYPE_IS_WHOLE].severity is Severity.DIFFERS
    assert Code.TYPE_IS_WHOLE in codes(pod(GPU, {NO_USE: "A100"}))


def test_a_part_of_a_type_excludes_nothing_any_more() -> None:
    warning = warned(pod(GPU, {NO_USE: "A100"}), KNOWN)[Code.TYPE_EXCLUDES_LESS]

    assert warning.values["models"] == "NVIDIA A100-PCIE-40GB, NVIDIA A100-SXM4-80GB"


@pytest.mark.parametrize("given", ["", " , ,"])
def test_an_empty_choice_is_refused(given: str) -> None:
    assert warned(pod(GPU, {USE: given}))[Code.TYPE_EMPTY].severity is Severity.NEVER_FITS
    assert Code.UUID_EMPTY in codes(pod(GPU, {"nvidia.com/use-gpuuuid": given}))


def test_ascend_had_no_choice_of_types() -> None:
    one = pod({"huawei.com/Ascend310P": 1}, {"hami.io/use-nputype": "310P3"})

    assert Code.TYPE_NEWLY_READ in codes(one)


def test_a_choice_for_cards_that_nobody_asks_for_is_no_matter() -> None:
    assert codes(pod(GPU, {"hygon.com/use-hcutype": ""})) == set()


def test_hygon_s_uuids_have_lost_their_prefix() -> None:
    one = pod({"hygon.com/hcunum": 1}, {"hygon.com/use-gpuuuid": "HCU-1, HCU-2"})
    warning = warned(one)[Code.UUID_PREFIX]

    assert (warning.severity, warning.instead) == (Severity.NEVER_FITS, "hygon.com/use-gpuuuid: 1,2")


def test_a_uuid_that_no_card_has_never_fits() -> None:
    assert codes(pod(GPU, {"nvidia.com/use-gpuuuid": "GPU-a"}), KNOWN) == set()
    warning = warned(pod(GPU, {"nvidia.com/use-gpuuuid": "GPU-x,GPU-y"}), KNOWN)[Code.UUID_UNKNOWN]
    assert (warning.severity, warning.values["uuids"]) == (Severity.NEVER_FITS, "GPU-x, GPU-y")


def test_one_known_uuid_is_enough_to_fit() -> None:
    one = pod(GPU, {"nvidia.com/use-gpuuuid": "GPU-a,GPU-x"})

    assert warned(one, KNOWN)[Code.UUID_UNKNOWN].severity is Severity.NOTE


def test_uuids_are_looked_for_among_the_cards_of_the_driver() -> None:
    hygon = with_cards(Card(HYGON_DRIVER, "n1", "hcu-0", "K100", "1"))

    assert Code.UUID_UNKNOWN not in codes(pod(GPU, {"nvidia.com/use-gpuuuid": "1"}), hygon)
    assert codes(pod({"hygon.com/hcunum": 1}, {"hygon.com/use-gpuuuid": "1"}), hygon) == set()


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("nvidia.com/vgpu-mode", Severity.DIFFERS),
        ("nvidia.com/numa-bind", Severity.DIFFERS),
        ("hami.io/gpu-scheduler-policy", Severity.NOTE),
    ],
)
def test_an_annotation_that_nobody_reads_any_more_is_told(name: str, severity: Severity) -> None:
    assert warned(pod(GPU, {name: "x"}))[Code.ANNOTATION_DROPPED].severity is severity


def test_without_a_card_no_annotation_matters() -> None:
    assert codes(pod({"cpu": 1}, {"nvidia.com/vgpu-mode": "mig", USE: ""})) == set()


def test_the_first_version_takes_a_list_for_one_name() -> None:
    one = pod(GPU, {"nvidia.com/use-gpuuuid": "GPU-a,GPU-b", USE: "Tesla T4,x"})

    assert Code.LIST_NOT_SPLIT in codes(one, profile=Profile.V0_0_1)
    assert Code.LIST_NOT_SPLIT not in codes(one)


def test_the_first_version_does_not_exclude() -> None:
    assert codes(pod(GPU, {NO_USE: ""}), profile=Profile.V0_0_1) == {Code.EXCLUSION_DROPPED}


def test_old_names_of_hygon_are_not_read() -> None:
    annotations = {"hygon.com/use-dcutype": "Z100", "hygon.com/nouse-dcutype": "K100"}
    hygon = {"hygon.com/hcunum": 1}
    found = warned(pod(hygon, {"hygon.com/use-dcutype": "Z100"}))[Code.ANNOTATION_DROPPED]

    assert found.severity is Severity.DIFFERS
    assert found.instead == "# no hygon.com/use-dcutype at all\nhygon.com/use-hcutype: Z100"
    assert Code.ANNOTATION_DROPPED in codes(pod(hygon, annotations))


def test_an_empty_type_of_ascend_was_never_read() -> None:
    found = codes(pod({"huawei.com/Ascend310P": 1}, {"hami.io/use-nputype": " "}))

    assert Code.TYPE_EMPTY_NEWLY_READ in found
    assert Code.TYPE_EMPTY not in found
