from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo import recorded
from inventory.kube.versions import DraVersion, lift_claim, lift_for, lift_slice, lift_template

RECORDED = Path(recorded.__file__).parent
CAPTURED = Path(__file__).parent / "captured"


def items(path: Path) -> dict[str, dict[str, Any]]:
    """The objects of a list by UID, without the bookkeeping that names API versions."""
    listed = msgspec.json.decode(path.read_bytes())["items"]
    for item in listed:
        item["metadata"].pop("managedFields", None)
    return {item["metadata"]["uid"]: item for item in listed}


def test_captured_v1beta1_slices_lift_to_what_v1_serves() -> None:
    lifted = {uid: lift_slice(item) for uid, item in items(CAPTURED / "resourceslices.v1beta1.json").items()}

    assert lifted == items(RECORDED / "resourceslices.json")


def test_captured_v1beta1_claims_lift_to_what_v1_serves() -> None:
    lifted = {uid: lift_claim(item) for uid, item in items(CAPTURED / "resourceclaims.v1beta1.json").items()}

    assert lifted == items(RECORDED / "resourceclaims.json")


def test_captured_v1beta2_claims_are_spelled_like_v1() -> None:
    assert items(CAPTURED / "resourceclaims.v1beta2.json") == items(RECORDED / "resourceclaims.json")


def test_the_requests_of_a_template_are_nested_like_those_of_a_claim() -> None:
    template = {
        "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu", "count": 2}]}}}
    }

    lifted = lift_template(template)

    request = lifted["spec"]["spec"]["devices"]["requests"][0]
    assert request == {"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": 2}}


def test_a_prioritised_list_stays_beside_the_name() -> None:
    request = {"name": "gpu", "firstAvailable": [{"name": "big", "deviceClassName": "gpu"}]}

    assert lift_claim({"spec": {"devices": {"requests": [request]}}})["spec"]["devices"]["requests"] == [
        request
    ]


def test_fields_not_known_yet_are_lifted_along() -> None:
    request = {"name": "gpu", "deviceClassName": "gpu", "derivedAttributes": [1]}

    lifted = lift_claim({"spec": {"devices": {"requests": [request]}}})["spec"]["devices"]["requests"][0]

    assert lifted["exactly"]["derivedAttributes"] == [1]


@pytest.mark.parametrize("version", [DraVersion.V1, DraVersion.V1BETA2])
def test_newer_versions_need_no_lift(version: DraVersion) -> None:
    assert lift_for("resourceslices", version) is None


def test_device_classes_are_the_same_in_all_versions() -> None:
    assert lift_for("deviceclasses", DraVersion.V1BETA1) is None


JSON = st.recursive(
    st.sampled_from([None, True, 1, "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["spec", "devices", "requests", "basic", "exactly", "name", "firstAvailable", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.sampled_from(["spec", "metadata"]), JSON, max_size=2)
REQUESTS = st.lists(st.dictionaries(st.sampled_from(["name", "exactly", "count", "firstAvailable"]), JSON))
DEVICES = st.lists(st.dictionaries(st.sampled_from(["name", "attributes"]), JSON))


@given(OBJECTS)
def test_whatever_an_object_looks_like_lifting_does_not_fail(wire: dict[str, Any]) -> None:
    for lift in (lift_slice, lift_claim, lift_template):
        lift(wire)


@given(REQUESTS)
def test_a_claim_that_is_lifted_already_stays_the_same(requests: list[dict[str, Any]]) -> None:
    lifted = lift_claim({"spec": {"devices": {"requests": requests}}})

    assert lift_claim(lifted) == lifted


@given(DEVICES)
def test_a_slice_in_the_shape_of_v1_stays_the_same(devices: list[dict[str, Any]]) -> None:
    slice_ = {"spec": {"devices": devices}}

    assert lift_slice(slice_) == slice_
