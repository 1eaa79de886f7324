from typing import Any

import pytest
from django.http import QueryDict

from inventory.models import Claim, Consumer, DeviceClass
from inventory.queries import claims
from inventory.viewer import EVERYTHING
from tests.factories import (
    READ_AT,
    asks_for,
    later,
    make_claim,
    make_cluster,
    make_device,
    make_pod,
    make_share,
)

pytestmark = pytest.mark.django_db


def found(query: str = "") -> list[claims.ClaimRow]:
    return claims.rows(
        claims.ClaimFilter(QueryDict(query), viewer=EVERYTHING).filter_queryset(
            claims.queryset(viewer=EVERYTHING)
        ),
        viewer=EVERYTHING,
    )


def pending(**fields: Any) -> Claim:
    return make_claim(state=Claim.State.PENDING, **fields)


def test_a_claim_tells_what_was_asked_for() -> None:
    request = {
        "deviceClassName": "gpu",
        "selectors": [{"cel": {"expression": "device.driver == 'x'"}}],
        "allocationMode": "ExactCount",
        "count": 2,
        "capacity": {"requests": {"memory": "8Gi"}},
    }
    make_claim(spec={"devices": {"requests": [{"name": "card", "exactly": request}]}})

    (asked,) = found()[0].requests

    assert (asked.name, asked.device_class, asked.count) == ("card", "gpu", 2)
    assert asked.selectors == ("device.driver == 'x'",)
    assert asked.capacity == {"memory": "8Gi"}


def test_all_devices_have_no_count() -> None:
    make_claim(
        spec={
            "devices": {
                "requests": [{"name": "x", "exactly": {"deviceClassName": "c", "allocationMode": "All"}}]
            }
        }
    )
    assert found()[0].requests[0].count is None


def test_the_entries_of_a_first_available_are_named_as_results_name_them() -> None:
    entries = [{"name": "big", "deviceClassName": "large"}, {"name": "one", "deviceClassName": "small"}]
    make_claim(spec={"devices": {"requests": [{"name": "card", "firstAvailable": entries}]}})
    assert [asked.name for asked in found()[0].requests] == ["card/big", "card/one"]


@pytest.mark.parametrize("spec", [{}, {"devices": None}, {"devices": {"requests": "all"}}, {"devices": []}])
def test_a_spec_that_cannot_be_understood_asks_for_nothing(spec: dict[str, object]) -> None:
    make_claim(spec=spec)
    assert found()[0].requests == ()


def test_one_request_that_cannot_be_read_spoils_no_other() -> None:
    requests = [{"name": 7}, {"name": "card", "exactly": {"deviceClassName": "gpu"}}]
    make_claim(spec={"devices": {"requests": requests}})
    assert [asked.name for asked in found()[0].requests] == ["card"]


def test_ages_belong_to_the_snapshot() -> None:
    make_claim(created_at=later(-90), allocated_at=later(-88))
    (row,) = found()
    assert (row.age_seconds, row.seconds_to_allocate) == (90, 2)


@pytest.mark.parametrize(("apart", "took"), [(2, 0), (3600, None)])
def test_a_claim_was_not_allocated_before_it_was_made(apart: int, took: int | None) -> None:
    make_claim(created_at=later(-90), allocated_at=later(-90 - apart))
    (row,) = found()
    assert (row.allocated_at, row.seconds_to_allocate) == (later(-90 - apart), took)


def test_what_the_server_did_not_write_is_not_known() -> None:
    make_claim(created_at=READ_AT)
    assert found()[0].seconds_to_allocate is None


def test_results_come_in_the_order_of_the_allocation() -> None:
    claim = make_claim()
    for name in ("b", "a"):
        make_share(make_device(name), claim)
    assert [result.device.name for result in found()[0].allocation] == ["b", "a"]


def test_consumers_that_are_no_pods_are_told_too() -> None:
    claim = make_claim()
    Consumer.objects.create(
        claim=claim, position=0, api_group="scheduling.k8s.io", resource="podgroups", name="gang", gone=None
    )
    assert found()[0].consumers == (claims.ConsumerRow("scheduling.k8s.io", "podgroups", "gang", None, None),)


def test_a_pod_that_names_the_claim_is_told_with_whether_it_may_use_it() -> None:
    claim = make_claim()
    make_pod("runs", uses=claim)
    make_pod("waits", uses=claim, reserved=False)
    assert {one.pod.name: one.reserved for one in found()[0].pods} == {"runs": True, "waits": False}


def test_an_allocated_claim_waits_for_nothing() -> None:
    make_claim()
    assert found()[0].pending is None


def test_a_pending_claim_tells_what_the_scheduler_said() -> None:
    make_pod(
        uses=pending(),
        reserved=False,
        scheduling_reason="Unschedulable",
        scheduling_message="0/9 nodes are available: 9 cannot allocate all claims.",
    )
    told = found()[0].pending
    assert told is not None
    assert (told.source, told.reason) == ("scheduler", "Unschedulable")
    assert told.message.startswith("0/9 nodes")


def test_a_pending_claim_that_no_pod_uses_says_so() -> None:
    pending()
    told = found()[0].pending
    assert told is not None
    assert (told.source, told.reason) == ("sliceboard", "NoConsumer")


def test_a_pending_claim_of_whose_pods_nothing_was_said_says_so() -> None:
    make_pod("train", uses=pending(), reserved=False)
    told = found()[0].pending
    assert told is not None
    assert (told.source, told.reason) == ("sliceboard", "NotScheduledYet")
    assert "train" in told.message


def test_a_pending_claim_of_a_class_that_is_not_there_says_so() -> None:
    DeviceClass.objects.create(cluster=make_cluster(), name="gpu", uid="1")
    pending(spec=asks_for("gpuu"))
    told = found()[0].pending
    assert told is not None
    assert told.reason == "DeviceClassMissing"
    assert "gpuu" in told.message


def test_where_no_class_was_read_none_is_called_missing() -> None:
    pending(spec=asks_for("gpu"))
    told = found()[0].pending
    assert told is not None
    assert told.reason == "NoConsumer"


def test_claims_are_found_by_class_pod_and_device() -> None:
    held = make_claim("held", spec=asks_for("small"))
    make_share(make_device("gpu-7"), held)
    make_pod("train", uses=held)
    pending(name="waits", spec=asks_for("large"))
    assert [row.name for row in found("device_class=large")] == ["waits"]
    assert [row.name for row in found("pod=train")] == ["held"]
    assert [row.name for row in found("device=gpu-7")] == ["held"]
    assert [row.name for row in found("state=pending")] == ["waits"]
