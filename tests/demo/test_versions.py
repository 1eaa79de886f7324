import json
from typing import Any

from demo.resources import DEVICE_CLASSES, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS, RESOURCE_SLICES
from demo.versions import as_served, as_stored
from tests.demo.asking import CAPTURES, captured

RECORDED = CAPTURES.parents[2] / "demo" / "recorded"


def test_every_recorded_claim_survives_the_way_through_the_oldest_version() -> None:
    claims = json.loads((RECORDED / "resourceclaims.json").read_text())["items"]
    flat = captured("resourceclaims.v1beta1.json")["items"]
    for claim, older in zip(claims, flat, strict=True):
        assert as_served(RESOURCE_CLAIMS, "v1beta1", claim) == older
        assert as_stored(RESOURCE_CLAIMS, "v1beta1", older) == claim


def test_templates_nest_as_claims_do() -> None:
    template = json.loads((RECORDED / "resourceclaimtemplates.json").read_text())["items"][0]
    flat = as_served(RESOURCE_CLAIM_TEMPLATES, "v1beta1", template)["spec"]
    request = template["spec"]["spec"]["devices"]["requests"][0]
    assert flat["spec"]["devices"]["requests"] == [{"name": request["name"], **request["exactly"]}]
    assert flat["metadata"] == template["spec"]["metadata"]


def test_a_slice_of_counters_and_a_claim_without_requests_stay_as_they_are() -> None:
    counters = {"metadata": {}, "spec": {"driver": "d", "sharedCounters": []}}
    empty: dict[str, Any] = {"metadata": {}, "spec": {"devices": {}}}
    assert as_served(RESOURCE_SLICES, "v1beta1", counters) == counters
    assert as_served(RESOURCE_CLAIMS, "v1beta1", empty) == empty


def test_device_classes_look_the_same_in_every_version() -> None:
    device_class: dict[str, Any] = {"metadata": {}, "spec": {"selectors": []}}
    assert as_served(DEVICE_CLASSES, "v1beta1", device_class) is device_class
