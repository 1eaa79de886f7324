import copy

import pytest

from inventory.hami.warnings.corrections import corrected
from inventory.hami.warnings.warning import Code
from tests.inventory.hami.pods import A100, T4, codes, container, pod, pod_of, warned, with_cards

GPU, MEMORY, CORES = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"
USE = "nvidia.com/use-gputype"
KNOWN = with_cards(A100, T4)


def test_what_is_corrected_needs_no_warning() -> None:
    one = pod({GPU: 1, MEMORY: "16Gi", "cpu": 1}, {USE: "A100", "other": "x"})
    better = corrected(one, warned(one, KNOWN).values())

    assert better["spec"]["containers"][0]["resources"]["limits"] == {
        GPU: 1,
        MEMORY: 16384,
        "cpu": 1,
        CORES: 0,
    }
    assert better["metadata"]["annotations"] == {USE: "NVIDIA A100-SXM4-80GB", "other": "x"}
    assert codes(better, KNOWN) == set()


def test_one_warning_may_be_corrected_alone() -> None:
    one = pod({GPU: 1, MEMORY: 1024}, {USE: "A100"})
    better = corrected(one, [warned(one, KNOWN)[Code.TYPE_MATCHES_NONE]])

    assert codes(better, KNOWN) == {Code.CORES_TAKE_ALL}


def test_the_pod_itself_stays_as_it_is() -> None:
    one = pod({GPU: 0}, {USE: ""})
    before = copy.deepcopy(one)
    better = corrected(one, warned(one).values())

    assert one == before
    assert better["spec"]["containers"][0]["resources"]["limits"] == {}
    assert better["metadata"]["annotations"] == {}


def test_only_the_container_of_the_warning_changes() -> None:
    one = pod_of(container({GPU: 1, MEMORY: 1024}), container({GPU: 1, CORES: 10}, "side"))
    better = corrected(one, [warned(one)[Code.CORES_TAKE_ALL]])

    assert better["spec"]["containers"][0]["resources"]["limits"][CORES] == 0
    assert better["spec"]["containers"][1] == one["spec"]["containers"][1]


def test_a_count_that_lacks_is_put_in() -> None:
    one = pod({MEMORY: 1024, CORES: 10})

    assert codes(corrected(one, warned(one).values())) == set()


@pytest.mark.parametrize("code", [Code.NODE_NAME, Code.PERCENTAGE_LEFT])
def test_what_is_no_limit_or_annotation_is_not_corrected(code: Code) -> None:
    one = pod({GPU: 1, "nvidia.com/gpumem-percentage": 100}, nodeName="n1")
    warning = warned(one)[code]

    assert warning.correction is None
    assert corrected(one, [warning]) is one
