import gc
from typing import Any

import msgspec
import pytest

from inventory.kube import kinds
from inventory.kube.decoding import Chunk, ChunkDecoder, Skipped
from inventory.kube.kinds import Kind
from inventory.kube.versions import Lift, lift_claim, lift_slice


def metadata(name: str = "one", **more: Any) -> dict[str, Any]:
    return {"name": name, "uid": f"uid-{name}", **more}


def decoded(kind: Kind[Any], *items: Any) -> Chunk[Any]:
    page = {"kind": f"{kind.kind}List", "metadata": {"resourceVersion": "7"}, "items": list(items)}
    return ChunkDecoder(kind, None).decode(msgspec.json.encode(page))


def slice_of(*devices: Any, name: str = "one") -> dict[str, Any]:
    pool = {"name": "node-1", "generation": 1, "resourceSliceCount": 1}
    return {
        "metadata": metadata(name),
        "spec": {"driver": "gpu.example.com", "pool": pool, "devices": list(devices)},
    }


def claim_with(*results: Any, name: str = "one", **status: Any) -> dict[str, Any]:
    return {
        "metadata": metadata(name, namespace="team-vision"),
        "spec": {},
        "status": {"allocation": {"devices": {"results": list(results)}}, **status},
    }


def result(device: str, **more: Any) -> dict[str, Any]:
    return {"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": device, **more}


@pytest.mark.parametrize("items", [{"items": None}, {"items": []}, {}])
def test_a_list_without_items_is_empty(items: dict[str, Any]) -> None:
    body = msgspec.json.encode({"kind": "PodList", "metadata": {}, **items})

    chunk = ChunkDecoder(kinds.PODS, None).decode(body)

    assert (chunk.objects, chunk.skipped) == ([], [])


def test_a_malformed_object_is_skipped_and_the_others_stand() -> None:
    nameless = {"metadata": metadata("bad", namespace="team-vision"), "spec": "none"}

    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(name="a"), nameless, claim_with(name="b"))

    assert [claim.metadata.name for claim in chunk.objects] == ["a", "b"]
    assert chunk.skipped == [
        Skipped(
            "ResourceClaim", "team-vision", "bad", "uid-bad", "Expected `object`, got `str` - at `$.spec`"
        )
    ]


@pytest.mark.parametrize("item", [None, 5, "text", [], {}, {"metadata": None}, {"metadata": {"uid": 5}}])
def test_an_object_without_names_is_skipped_without_them(item: Any) -> None:
    chunk = decoded(kinds.NODES, item, {"metadata": metadata("node-1")})

    assert [node.metadata.name for node in chunk.objects] == ["node-1"]
    assert [(skipped.name, skipped.uid) for skipped in chunk.skipped] == [("", "")]


@pytest.mark.parametrize("lift", [None, lift_claim])
@pytest.mark.parametrize(
    "parameters",
    [
        b"[" * 4000 + b"]" * 4000,
        b'"\xff\xfe"',
        rb'"\ud800"',
        rb'"\u0000"',
        b"1e999",
        b"1" * 5000,
    ],
    ids=["nested", "no UTF-8", "half a pair", "NUL", "too large", "too long"],
)
def test_whatever_the_parameters_of_a_claim_are_it_stays_in_the_books(
    parameters: bytes, lift: Lift | None
) -> None:
    body = (
        b'{"kind": "ResourceClaimList", "metadata": {}, "items": ['
        b'{"metadata": {"name": "odd"}, "spec": {"devices": {"config": [{"opaque": {"parameters": '
        + parameters
        + b'}}]}}}, {"metadata": {"name": "other"}, "spec": {}}]}'
    )

    chunk = ChunkDecoder(kinds.RESOURCE_CLAIMS, lift).decode(body)

    assert [claim.metadata.name for claim in chunk.objects] == ["odd", "other"]
    assert chunk.skipped == []


def test_a_name_that_no_api_server_allows_is_cut_in_the_report() -> None:
    (skipped,) = decoded(kinds.PODS, {"metadata": metadata("x" * 5000)}).skipped

    assert skipped.name == "x" * 253


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"items": []}', b'{"kind": "PodList", "metadata": {}']
)
def test_what_is_no_list_is_refused(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        ChunkDecoder(kinds.PODS, None).decode(body)


# Slices


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


@pytest.mark.parametrize("value", [0.5, True, None, {}, []])
def test_anything_else_for_a_quantity_spoils_its_device(value: Any) -> None:
    chunk = decoded(
        kinds.RESOURCE_SLICES, slice_of({"name": "gpu-0", "capacity": {"memory": {"value": value}}})
    )

    assert [skipped.part for skipped in chunk.skipped] == ["device gpu-0"]


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
    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0"), result("gpu-1", request=None)))

    assert [allocated.device for allocated in chunk.objects[0].status.allocation.results()] == ["gpu-0"]
    assert [skipped.part for skipped in chunk.skipped] == ["allocation result gpu.example.com/node-1/gpu-1"]


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
    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0", shareID="s-1", consumedCapacity="all")))

    share = chunk.objects[0].status.allocation.results()[0]
    assert (share.device, share.share_id, share.consumed_capacity) == ("gpu-0", "s-1", None)
    assert [skipped.reason for skipped in chunk.skipped] == ["consumedCapacity: expected an object, got str"]


def test_a_consumed_amount_of_any_kind_stays_as_it_came() -> None:
    consumed = {"memory": "8Gi", "cores": 50, "odd": None}

    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0", consumedCapacity=consumed)))

    assert chunk.objects[0].status.allocation.results()[0].consumed_capacity == consumed


def test_a_malformed_consumer_is_told_and_the_others_stand() -> None:
    consumers = [{"resource": "pods", "name": "a", "uid": "u-a"}, {"resource": "pods", "name": 5}, 7]

    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with(result("gpu-0"), reservedFor=consumers))

    assert [consumer.name for consumer in chunk.objects[0].status.reserved_for] == ["a"]
    assert [skipped.part for skipped in chunk.skipped] == ["consumer 1", "consumer 2"]


# Others


def test_a_malformed_condition_does_not_hide_its_pod() -> None:
    conditions = [
        {"type": "PodScheduled", "lastTransitionTime": "yesterday"},
        {"type": "Ready", "status": "True"},
    ]
    pod = {"metadata": metadata(), "spec": {}, "status": {"conditions": conditions}}

    chunk = decoded(kinds.PODS, pod)

    assert [condition.type for condition in chunk.objects[0].status.conditions] == ["Ready"]
    assert [skipped.part for skipped in chunk.skipped] == ["condition 0"]


def test_the_collector_runs_again_after_a_chunk_that_could_not_be_read() -> None:
    with pytest.raises(msgspec.DecodeError):
        ChunkDecoder(kinds.PODS, None).decode(b"no JSON")

    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        decoded(kinds.NODES)
        assert not gc.isenabled()
    finally:
        gc.enable()
