from pathlib import Path
from typing import Any

import msgspec
import pytest

from inventory.kube import errors, kinds
from inventory.kube.events import EventDecoder, Events
from inventory.kube.kinds import Kind
from inventory.kube.objects import ResourceClaim
from inventory.kube.versions import Lift, lift_claim
from tests.inventory.kube.lists import claim_with, metadata, result, slice_of

CAPTURED = Path(__file__).parent / "captured"
PATH = "/apis/resource.k8s.io/v1/resourceclaims"


def groups(lines: bytes, kind: Kind[Any] = kinds.RESOURCE_CLAIMS, lift: Lift | None = None) -> Any:
    return EventDecoder(kind, lift, f"https://lab.example{PATH}", PATH).decode(lines)


def event(kind: str, found: Any) -> bytes:
    return msgspec.json.encode({"type": kind, "object": found}) + b"\n"


def claim(name: str, version: str = "7", **more: Any) -> dict[str, Any]:
    return {"metadata": metadata(name, resourceVersion=version), "spec": {}, **more}


def told(events: Events[Any]) -> list[tuple[str, bool]]:
    return [(change.object.metadata.name, change.deleted) for change in events.changes]


def test_a_recorded_watch_is_read_in_its_order() -> None:
    lines = (CAPTURED / "watch-resourceclaims-from-rv.ndjson").read_bytes()

    (events,) = groups(lines)

    versions = [int(change.object.metadata.resource_version) for change in events.changes]
    assert versions == sorted(versions)
    assert len(versions) == 24
    assert [name for name, deleted in told(events) if deleted] == [
        "w-claim",
        "w-tpod-gpu-q78bj",
        "w-busy",
        "w-again",
        "w-again",
    ]
    assert events.skipped == []
    assert events.bytes == len(lines)
    assert not events.complete


def test_a_recorded_watch_goes_on_after_its_last_bookmark() -> None:
    (events,) = groups((CAPTURED / "watch-resourceclaims-from-rv.ndjson").read_bytes())

    assert events.changes[-1].object.metadata.resource_version == "1051"
    assert events.resource_version == "1061"


@pytest.mark.parametrize(
    ("name", "kind"), [("resourceclaims", kinds.RESOURCE_CLAIMS), ("resourceslices", kinds.RESOURCE_SLICES)]
)
def test_the_recorded_end_of_the_initial_events_divides_what_was_from_what_comes(
    name: str, kind: Kind[Any]
) -> None:
    lines = (CAPTURED / f"watch-{name}-sendInitialEvents.ndjson").read_bytes()

    present, later = groups(lines, kind)

    assert (present.complete, later.complete) == (True, False)
    assert int(present.resource_version) < int(later.resource_version)
    assert len(present.changes) == lines.split(b"initial-events-end")[0].count(b"ADDED")
    assert present.skipped == later.skipped == []
    assert present.bytes + later.bytes == len(lines)


def test_a_resource_version_is_any_text() -> None:
    (events,) = groups(event("ADDED", claim("a", "opaque/é")))

    assert events.resource_version == "opaque/é"


def test_a_malformed_object_is_skipped_and_the_events_around_it_stand() -> None:
    lines = (
        event("ADDED", claim("a", "1"))
        + event("MODIFIED", {"metadata": metadata("bad", resourceVersion="2"), "spec": "none"})
        + event("DELETED", claim("b", "3"))
    )

    (events,) = groups(lines)

    assert told(events) == [("a", False), ("b", True)]
    assert [(skipped.name, skipped.uid, skipped.deleted) for skipped in events.skipped] == [
        ("bad", "uid-bad", False)
    ]
    assert events.resource_version == "3"


def test_a_watch_goes_on_after_an_object_that_could_not_be_read() -> None:
    (events,) = groups(event("ADDED", {"metadata": metadata(resourceVersion="9"), "spec": 5}))

    assert events.resource_version == "9"


def test_a_malformed_object_that_is_gone_is_told_as_gone() -> None:
    (events,) = groups(event("DELETED", {"metadata": metadata("bad"), "spec": 5}))

    assert [(skipped.uid, skipped.deleted) for skipped in events.skipped] == [("uid-bad", True)]


def test_a_malformed_part_leaves_its_object_in_the_watch() -> None:
    (events,) = groups(event("MODIFIED", claim_with(result("gpu-0"), {"device": 5})))

    assert told(events) == [("one", False)]
    assert [skipped.part for skipped in events.skipped] == ["allocation result 5"]


