from typing import Any

import pytest

from inventory.dra.simulator.claims import Claim, SpecError, UnknownFieldError, claim
from inventory.kube.quantity import parse


def read(*requests: Any, **devices: Any) -> Claim:
    return claim("team", "c", {"devices": {"requests": list(requests), **devices}})


def exactly(**fields: Any) -> dict[str, Any]:
    return {"name": "r", "exactly": {"deviceClassName": "gpu", **fields}}


def alternatives(*names: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"name": name, "deviceClassName": "gpu", **fields} for name in names]


def test_what_is_not_said_is_as_the_api_server_would_write_it() -> None:
    ((request,),) = read(exactly()).requests
    assert (request.count, request.everything, request.admin_access) == (1, False, False)


def test_alternatives_are_named_by_their_request_too() -> None:
    inner = [{"name": "big", "deviceClassName": "gpu"}, {"name": "small", "deviceClassName": "gpu"}]
    (alternatives,) = read({"name": "r", "firstAvailable": inner}).requests
    assert [one.result_name for one in alternatives] == ["r/big", "r/small"]
    assert {one.main for one in alternatives} == {"r"}


def test_quantities_may_be_json_numbers() -> None:
    ((request,),) = read(exactly(capacity={"requests": {"memory": 8589934592, "cores": "30"}})).requests
    assert request.capacity == {"memory": parse("8Gi"), "cores": parse("30")}


@pytest.mark.parametrize(
    ("devices", "told"),
    [
        ({"requests": []}, "without a request"),
        ({"requests": [{"name": "r"}]}, r"requests\[r\]: expected either"),
        ({"requests": [{"name": "r", "exactly": {"count": 2}}]}, "deviceClassName is missing"),
        ({"requests": [exactly(), exactly()]}, "two have the name r"),
        ({"requests": [exactly(count=0)]}, "count 0 is below one"),
        ({"requests": [{**exactly(), "name": ""}]}, "1 to 63 characters"),
        (
            {"requests": [exactly(selectors=[{"cel": {"expression": "true"}}] * 33)]},
            "33 are more than the 32",
        ),
        ({"requests": [exactly(tolerations=[{"operator": "Exists"}] * 17)]}, "17 are more than the 16"),
        ({"requests": [{"name": "r", "firstAvailable": alternatives("a", "a")}]}, "two have the name a"),
        (
            {"requests": [{"name": "r", "firstAvailable": alternatives(*"abcdefghi")}]},
            "9 are more than the 8",
        ),
        ({"requests": [exactly(capacity={"requests": {"memory": "lots"}})]}, r"capacity.requests\[memory\]"),
        ({"requests": [exactly(capacity={"requests": {"memory": "-1"}})]}, "below zero"),
        ({"requests": [exactly(count="two")]}, "Expected `int"),
        ({"requests": [exactly()], "constraints": [{}]}, "expected either matchAttribute"),
        ({"requests": [exactly()], "constraints": [{"matchAttribute": "numa"}]}, "no qualified name"),
        (
            {"requests": [exactly()], "constraints": [{"matchAttribute": "a/b", "requests": ["other"]}]},
            "no request is named other",
        ),
        ({"requests": [{"name": f"r{n}", "exactly": {"deviceClassName": "g"}} for n in range(33)]}, "33"),
    ],
)
def test_a_claim_that_no_api_server_takes_is_refused(devices: dict[str, Any], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        claim("team", "c", {"devices": devices})


@pytest.mark.parametrize(
    "fields",
    [
        {"derivedAttributes": []},
        {"allocationMode": "Some"},
        {"selectors": [{"rego": "true"}]},
        {"selectors": [{}]},
    ],
)
def test_a_field_that_is_not_known_here_is_never_skipped_over(fields: dict[str, Any]) -> None:
    with pytest.raises(UnknownFieldError):
        read(exactly(**fields))


def test_admin_access_cannot_be_asked_for_in_an_alternative() -> None:
    with pytest.raises(UnknownFieldError, match="adminAccess"):
        read({"name": "r", "firstAvailable": alternatives("a", adminAccess=True)})
