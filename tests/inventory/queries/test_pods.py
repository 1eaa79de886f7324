import pytest
from django.http import QueryDict

from inventory.models import Claim, PodClaim
from inventory.queries import pods
from inventory.viewer import EVERYTHING
from tests.factories import make_claim, make_device, make_node, make_pod, make_share

pytestmark = pytest.mark.django_db


def found(query: str = "") -> list[pods.PodRow]:
    return pods.rows(
        pods.PodFilter(QueryDict(query), viewer=EVERYTHING).filter_queryset(pods.queryset(viewer=EVERYTHING)),
        viewer=EVERYTHING,
    )


def test_a_pod_that_holds_shares_tells_each_with_how_many_hold_it() -> None:
    claim = make_claim("card")
    make_share(make_device("a"), claim)
    make_share(make_device("b"), claim)
    make_pod("one", uses=claim)
    make_pod("two", uses=claim)

    (row,) = found("pod=one")

    assert row.state == "holding"
    assert [(share.claim, share.pods, share.result.device.name) for share in row.shares] == [
        ("card", 2, "a"),
        ("card", 2, "b"),
    ]


def test_a_pod_that_names_a_claim_twice_holds_its_shares_once() -> None:
    claim = make_claim()
    make_share(make_device(), claim)
    pod = make_pod(uses=claim)
    PodClaim.objects.create(pod=pod, name="again", claim_name=claim.name, claim=claim, reserved=True)
    assert len(found()[0].shares) == 1
    assert len(found()[0].claims) == 2


def test_a_pod_without_a_node_waits_and_tells_what_the_scheduler_said() -> None:
    make_pod(
        uses=make_claim(state=Claim.State.PENDING),
        reserved=False,
        phase="Pending",
        scheduling_reason="Unschedulable",
        scheduling_message="0/1 nodes are available.",
    )
    (row,) = found("state=waiting")
    assert row.waiting is not None
    assert (row.waiting.source, row.waiting.message) == ("scheduler", "0/1 nodes are available.")


def test_a_pod_of_which_nothing_was_said_waits_all_the_same() -> None:
    make_pod(phase="Pending")
    (row,) = found()
    assert row.waiting is not None
    assert (row.waiting.source, row.waiting.reason) == ("sliceboard", "NotScheduledYet")


@pytest.mark.parametrize(
    ("phase", "placed", "state"),
    [("Succeeded", True, "finished"), ("Failed", False, "finished"), ("Running", True, "placed")],
)
def test_other_states(phase: str, placed: bool, state: str) -> None:
    make_pod(phase=phase, node=make_node() if placed else None)
    assert found()[0].state == state
    assert found()[0].waiting is None


def test_a_claim_that_is_not_made_yet_is_told_by_its_template() -> None:
    pod = make_pod()
    PodClaim.objects.create(pod=pod, name="card", template_name="half-a-card")
    (claim,) = found()[0].claims
    assert (claim.claim, claim.claim_name, claim.template) == (None, None, "half-a-card")


def test_pods_are_found_by_device_only_where_they_may_use_it() -> None:
    claim = make_claim()
    make_share(make_device("gpu-7"), claim)
    make_pod("holds", uses=claim)
    make_pod("waits", uses=claim, reserved=False)
    assert [row.name for row in found("device=gpu-7")] == ["holds"]
