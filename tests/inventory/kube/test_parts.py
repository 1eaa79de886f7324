from typing import Any

import msgspec
import pytest

from inventory.kube import kinds
from inventory.kube.decoding import ChunkDecoder, Skipped
from inventory.kube.quantity import QuantityError, parse
from inventory.kube.versions import lift_slice
from tests.inventory.kube.lists import claim_with, decoded, metadata, result, slice_of


def device_of(**published: Any) -> tuple[Any, list[tuple[str, str]]]:
    """A published device as it is read, with what is told of it."""
    chunk = decoded(kinds.RESOURCE_SLICES, slice_of({"name": "gpu-0", **published}))
    (read,) = chunk.objects[0].spec.devices
    return read, [(skipped.part, skipped.reason) for skipped in chunk.skipped]


def result_of(**fields: Any) -> tuple[Any, list[tuple[str, str]]]:
    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0", **fields)))
    (read,) = chunk.objects[0].status.allocation.results()
    told = [(skipped.part, skipped.reason) for skipped in chunk.skipped]
    return read, [(part.removeprefix("allocation result gpu.example.com/node-1/"), why) for part, why in told]


def test_a_malformed_device_is_left_out_of_its_slice_and_told() -> None:
    chunk = decoded(kinds.RESOURCE_SLICES, slice_of({"name": "gpu-0"}, {"name": "gpu-3", "capacity": 5}))

    assert [device.name for device in chunk.objects[0].spec.devices] == ["gpu-0"]
    assert chunk.skipped == [
        Skipped(
            "ResourceSlice",
            "",
            "one",
            "uid-one",
            "Expected `object | null`, got `int` - at `$.capacity`",
            "device gpu-3",
        )
    ]


@pytest.mark.parametrize("device", [None, "gpu-1", {}, {"name": None}, {"name": 7}])
def test_a_device_without_a_name_is_told_by_its_place(device: Any) -> None:
    chunk = decoded(kinds.RESOURCE_SLICES, slice_of({"name": "gpu-0"}, device))

    assert [skipped.part for skipped in chunk.skipped] == ["device 1"]


def test_a_slice_whose_devices_are_all_malformed_still_counts_for_its_pool() -> None:
    chunk = decoded(kinds.RESOURCE_SLICES, slice_of({"name": 7}))

    assert chunk.objects[0].spec.devices == []
    assert len(chunk.skipped) == 1


def test_a_slice_without_devices_is_read() -> None:
    assert decoded(kinds.RESOURCE_SLICES, slice_of()).objects[0].spec.devices == []


def test_a_slice_without_a_pool_is_skipped() -> None:
    poolless = {"metadata": metadata(), "spec": {"driver": "gpu.example.com"}}

    assert decoded(kinds.RESOURCE_SLICES, poolless).skipped[0].reason == (
        "Object missing required field `pool` - at `$.spec`"
    )


def test_attributes_of_unknown_kinds_stay_as_published() -> None:
    attributes = {"model": {"string": "310P3"}, "links": {"complex": {"re": 1}}, "odd": {}}

    chunk = decoded(kinds.RESOURCE_SLICES, slice_of({"name": "npu-0", "attributes": attributes}))

    assert chunk.objects[0].spec.devices[0].attributes == attributes


def test_a_quantity_that_does_not_parse_stays_text() -> None:
    chunk = decoded(
        kinds.RESOURCE_SLICES, slice_of({"name": "gpu-0", "capacity": {"memory": {"value": "12 elephants"}}})
    )

    assert chunk.objects[0].spec.devices[0].capacity["memory"].value == "12 elephants"
    assert chunk.skipped == []


def test_a_whole_number_for_a_quantity_is_read_as_text() -> None:
    policy = {"default": 1, "validRange": {"min": 0}}
    device = {"name": "gpu-0", "capacity": {"cores": {"value": 100, "requestPolicy": policy}}}

    chunk = decoded(kinds.RESOURCE_SLICES, slice_of(device))

    cores = chunk.objects[0].spec.devices[0].capacity["cores"]
    assert (cores.value, cores.request_policy.default, cores.request_policy.valid_range.min) == (
        "100",
        "1",
        "0",
    )
    assert chunk.skipped == []


def test_a_fraction_for_a_quantity_is_read_as_it_was_written() -> None:
    read, told = device_of(capacity={"cores": {"value": 0.5}})

    assert (read.capacity["cores"].value, told) == ("0.5", [])


@pytest.mark.parametrize(
    "published",
    [5, 0.5, "8Gi", None, [], {}, {"value": True}, {"value": None}, {"value": {}}, {"value": []}],
)
def test_a_capacity_that_is_none_stays_as_a_quantity_that_nobody_can_read(published: Any) -> None:
    read, told = device_of(capacity={"memory": published, "cores": {"value": "100"}})

    assert read.capacity["cores"].value == "100"
    with pytest.raises(QuantityError):
        parse(read.capacity["memory"].value)
    # It is told where quantities are parsed.
    assert told == []