@pytest.mark.parametrize("found", [None, 5, [], {}, {"metadata": {}}, {"metadata": {"uid": 5}}])
@pytest.mark.parametrize("lift", [None, lift_claim])
def test_an_object_without_names_is_skipped_without_them(found: Any, lift: Lift | None) -> None:
    (events,) = groups(event("ADDED", found) + event("ADDED", claim("a")), lift=lift)

    assert told(events) == [("a", False)]
    assert [skipped.uid for skipped in events.skipped] == [""]


@pytest.mark.parametrize("lift", [None, lift_claim])
@pytest.mark.parametrize(
    "written",
    [b"[" * 4000 + b"]" * 4000, b'"\xff\xfe"', rb'"\ud800"', rb'"\u0000"', b"1e999", b"1" * 5000],
    ids=["nested", "no UTF-8", "half a pair", "NUL", "too large", "too long"],
)
def test_whatever_a_claim_says_of_itself_its_event_is_read(written: bytes, lift: Lift | None) -> None:
    line = event("ADDED", claim("odd", status=None, spec={"odd": "?"})).replace(b'"?"', written)

    (events,) = groups(line, lift=lift)

    assert told(events) == [("odd", False)]
    assert events.skipped == []


def test_events_of_older_versions_are_lifted() -> None:
    request = {"name": "gpu", "deviceClassName": "gpu.example.com"}
    line = event("ADDED", claim("a", spec={"devices": {"requests": [request]}}))

    (events,) = groups(line, lift=lift_claim)

    (lifted,) = events.changes[0].object.spec["devices"]["requests"]
    assert lifted == {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}


def test_a_time_too_far_away_is_told_and_the_object_stands() -> None:
    far = {**claim("a"), "metadata": metadata("a", creationTimestamp="9999-12-31T23:59:59-10:00")}

    (events,) = groups(event("ADDED", far))

    assert told(events) == [("a", False)]
    assert [skipped.part for skipped in events.skipped] == ["metadata.creationTimestamp"]


def test_an_unknown_event_is_skipped() -> None:
    (events,) = groups(event("RENAMED", claim("a", "8")) + event("ADDED", claim("b", "9")))

    assert told(events) == [("b", False)]
    assert [(skipped.name, skipped.reason) for skipped in events.skipped] == [
        ("a", "the event type 'RENAMED' is not known")
    ]


def test_a_bookmark_that_says_nothing_moves_nothing() -> None:
    (events,) = groups(event("BOOKMARK", {"metadata": {"resourceVersion": 5, "annotations": []}}))

    assert (events.resource_version, events.complete) == ("", False)


def test_what_came_before_an_error_counts() -> None:
    expired = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version: 1"}
    decoded = groups(event("ADDED", claim("a")) + event("ERROR", expired) + event("ADDED", claim("b")))

    assert told(next(decoded)) == [("a", False)]
    with pytest.raises(errors.ExpiredError, match="too old resource version: 1"):
        next(decoded)


@pytest.mark.parametrize("struct_like", [kinds.DEVICE_CLASSES, kinds.NAMESPACES])
def test_an_error_is_never_taken_for_an_object(struct_like: Kind[Any]) -> None:
    """Whatever shape its status has."""
    disguised = {"kind": "Status", "code": 410, "metadata": metadata(), "spec": {}}

    with pytest.raises(errors.ExpiredError):
        list(groups(event("ERROR", disguised), struct_like))


@pytest.mark.parametrize(
    "line", [b"<html>\n", b"{}\n", b"[]\n", b'{"type": 5, "object": {}}\n', b'{"type": "ADDED"}\n']
)
def test_a_line_that_is_no_event_is_a_bad_answer(line: bytes) -> None:
    with pytest.raises(errors.BadAnswerError, match="200 with something that is no event"):
        list(groups(line))


def test_slices_are_read_whole() -> None:
    (events,) = groups(event("ADDED", slice_of({"name": "gpu-0"})), kinds.RESOURCE_SLICES)

    assert [device.name for device in events.changes[0].object.spec.devices] == ["gpu-0"]


def test_a_claim_is_typed() -> None:
    (events,) = groups(event("ADDED", claim_with(result("gpu-0"))))

    assert isinstance(events.changes[0].object, ResourceClaim)
