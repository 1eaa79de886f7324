from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from demo.store import Object
from demo.story.manifests import request
from demo.story.placement import Books, Inventory, Shelf, Supply
from demo.story.selecting import UnknownForm, admits, attribute_selector, uuid_selector

DRIVER = "gpu.example.com"
POLICY = {"default": "80Gi", "validRange": {"min": "1Gi", "max": "80Gi", "step": "1Gi"}}


def card(name: str, **fields: Any) -> Object:
    return {
        "name": name,
        "attributes": {"type": {"string": "gpu"}},
        "capacity": {"memory": {"value": "80Gi"}},
        **fields,
    }


def shared_card(name: str) -> Object:
    capacity = {"memory": {"value": "80Gi", "requestPolicy": POLICY}}
    return card(name, allowMultipleAllocations=True, capacity=capacity)


def pool(
    *devices: Object,
    name: str = "n1",
    slices: int = 1,
    generation: int = 1,
    counters: list[Object] | None = None,
) -> Object:
    spec: Object = {
        "driver": DRIVER,
        "pool": {"name": name, "generation": generation, "resourceSliceCount": slices},
        "nodeName": "n1",
        "devices": list(devices),
    }
    if counters:
        spec["sharedCounters"] = counters
    return {"metadata": {"name": f"{name}-{generation}-{len(devices)}"}, "spec": spec}


def ids() -> Iterator[str]:
    return (f"share-{number}" for number in count())


def place(slices: list[Object], *requests: Object, held: list[Object] | None = None) -> list[Object] | None:
    taken = [{"status": {"allocation": {"devices": {"results": held or []}}}}]
    supply = Supply(Inventory.read(slices), Books.read(taken), {DRIVER: [f'device.driver == "{DRIVER}"']})
    return Shelf(supply).place({"spec": {"devices": {"requests": list(requests)}}}, "n1", ids())


def memory(amount: str, **more: Any) -> Object:
    return request("gpu", DRIVER, capacity={"memory": amount}, **more)


def result(device: str, **more: Any) -> Object:
    return {"request": "gpu", "driver": DRIVER, "pool": "n1", "device": device, **more}


def share(device: str, amount: str) -> Object:
    return result(device, shareID="s", consumedCapacity={"memory": amount})


def devices_of(placed: list[Object] | None) -> list[str] | None:
    return [each["device"] for each in placed] if placed is not None else None


def test_the_first_device_that_fits_is_taken() -> None:
    assert devices_of(
        place([pool(shared_card("a"), shared_card("b"))], memory("30Gi"), held=[share("a", "60Gi")])
    ) == ["b"]


@pytest.mark.parametrize(
    ("asked", "taken"), [("1500Mi", "2Gi"), ("1", "1Gi"), ("8589934592", "8Gi"), ("80Gi", "80Gi")]
)
def test_a_share_is_rounded_up_to_the_step(asked: str, taken: str) -> None:
    placed = place([pool(shared_card("a"))], memory(asked))
    assert placed is not None
    assert placed[0]["consumedCapacity"] == {"memory": taken}


def test_more_than_the_largest_share_fits_nowhere() -> None:
    assert place([pool(shared_card("a"))], memory("81Gi")) is None


def test_what_is_not_asked_for_is_taken_by_default() -> None:
    placed = place([pool(shared_card("a"))], request("gpu", DRIVER))
    assert placed is not None
    assert placed[0]["consumedCapacity"] == {"memory": "80Gi"}


def test_an_unknown_capacity_fits_nowhere() -> None:
    assert place([pool(shared_card("a"))], request("gpu", DRIVER, capacity={"cores": "1"})) is None


def test_a_dedicated_device_is_taken_whole() -> None:
    placed = place([pool(card("a"))], memory("1Gi"))
    assert placed == [result("a")]
    assert place([pool(card("a"))], memory("1Gi"), held=[result("a")]) is None


def test_admin_access_takes_nothing_and_needs_no_free_device() -> None:
    placed = place([pool(card("a"))], request("gpu", DRIVER, admin_access=True), held=[result("a")])
    assert placed == [result("a", adminAccess=True)]
    assert devices_of(place([pool(card("a"))], memory("1Gi"), held=placed)) == ["a"]


def test_results_of_one_request_are_on_distinct_devices() -> None:
    slices = [pool(shared_card("a"), shared_card("b"))]
    assert devices_of(place(slices, memory("10Gi", count=2))) == ["a", "b"]
    assert place(slices, memory("10Gi", count=3)) is None


def test_two_requests_may_share_a_device() -> None:
    other = memory("10Gi") | {"name": "other"}
    assert devices_of(place([pool(shared_card("a"))], memory("10Gi"), other)) == ["a", "a"]


def test_an_untolerated_taint_keeps_claims_away() -> None:
    tainted = card("a", taints=[{"key": "xid", "value": "48", "effect": "NoSchedule"}])
    assert devices_of(place([pool(tainted, card("b"))], memory("1Gi"))) == ["b"]
    tolerant = memory("1Gi")
    tolerant["exactly"]["tolerations"] = [{"key": "xid", "operator": "Exists"}]
    assert devices_of(place([pool(tainted)], tolerant)) == ["a"]
    tolerant["exactly"]["tolerations"] = [{"key": "xid", "value": "79"}]
    assert place([pool(tainted)], tolerant) is None


def test_an_incomplete_pool_offers_nothing() -> None:
    assert place([pool(card("a"), slices=2)], memory("1Gi")) is None


def test_only_the_newest_generation_counts() -> None:
    slices = [pool(card("old"), generation=1), pool(card("new"), generation=2)]
    assert devices_of(place(slices, memory("1Gi"))) == ["new"]


def test_partitions_and_the_whole_exclude_each_other() -> None:
    def drawing(name: str, amount: str) -> Object:
        counters = {"memory": {"value": amount}}
        return card(name, consumesCounters=[{"counterSet": "card", "counters": counters}])

    there = [{"name": "card", "counters": {"memory": {"value": "40Gi"}}}]
    slices = [
        pool(slices=2, counters=there),
        pool(drawing("whole", "40Gi"), drawing("half-0", "20Gi"), drawing("half-1", "20Gi"), slices=2),
    ]
    assert devices_of(place(slices, memory("1Gi"))) == ["whole"]
    assert devices_of(place(slices, memory("1Gi"), held=[result("half-0")])) == ["half-1"]
    assert place(slices, memory("1Gi"), held=[result("whole")]) is None


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('device.driver == "gpu.example.com"', True),
        ('device.driver == "npu.example.com"', False),
        (attribute_selector(DRIVER, "type", "gpu"), True),
        (attribute_selector(DRIVER, "model", "L4"), False),
        (uuid_selector(DRIVER, "u1", "u2"), True),
        (uuid_selector(DRIVER, "u3"), False),
        (f'device.driver == "{DRIVER}" && {attribute_selector(DRIVER, "type", "mig")}', False),
    ],
)
def test_selectors_are_decided_by_their_form(expression: str, expected: object) -> None:
    attributes = {f"{DRIVER}/type": "gpu", f"{DRIVER}/uuid": "u2"}
    assert admits(expression, DRIVER, attributes) is expected


def test_a_selector_of_another_form_is_refused() -> None:
    with pytest.raises(UnknownForm):
        admits("device.capacity.size() > 1", DRIVER, {})
