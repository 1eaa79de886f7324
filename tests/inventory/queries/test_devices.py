from decimal import Decimal

import pytest
from django.http import QueryDict
from pytest_django import DjangoAssertNumQueries

from inventory.kube.quantity import Quantity, parse
from inventory.models import Device, Pool
from inventory.queries import devices
from inventory.viewer import EVERYTHING
from tests.factories import (
    asks_for,
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_node,
    make_pod,
    make_pool,
    make_share,
    make_team,
)

pytestmark = pytest.mark.django_db


def found(query: str) -> list[str]:
    return [
        row.name
        for row in devices.rows(
            devices.DeviceFilter(QueryDict(query), viewer=EVERYTHING).filter_queryset(devices.queryset()),
            viewer=EVERYTHING,
        )
    ]


def only() -> devices.DeviceRow:
    (row,) = devices.rows(devices.queryset(), viewer=EVERYTHING)
    return row


def test_a_dimension_carries_its_exact_quantities_and_a_ratio_rounded_down() -> None:
    make_balance(make_device(), "memory", "3", "2")

    memory = only().capacity["memory"]

    assert (memory.total, memory.allocated, memory.remaining) == (parse("3"), parse("2"), parse("1"))
    assert memory.ratio == Decimal("0.666666")
    assert memory.reason is None


def test_a_device_one_byte_short_of_full_does_not_read_as_full() -> None:
    make_balance(make_device(), "memory", "80Gi", str(80 * 2**30 - 1))
    assert only().capacity["memory"].ratio == Decimal("0.999999")


def test_an_unknown_number_is_none_and_says_why() -> None:
    make_balance(make_device(), "memory", None, "1Gi", reason="no current slice lists the device")

    memory = only().capacity["memory"]

    assert memory.total is None
    assert memory.remaining is None
    assert memory.ratio is None
    assert memory.reason == "no current slice lists the device"


def test_a_total_of_zero_has_no_ratio() -> None:
    make_balance(make_device(), "encoders", "0", "0")
    assert only().capacity["encoders"].ratio is None
    assert only().capacity["encoders"].remaining == Quantity(0)


def test_the_request_policy_says_what_a_claim_may_ask() -> None:
    policy = {"default": "80Gi", "validRange": {"min": "1Mi", "max": "80Gi", "step": "1Mi"}}
    device = make_device(capacity={"memory": {"value": "80Gi", "requestPolicy": policy}})
    make_balance(device, "memory", "80Gi", "0")

    read = only().capacity["memory"].request_policy

    assert read is not None
    assert (read.default, read.minimum, read.maximum, read.step) == tuple(
        map(parse, ("80Gi", "1Mi", "80Gi", "1Mi"))
    )


def test_a_request_policy_that_cannot_be_read_is_none() -> None:
    device = make_device(capacity={"memory": {"value": "80Gi", "requestPolicy": {"default": "lots"}}})
    make_balance(device, "memory", "80Gi", "0")
    assert only().capacity["memory"].request_policy is None


def test_the_bottleneck_has_the_ratio_of_its_dimension() -> None:
    device = make_device(bottleneck="cores")
    make_balance(device, "cores", "100", "50")
    assert only().bottleneck == devices.Bottleneck("cores", Decimal("0.500000"))


def test_device_classes_are_those_through_which_claims_came_to_the_device() -> None:
    device = make_device()
    make_share(device, make_claim(spec=asks_for("small")))
    make_share(device, make_claim(spec=asks_for("large")))
    assert only().device_classes == ("large", "small")
    assert only().device_classes_reason is None


def test_the_class_of_a_first_available_request_is_that_of_the_entry_taken() -> None:
    entries = [{"name": "big", "deviceClassName": "large"}, {"name": "one", "deviceClassName": "small"}]
    spec = {"devices": {"requests": [{"name": "card", "firstAvailable": entries}]}}
    make_share(make_device(), make_claim(spec=spec), request="card/one")
    assert only().device_classes == ("small",)


def test_without_a_claim_the_device_classes_are_unknown_with_a_reason() -> None:
    make_device()
    assert only().device_classes is None
    assert only().device_classes_reason == devices.NO_CLASS


def test_admin_access_makes_no_team_a_holder() -> None:
    namespace = make_namespace(team=make_team())
    device = make_device()
    make_share(device, make_claim(namespace=namespace), admin_access=True)
    assert only().teams == ()
    make_share(device, make_claim(namespace=namespace))
    assert only().teams == ("vision",)


