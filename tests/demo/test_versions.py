import json

from demo.resources import RESOURCE_CLAIMS
from demo.versions import as_served, as_stored
from tests.demo.asking import CAPTURES, captured

RECORDED = CAPTURES.parents[2] / "demo" / "recorded"


def test_every_recorded_claim_survives_the_way_through_the_oldest_version() -> None:
    claims = json.loads((RECORDED / "resourceclaims.json").read_text())["items"]
    flat = captured("resourceclaims.v1beta1.json")["items"]
    for claim, older in zip(claims, flat, strict=True):
        assert as_served(RESOURCE_CLAIMS, "v1beta1", claim) == older
        assert as_stored(RESOURCE_CLAIMS, "v1beta1", older) == claim
