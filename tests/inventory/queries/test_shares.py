import pytest
from django.http import QueryDict

from inventory.kube.quantity import Quantity, parse
from inventory.queries import shares
from inventory.viewer import EVERYTHING
from tests.factories import (
    asks_for,
    later,
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_node,
    make_pod,
    make_share,
    make_team,
)

pytestmark = pytest.mark.django_db


def found(query: str = "") -> list[shares.ShareRow]:
    return shares.rows(
        shares.ShareFilter(QueryDict(query), viewer=EVERYTHING).filter_queryset(
            shares.queryset(viewer=EVERYTHING)
        ),
        viewer=EVERYTHING,
    )


def test_a_share_names_its_device_claim_and_pods() -> None:
    namespace = make_namespace(team=make_team())
    claim = make_claim("train", namespace=namespace, spec=asks_for("small"))
    device = make_device("npu-0-0", node=make_node("npu-node"), uuid="u-1")
    make_share(device, claim, share_id="s-1", consumed={"memory": "8Gi"}, started_at=later(5))
    make_pod("train-0", uses=claim, workload_kind="Job", workload_name="train")

    (row,) = found()

    assert (row.device.name, row.device.node, row.device.uuid) == ("npu-0-0", "npu-node", "u-1")
    assert (row.claim.namespace, row.claim.name, row.team) == ("team-vision", "train", "vision")
    assert (row.share_id, row.device_class, row.consumed) == ("s-1", "small", {"memory": parse("8Gi")})
    assert [(pod.name, pod.workload and pod.workload.kind) for pod in row.pods] == [("train-0", "Job")]
    assert (row.started_at, row.ended_at, row.source) == (later(5), None, "dra")
    assert row.started_source == "observed"


def test_a_claim_reserved_by_many_pods_is_one_share_with_many_pods() -> None:
    claim = make_claim()
    make_share(make_device(), claim, consumed={"memory": "1Gi"})
    for name in ("a", "b", "c"):
        make_pod(name, uses=claim)

    (row,) = found()

    assert sorted(pod.name for pod in row.pods) == ["a", "b", "c"]
    assert len(found("pod=a&pod=b")) == 1


def test_a_pod_that_waits_for_the_claim_is_not_among_its_pods() -> None:
    claim = make_claim()
    make_share(make_device(), claim)
    make_pod(uses=claim, reserved=False)
    assert found()[0].pods == ()


def test_a_dedicated_share_consumes_nothing_by_name_and_holds_the_whole_device() -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "80Gi")
    make_share(device, dedicated=True)

    (row,) = found()

    assert row.consumed == {}
    assert row.held == {"memory": parse("80Gi")}


def test_admin_access_holds_nothing_whatever_the_allocation_says() -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "0")
    make_share(device, admin_access=True, consumed={"memory": "80Gi"})

    (row,) = found()

    assert row.consumed == {"memory": parse("80Gi")}
    assert row.held == {"memory": Quantity(0)}


def test_an_amount_that_cannot_be_read_is_none_and_says_why() -> None:
    make_share(
        make_device(), consumed={"memory": None}, problem="memory: 'lots' is not a Kubernetes quantity"
    )
    (row,) = found()
    assert row.consumed == {"memory": None}
    assert row.problem == "memory: 'lots' is not a Kubernetes quantity"


def test_shares_are_found_by_the_class_of_their_own_request() -> None:
    make_share(make_device("a"), make_claim(spec=asks_for("small")))
    make_share(make_device("b"), make_claim(spec=asks_for("large")))
    assert [row.device.name for row in found("device_class=large")] == ["b"]


def test_shares_are_found_by_the_labels_of_their_claim() -> None:
    make_share(make_device("a"), make_claim(labels={"app": "train"}))
    make_share(make_device("b"), make_claim())
    assert [row.device.name for row in found("label_selector=app in (train,eval)")] == ["a"]


def test_every_dimension_that_is_consumed_or_held_has_a_name() -> None:
    device = make_device("a")
    make_balance(device, "memory", "80Gi", "80Gi")
    make_share(device)
    make_share(make_device("b"), consumed={"cores": "50"})
    assert shares.dimension_names(shares.queryset(viewer=EVERYTHING)) == ["cores", "memory"]
