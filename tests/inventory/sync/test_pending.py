"""What is kept of a watch until it is written."""

from typing import Any

import msgspec

from inventory.kube import objects
from inventory.kube.decoding import Skipped
from inventory.kube.events import Change, Events
from inventory.kube.objects import Metadata, ResourceClaim
from inventory.sync.pending import Pending


def _claim(version: str, *, held: bool = False, uid: str = "u") -> ResourceClaim:
    allocation = objects.Allocation(node_selector={"version": version}) if held else None
    status = objects.ClaimStatus(allocation=allocation)
    metadata = Metadata(name="c", namespace="n", uid=uid, resource_version=version)
    return ResourceClaim(metadata=metadata, spec={}, status=status)


def _skip(*, part: str = "", deleted: bool = False) -> Skipped:
    return Skipped("ResourceClaim", "n", "c", "u", "malformed", part, deleted)


def _events(*steps: Any, version: str = "9") -> Events[ResourceClaim]:
    events: Events[ResourceClaim] = Events([], [], [], version, 1)
    for step in steps:
        if isinstance(step, Skipped):
            events.skipped.append(step)
            events.skipped_after.append(len(events.changes))
        else:
            events.changes.append(step)
    return events


def _pending(*groups: Events[ResourceClaim]) -> Pending[ResourceClaim]:
    pending: Pending[ResourceClaim] = Pending("1")
    for group in groups:
        pending.add(group)
    return pending


def test_of_an_object_the_newest_state_is_written() -> None:
    taken = _pending(_events(Change(_claim("2")), Change(_claim("4")), Change(_claim("3")))).taken()
    assert [one.metadata.resource_version for chunk in taken.chunks() for one in chunk] == ["4"]
    assert taken.events == 3


def test_what_was_taken_is_not_taken_again() -> None:
    pending = _pending(_events(Change(_claim("2")), _skip(part="x")))
    assert not pending.taken().nothing
    again = pending.taken()
    assert (again.nothing, list(again.chunks()), again.skipped, again.events) == (True, [], (), 0)


def test_a_readable_state_ends_what_was_told_of_an_unreadable_one() -> None:
    assert _pending(_events(_skip(), Change(_claim("3")))).taken().skipped == ()
    assert _pending(_events(_skip()), _events(Change(_claim("3")))).taken().skipped == ()


def test_what_is_unreadable_after_a_readable_state_is_told() -> None:
    taken = _pending(_events(Change(_claim("2")), _skip())).taken()
    assert len(taken.skipped) == 1
    assert [one.metadata.resource_version for chunk in taken.chunks() for one in chunk] == ["2"]


def test_parts_are_told_of_the_last_state_alone() -> None:
    first = _events(Change(_claim("2")), _skip(part="device a"), _skip(part="device b"))
    second = _events(Change(_claim("3")), _skip(part="device b"))
    assert [one.part for one in _pending(first, second).taken().skipped] == ["device b"]


def test_nothing_is_told_of_an_object_that_is_gone() -> None:
    taken = _pending(_events(_skip(), Change(_claim("3"), deleted=True))).taken()
    assert (taken.skipped, taken.gone) == ((), {"u"})


def test_a_deletion_that_cannot_be_read_is_a_deletion() -> None:
    taken = _pending(_events(Change(_claim("2")), _skip(deleted=True))).taken()
    assert (list(taken.chunks()), taken.skipped, taken.gone) == ([], (), {"u"})


def test_what_comes_after_its_deletion_is_late() -> None:
    pending = _pending(_events(Change(_claim("5"), deleted=True)))
    pending.taken()
    pending.add(_events(Change(_claim("4"))))
    assert pending.taken().nothing


def test_the_cursor_never_goes_back() -> None:
    pending = _pending(_events(version="10"), _events(version="7"))
    assert pending.resource_version == "10"
    pending.add(_events(version="opaque"))
    assert pending.resource_version == "opaque"
    pending.add(_events(version=""))
    assert pending.resource_version == "opaque"


def test_states_that_only_history_will_know_are_kept_in_order() -> None:
    states = [_claim("2", held=True), _claim("3"), _claim("4", held=True), _claim("5")]
    taken = _pending(_events(*map(Change, states))).taken()
    assert [one.metadata.resource_version for one in taken.passed] == ["2", "3", "4"]


def test_a_claim_that_came_and_went_is_kept_for_history() -> None:
    taken = _pending(_events(Change(_claim("2")), Change(_claim("3"), deleted=True))).taken()
    assert [one.metadata.resource_version for one in taken.passed] == ["2"]


def test_a_reservation_that_comes_or_goes_is_kept_for_history() -> None:
    reserved = [objects.ConsumerReference(resource="pods", name="p", uid="u")]
    consumers: tuple[list[objects.ConsumerReference] | None, ...] = (None, reserved, [], reserved)
    states = [
        msgspec.structs.replace(_claim(str(number)), status=objects.ClaimStatus(reserved_for=one))
        for number, one in enumerate(consumers, 2)
    ]
    taken = _pending(_events(*map(Change, states))).taken()
    assert [one.metadata.resource_version for one in taken.passed] == ["2", "3", "4"]
    unchanged = _pending(_events(Change(_claim("2")), Change(states[2]))).taken()
    assert unchanged.passed == ()