def test_a_request_policy_that_is_none_is_told_and_the_capacity_stands() -> None:
    read, told = device_of(capacity={"memory": {"value": "8Gi", "requestPolicy": {"validValues": 5}}})

    assert (read.capacity["memory"].value, read.capacity["memory"].request_policy) == ("8Gi", None)
    assert [part for part, _ in told] == ["device gpu-0, capacity memory, requestPolicy"]


def test_an_attribute_that_is_no_one_of_stays_as_published() -> None:
    read, told = device_of(attributes={"a": 5, "b": None, "model": {"string": "310P3"}})

    assert read.attributes == {"a": 5, "b": None, "model": {"string": "310P3"}}
    assert told == []


def test_a_malformed_taint_is_told_and_the_others_stand() -> None:
    read, told = device_of(taints=[5, {"key": 5}, {"key": "broken", "effect": "NoSchedule"}])

    assert [taint.key for taint in read.taints] == ["broken"]
    assert [part for part, _ in told] == ["device gpu-0, taint 0", "device gpu-0, taint 1"]


def test_a_taint_keeps_pods_off_even_if_its_time_cannot_be_read() -> None:
    read, told = device_of(taints=[{"key": "broken", "effect": "NoSchedule", "timeAdded": 5}])

    assert [(taint.key, taint.effect, taint.time_added) for taint in read.taints] == [
        ("broken", "NoSchedule", None)
    ]
    assert [part for part, _ in told] == ["device gpu-0, taint 0"]


def test_a_counter_that_cannot_be_read_is_still_drawn_on() -> None:
    drawn = {"counterSet": "gpu-0", "counters": {"memory": 5, "slices": {"value": 1}}}

    read, told = device_of(consumesCounters=[drawn])

    (one,) = read.consumes_counters
    assert one.counters["slices"].value == "1"
    with pytest.raises(QuantityError):
        parse(one.counters["memory"].value)
    assert told == []


@pytest.mark.parametrize(
    ("published", "counter_set"),
    [
        (5, "malformed"),
        ({"counters": {}}, "malformed"),
        ({"counterSet": "x" * 254, "counters": {"memory": {"value": "8Gi"}}}, "malformed"),
        ({"counterSet": "gpu-0", "counters": 5}, "gpu-0"),
        ({"counterSet": "gpu-0", "counters": {"": {"value": "8Gi"}}}, "gpu-0"),
    ],
)
def test_a_malformed_consumption_of_counters_is_told_and_stays_as_a_draw(
    published: Any, counter_set: str
) -> None:
    read, told = device_of(consumesCounters=[published])

    (one,) = read.consumes_counters
    assert one.counter_set == counter_set
    with pytest.raises(QuantityError):
        parse(one.counters["malformed"].value)
    assert [part for part, _ in told] == ["device gpu-0, consumesCounters 0"]


@pytest.mark.parametrize(
    "device",
    [
        {"name": ""},
        {"name": "x" * 254},
        {"name": "gpu-1", "allowMultipleAllocations": "yes"},
        {"name": "gpu-1", "capacity": {"": {"value": "8Gi"}}},
        {"name": "gpu-1", "capacity": {"x" * 254: {"value": "8Gi"}}},
        {"name": "gpu-1", "nodeName": "x" * 254},
    ],
)
def test_a_device_that_cannot_be_told_or_counted_is_left_out(device: Any) -> None:
    chunk = decoded(kinds.RESOURCE_SLICES, slice_of({"name": "gpu-0"}, device))

    assert [device.name for device in chunk.objects[0].spec.devices] == ["gpu-0"]
    assert len(chunk.skipped) == 1
    assert len(chunk.skipped[0].part) <= len("device ") + 253


def test_a_malformed_counter_set_is_left_out_and_told() -> None:
    sharing = slice_of()
    sharing["spec"]["sharedCounters"] = [
        {"name": "gpu-0", "counters": {"slices": {"value": 7}}},
        {"name": "gpu-1", "counters": 1},
    ]

    chunk = decoded(kinds.RESOURCE_SLICES, sharing)

    assert [
        (counters.name, counters.counters["slices"].value)
        for counters in chunk.objects[0].spec.shared_counters
    ] == [("gpu-0", "7")]
    assert [skipped.part for skipped in chunk.skipped] == ["counter set gpu-1"]


def test_a_counter_of_a_set_that_cannot_be_read_is_still_in_it() -> None:
    sharing = slice_of()
    sharing["spec"]["sharedCounters"] = [{"name": "gpu-0", "counters": {"memory": None}}]

    (counters,) = decoded(kinds.RESOURCE_SLICES, sharing).objects[0].spec.shared_counters

    with pytest.raises(QuantityError):
        parse(counters.counters["memory"].value)


@pytest.mark.parametrize(
    "counters", [{"name": ""}, {"name": "gpu-0", "counters": {"x" * 254: {"value": "1"}}}]
)
def test_a_counter_set_without_proper_names_is_left_out(counters: Any) -> None:
    sharing = slice_of()
    sharing["spec"]["sharedCounters"] = [counters]

    chunk = decoded(kinds.RESOURCE_SLICES, sharing)

    assert chunk.objects[0].spec.shared_counters == []
    assert len(chunk.skipped) == 1