@pytest.mark.parametrize(
    ("listed", "tainted", "state"),
    [(True, False, "untainted"), (True, True, "tainted"), (False, False, "unknown")],
)
def test_health_tells_no_taint_from_not_known(listed: bool, tainted: bool, state: str) -> None:
    make_device(listed=listed, tainted=tainted)
    assert only().health.state == state


def test_repeated_values_are_alternatives_and_different_parameters_must_all_hold() -> None:
    for name, node, product in (
        ("a", "n1", "A100"),
        ("b", "n2", "A100"),
        ("c", "n3", "H100"),
        ("d", "n1", "H100"),
    ):
        make_device(name, node=make_node(node), product=product)
    assert found("node=n1&node=n2") == ["a", "b", "d"]
    assert found("node=n1&node=n2&product=A100") == ["a", "b"]


def test_conditions_on_shares_are_asked_of_the_same_share() -> None:
    mixed, matching = make_device("mixed"), make_device("matching")
    vision, nlp = make_namespace("vision"), make_namespace("nlp")
    for device, namespace, pod in (
        (mixed, vision, "train"),
        (mixed, nlp, "eval"),
        (matching, vision, "eval"),
    ):
        claim = make_claim(namespace=namespace)
        make_share(device, claim)
        make_pod(pod, uses=claim)
    assert found("namespace=vision&pod=eval") == ["matching"]


def test_a_pod_that_only_names_a_claim_does_not_hold_its_device() -> None:
    claim = make_claim()
    make_share(make_device(), claim)
    make_pod("waits", uses=claim, reserved=False)
    assert found("pod=waits") == []


def test_devices_are_found_by_the_class_that_was_asked_for() -> None:
    make_share(make_device("a"), make_claim(spec=asks_for("small")))
    make_share(make_device("b"), make_claim(spec=asks_for("large")))
    make_device("c")
    assert found("device_class=small") == ["a"]
    assert found("device_class=small&device_class=large") == ["a", "b"]


def test_a_share_of_one_request_is_not_found_by_the_class_of_another() -> None:
    requests = [
        {"name": "card", "exactly": {"deviceClassName": "small"}},
        {"name": "nic", "firstAvailable": [{"name": "fast", "deviceClassName": "fast-nic"}]},
    ]
    claim = make_claim(spec={"devices": {"requests": requests}})
    make_share(make_device("a"), claim, request="card")
    make_share(make_device("b"), claim, request="nic/fast")
    assert found("device_class=small") == ["a"]
    assert found("device_class=fast-nic") == ["b"]


def test_devices_are_found_by_the_labels_of_their_node() -> None:
    make_device("a", node=make_node("n1", labels={"zone": "a"}))
    make_device("b", node=make_node("n2", labels={"zone": "b"}))
    make_device("nowhere")
    assert found("label_selector=zone=a") == ["a"]
    assert found("label_selector=zone!=a") == ["b", "nowhere"]


def test_a_part_of_a_name_is_found_in_any_case() -> None:
    make_device("a", uuid="GPU-E0C18477")
    make_device("b", uuid="GPU-other")
    assert found("q=e0c1") == ["a"]


def test_unknown_use_comes_last_in_either_order() -> None:
    for name, use in (("half", 500_000), ("unknown", None), ("full", 1_000_000)):
        make_device(name, use_millionths=use)
    assert found("ordering=use") == ["half", "full", "unknown"]
    assert found("ordering=-use") == ["full", "half", "unknown"]


def test_an_empty_value_is_no_condition() -> None:
    make_device("a")
    assert found("node=&state=&q=") == ["a"]


def test_a_thousand_devices_cost_as_many_queries_as_ten(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    pool = make_pool()
    _fill(pool, 10)
    with django_assert_num_queries(3):
        assert len(devices.rows(devices.queryset(), viewer=EVERYTHING)) == 10
    _fill(pool, 990)
    with django_assert_num_queries(3):
        assert len(devices.rows(devices.queryset(), viewer=EVERYTHING)) == 1000


def _fill(pool: Pool, count: int) -> None:
    start = Device.objects.count()
    Device.objects.bulk_create(
        Device(cluster=pool.cluster, pool=pool, name=f"gpu-{number}")
        for number in range(start, start + count)
    )
