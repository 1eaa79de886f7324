from fractions import Fraction
from typing import Any

import pytest

from inventory.dra.quotas.pending import Kind, of_request
from inventory.dra.quotas.standing import Measured
from inventory.dra.simulator.capacity import Dimension, Policy, Range
from inventory.dra.simulator.claims import Request
from inventory.kube.quantity import parse
from inventory.reasons import Reason

GIB = 2**30


def kind(*, shareable: bool = True, memory: str = "80Gi", step: str = "", **fields: Any) -> Kind:
    policy = Policy(range=Range(parse("0"), step=parse(step))) if step else None
    dimensions = {"memory": Dimension(parse(memory), policy), "cores": Dimension(parse("100"))}
    card = {"memory": parse(memory), "cores": parse("100")}
    return Kind(
        **{
            "driver": "gpu",
            "shareable": shareable,
            "partition": False,
            "dimensions": dimensions,
            "card": card,
            **fields,
        }
    )


def request(**fields: Any) -> Request:
    capacity = {name: parse(text) for name, text in fields.pop("capacity", {}).items()}
    return Request(**{"name": "card", "device_class": "gpu", "capacity": capacity, **fields})


def only(dimension: str, one: Request, *kinds: Kind) -> Measured:
    return of_request(dimension, [(one, kinds)])


def test_a_request_takes_what_it_asks_times_its_count() -> None:
    assert only("memory", request(count=3, capacity={"memory": "8Gi"}), kind()).exact == 24 * GIB


def test_what_is_asked_is_rounded_by_the_policy_of_the_device() -> None:
    asked = request(capacity={"memory": "7Gi"})
    assert only("memory", asked, kind(step="2Gi")).exact == 8 * GIB


def test_what_is_not_asked_is_all_of_the_device() -> None:
    assert only("cores", request(capacity={"memory": "8Gi"}), kind()).exact == 100
    assert only("memory", request(), kind(shareable=False)).exact == 80 * GIB


def test_devices_that_would_give_different_amounts_leave_it_open() -> None:
    found = only("memory", request(), kind(), kind(memory="40Gi"))
    assert (found.exact, found.reasons) == (None, (Reason.AMOUNTS_DIFFER,))


def test_a_device_that_can_never_meet_it_is_no_choice() -> None:
    asked = request(capacity={"memory": "60Gi"})
    assert only("memory", asked, kind(), kind(memory="40Gi", step="1Gi")).exact == 60 * GIB
    assert only("memory", request(capacity={"vram": "1"}), kind()).reasons == (Reason.NO_DEVICE,)


@pytest.mark.parametrize(
    ("one", "kinds", "reason"),
    [
        (request(everything=True), [kind()], Reason.ALL_DEVICES),
        (request(), [kind(), kind(counted=False)], Reason.ANY_SET),
        (request(), [], Reason.NO_DEVICE),
    ],
)
def test_where_it_cannot_be_told_it_is_unknown_and_says_why(
    one: Request, kinds: list[Kind], reason: str
) -> None:
    found = of_request("cards", [(one, kinds)])
    assert (found.exact, found.unknown, found.reasons) == (None, 1, (reason,))


def test_admin_access_takes_nothing_and_devices_outside_do_not_count() -> None:
    assert only("memory", request(admin_access=True), kind()).exact == 0
    assert only("memory", request(), kind(counted=False)).exact == 0


def test_alternatives_count_where_all_of_them_come_to_the_same() -> None:
    asked = request(capacity={"memory": "8Gi"})
    assert of_request("memory", [(asked, [kind()]), (asked, [kind(memory="40Gi")])]).exact == 8 * GIB
    other = request(capacity={"memory": "4Gi"})
    assert of_request("memory", [(asked, [kind()]), (other, [kind()])]).reasons == (Reason.AMOUNTS_DIFFER,)


def test_card_equivalents_are_the_larger_share_and_a_whole_device_is_one() -> None:
    asked = request(capacity={"memory": "8Gi", "cores": "30"})
    assert only("card_equivalents", asked, kind()).exact == Fraction(3, 10)
    assert only("card_equivalents", request(), kind(shareable=False)).exact == 1
    part = kind(
        shareable=False, memory="10Gi", partition=True, card={"memory": parse("80Gi"), "cores": parse("400")}
    )
    assert only("card_equivalents", request(), part).exact == Fraction(1, 4)


def test_a_limit_without_a_domain_concerns_a_dimension_of_any_driver() -> None:
    of_domain = kind(dimensions={"gpu.example.com/memory": Dimension(parse("80Gi"))})
    assert only("memory", request(), of_domain).exact == 80 * GIB
    assert only("gpu.example.com/memory", request(), of_domain).exact == 80 * GIB
    assert only("npu.example.com/memory", request(), of_domain).exact == 0