def test_an_older_slice_is_lifted_and_judged_alike() -> None:
    old = slice_of(
        {"name": "gpu-0", "basic": {"allowMultipleAllocations": True}},
        {"name": "gpu-1", "basic": {"taints": 5}},
    )
    page = {"kind": "ResourceSliceList", "metadata": {}, "items": [old, None]}

    chunk = ChunkDecoder(kinds.RESOURCE_SLICES, lift_slice).decode(msgspec.json.encode(page))

    assert [device.allow_multiple_allocations for device in chunk.objects[0].spec.devices or ()] == [True]
    assert [skipped.part for skipped in chunk.skipped] == ["device gpu-1", ""]


# Claims


def test_a_malformed_allocation_result_is_told_and_the_others_stand() -> None:
    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0"), result("gpu-1", pool=None)))

    assert [allocated.device for allocated in chunk.objects[0].status.allocation.results()] == ["gpu-0"]
    assert [skipped.part for skipped in chunk.skipped] == ["allocation result gpu.example.com/null/gpu-1"]


@pytest.mark.parametrize("allocation", [5, {"devices": 5}, {"devices": {"results": 5}}])
def test_a_claim_whose_allocation_cannot_be_read_is_skipped(allocation: Any) -> None:
    chunk = decoded(kinds.RESOURCE_CLAIMS, {**claim_with(), "status": {"allocation": allocation}})

    assert chunk.objects == []
    assert [(skipped.uid, skipped.part) for skipped in chunk.skipped] == [("uid-one", "")]


def test_a_claim_without_a_single_readable_result_is_skipped_rather_than_read_as_holding_nothing() -> None:
    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with({"device": "gpu-0"}))

    assert chunk.objects == []
    assert [skipped.part for skipped in chunk.skipped] == [""]


def test_a_consumed_capacity_that_is_no_mapping_is_told_and_the_device_stays_held() -> None:
    read, told = result_of(shareID="s-1", consumedCapacity="all")

    assert (read.device, read.share_id, read.consumed_capacity) == ("gpu-0", "s-1", None)
    assert told == [("gpu-0, consumedCapacity", "Expected `object | null`, got `str`")]


def test_a_consumed_dimension_without_a_proper_name_is_told_and_the_others_stand() -> None:
    read, told = result_of(consumedCapacity={"": "8Gi", "memory": "8Gi"})

    assert read.consumed_capacity == {"memory": "8Gi"}
    assert [part for part, _ in told] == ["gpu-0, consumedCapacity"]


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("tolerations", "x", None),
        ("tolerations", [5], None),
        ("adminAccess", "yes", None),
        ("request", 5, ""),
        ("request", None, ""),
    ],
)
def test_a_malformed_word_about_a_result_is_told_and_the_device_stays_held(
    field: str, value: Any, kept: Any
) -> None:
    read, told = result_of(**{field: value})

    names = {"adminAccess": "admin_access"}
    assert (read.device, getattr(read, names.get(field, field))) == ("gpu-0", kept)
    assert [part for part, _ in told] == [f"gpu-0, {field}"]


def test_a_result_without_a_request_holds_its_device() -> None:
    bare = {"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0"}

    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(bare))

    assert [read.device for read in chunk.objects[0].status.allocation.results()] == ["gpu-0"]
    assert len(chunk.skipped) == 1


@pytest.mark.parametrize(
    ("value", "share_id"),
    [(5, "5"), (5.5, "5.5"), (True, "true"), (["a"] * 99, ('["a"' + ',"a"' * 99)[:100])],
)
def test_a_malformed_share_id_still_says_that_the_result_is_a_share(value: Any, share_id: str) -> None:
    read, told = result_of(shareID=value)

    assert read.share_id == share_id
    assert [part for part, _ in told] == ["gpu-0, shareID"]


@pytest.mark.parametrize("field", ["driver", "pool", "device"])
@pytest.mark.parametrize("name", ["", "x" * 254])
def test_a_result_that_names_no_device_is_told(field: str, name: str) -> None:
    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0"), {**result("gpu-1"), field: name}))

    assert [read.device for read in chunk.objects[0].status.allocation.results()] == ["gpu-0"]
    assert len(chunk.skipped) == 1


def test_a_consumed_amount_of_any_kind_stays_as_it_came() -> None:
    consumed = {"memory": "8Gi", "cores": 50, "odd": None}

    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0", consumedCapacity=consumed)))

    assert chunk.objects[0].status.allocation.results()[0].consumed_capacity == consumed


def test_a_malformed_consumer_is_told_and_the_others_stand() -> None:
    consumers = [{"resource": "pods", "name": "a", "uid": "u-a"}, {"resource": "pods", "name": 5}, 7]

    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0"), reservedFor=consumers))

    assert [consumer.name for consumer in chunk.objects[0].status.reserved_for] == ["a"]
    assert [skipped.part for skipped in chunk.skipped] == ["consumer 1", "consumer 2"]
