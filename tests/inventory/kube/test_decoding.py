import gc
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from inventory.kube import kinds
from inventory.kube.decoding import ChunkDecoder, Skipped
from inventory.kube.kinds import KINDS
from inventory.kube.versions import Lift, lift_claim
from tests.inventory.kube.lists import claim_with, decoded, metadata, slice_of


@pytest.mark.parametrize("items", [{"items": None}, {"items": []}, {}])
def test_a_list_without_items_is_empty(items: dict[str, Any]) -> None:
    body = msgspec.json.encode({"kind": "PodList", "metadata": {}, **items})

    chunk = ChunkDecoder(kinds.PODS, None).decode(body)

    assert (chunk.objects, chunk.skipped) == ([], [])


def test_a_malformed_object_is_skipped_and_the_others_stand() -> None:
    nameless = {"metadata": metadata("bad"), "spec": "none"}

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
        b'{"metadata": {"name": "odd", "namespace": "a", "uid": "1"}, '
        b'"spec": {"devices": {"config": [{"opaque": {"parameters": '
        + parameters
        + b'}}]}}}, {"metadata": {"name": "other", "namespace": "a", "uid": "2"}, "spec": {}}]}'
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


def test_a_malformed_condition_does_not_hide_its_pod() -> None:
    conditions = [
        {"type": "PodScheduled", "status": 5},
        {"type": "Ready", "status": "True"},
    ]
    pod = {"metadata": metadata(), "spec": {}, "status": {"conditions": conditions}}

    chunk = decoded(kinds.PODS, pod)

    assert [condition.type for condition in chunk.objects[0].status.conditions] == ["Ready"]
    assert [skipped.part for skipped in chunk.skipped] == ["condition 0"]


# Numbers


@pytest.mark.parametrize("lift", [None, lift_claim])
@pytest.mark.parametrize("written", ["1e300", "0.10", "1.0", "-2.50E-7", "1e999"])
def test_a_number_that_no_float_keeps_exactly_is_text_as_it_was_written(
    written: str, lift: Lift | None
) -> None:
    claim = msgspec.json.encode(
        {"metadata": metadata(), "spec": {"ratio": msgspec.Raw(written.encode()), "count": 2**70}}
    )
    body = b'{"kind": "ResourceClaimList", "metadata": {}, "items": [' + claim + b"]}"

    (read,) = ChunkDecoder(kinds.RESOURCE_CLAIMS, lift).decode(body).objects

    assert read.spec == {"ratio": written, "count": 2**70}


def test_a_number_is_no_name() -> None:
    chunk = decoded(kinds.NODES, {"metadata": metadata() | {"name": 1.5}})

    assert [skipped.reason for skipped in chunk.skipped] == [
        "Expected `str`, got `float` - at `$.metadata.name`"
    ]


@pytest.mark.parametrize("field", ["generation", "resourceSliceCount"])
@pytest.mark.parametrize("number", [-1, 2**63, 2**70])
def test_a_slice_with_a_number_that_is_no_count_is_skipped(field: str, number: int) -> None:
    odd = slice_of(name="odd")
    odd["spec"]["pool"][field] = number

    chunk = decoded(kinds.RESOURCE_SLICES, odd, slice_of())

    assert [one.metadata.name for one in chunk.objects] == ["one"]
    assert [(skipped.name, skipped.part) for skipped in chunk.skipped] == [("odd", "")]
    assert "Expected `int`" in chunk.skipped[0].reason


# Points in time


@pytest.mark.parametrize("field", ["creationTimestamp", "deletionTimestamp"])
@pytest.mark.parametrize(
    "written",
    [
        "9999-12-31T23:59:59-10:00",
        "9999-12-31T00:00:00Z",
        "0001-01-01T00:00:00+10:00",
        "0001-01-01T00:00:00Z",
        "2026-03-01T09:30:00",
        "yesterday",
        5,
        1.5,
    ],
)
def test_a_time_that_cannot_be_kept_is_told_and_absent(field: str, written: Any) -> None:
    chunk = decoded(kinds.RESOURCE_CLAIMS, claim_with() | {"metadata": metadata(**{field: written})})

    assert chunk.objects[0].moments() == (None, None, None)
    assert [(skipped.name, skipped.part) for skipped in chunk.skipped] == [("one", f"metadata.{field}")]


def test_the_time_of_an_allocation_that_cannot_be_kept_is_told_and_absent() -> None:
    claim = claim_with()
    claim["status"]["allocation"]["allocationTimestamp"] = "9999-12-31T23:59:59-10:00"

    chunk = decoded(kinds.RESOURCE_CLAIMS, claim)

    assert chunk.objects[0].status.allocation.allocation_timestamp is None
    assert [(skipped.part, skipped.reason) for skipped in chunk.skipped] == [
        ("status.allocation.allocationTimestamp", "the time is too far from now to be kept")
    ]


@pytest.mark.parametrize(
    "written", ["2026-03-01T09:30:00Z", "2026-03-01T17:30:00+08:00", "2026-03-01T00:00:00-09:30"]
)
def test_every_time_is_in_utc(written: str) -> None:
    chunk = decoded(kinds.NODES, {"metadata": metadata(creationTimestamp=written)})

    created = chunk.objects[0].metadata.creation_timestamp
    assert (created, created.tzinfo) == (datetime(2026, 3, 1, 9, 30, tzinfo=UTC), UTC)
    assert chunk.skipped == []


# Identity


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.resource)
@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("name", "", "metadata.name is missing"),
        ("name", "x" * 254, "metadata.name has 254 characters, 253 at most are allowed"),
        ("uid", "", "metadata.uid is missing"),
        ("uid", "x" * 129, "metadata.uid has 129 characters, 128 at most are allowed"),
    ],
)
def test_an_object_of_any_kind_needs_a_name_and_a_uid(
    kind: kinds.Kind[Any], field: str, text: str, reason: str
) -> None:
    spec = {"driver": "gpu.example.com", "pool": {"name": "node-1"}, "taint": {}}

    chunk = decoded(kind, {"metadata": metadata(**{field: text}), "spec": spec})

    assert chunk.objects == []
    assert [(skipped.reason, skipped.part) for skipped in chunk.skipped] == [(reason, "")]


@pytest.mark.parametrize(
    "kind",
    [
        kinds.RESOURCE_CLAIMS,
        kinds.RESOURCE_CLAIM_TEMPLATES,
        kinds.PODS,
        kinds.RESOURCE_QUOTAS,
        kinds.REPLICA_SETS,
        kinds.JOBS,
    ],
    ids=lambda kind: kind.resource,
)
@pytest.mark.parametrize("namespace", ["", "x" * 254])
def test_an_object_of_a_namespaced_kind_needs_a_namespace(kind: kinds.Kind[Any], namespace: str) -> None:
    chunk = decoded(kind, {"metadata": metadata(namespace=namespace), "spec": {}})

    assert chunk.objects == []
    assert "metadata.namespace" in chunk.skipped[0].reason


@pytest.mark.parametrize("kind", [kinds.NODES, kinds.NAMESPACES, kinds.DEVICE_CLASSES])
def test_an_object_of_the_cluster_needs_none(kind: kinds.Kind[Any]) -> None:
    assert len(decoded(kind, {"metadata": metadata(namespace=""), "spec": {}}).objects) == 1


def test_an_object_taken_apart_needs_a_uid_all_the_same() -> None:
    chunk = decoded(kinds.NODES, None, {"metadata": {"name": "node-1"}})

    assert chunk.objects == []
    assert [(skipped.name, skipped.reason) for skipped in chunk.skipped][1:] == [
        ("node-1", "metadata.uid is missing")
    ]


def test_of_two_objects_with_one_uid_the_first_stands_and_the_other_names_it() -> None:
    chunk = decoded(kinds.PODS, *({"metadata": metadata(name, uid="same"), "spec": {}} for name in "ab"))

    assert [pod.metadata.name for pod in chunk.objects] == ["a"]
    assert chunk.skipped == [
        Skipped(
            "Pod", "team-vision", "b", "same", "metadata.uid is also that of team-vision/a, which came first"
        )
    ]


def test_a_uid_is_remembered_from_one_chunk_to_the_next() -> None:
    page = {"kind": "NodeList", "metadata": {}, "items": [{"metadata": metadata()}]}
    decoder = ChunkDecoder(kinds.NODES, None)

    assert len(decoder.decode(msgspec.json.encode(page)).objects) == 1
    assert len(decoder.decode(msgspec.json.encode(page)).skipped) == 1


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeName": "x" * 254},
        {"resourceClaims": [{"name": "gpu", "resourceClaimName": "x" * 254}]},
    ],
)
def test_a_pod_that_names_something_by_a_name_nothing_can_have_is_skipped(spec: dict[str, Any]) -> None:
    assert len(decoded(kinds.PODS, {"metadata": metadata(), "spec": spec}).skipped) == 1


@pytest.mark.parametrize("name", ["", "x" * 254])
def test_a_slice_whose_driver_or_pool_has_no_proper_name_is_skipped(name: str) -> None:
    driverless, poolless = slice_of(name="a"), slice_of(name="b")
    driverless["spec"]["driver"] = poolless["spec"]["pool"]["name"] = name

    chunk = decoded(kinds.RESOURCE_SLICES, driverless, poolless)

    assert chunk.objects == []
    assert [skipped.name for skipped in chunk.skipped] == ["a", "b"]


# The garbage collector


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
