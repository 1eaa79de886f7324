"""Events that no API server should send, and objects that nobody should write: told, and nothing is lost."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from demo.exchange import Request
from demo.faults import Fault, ReplaceItem
from demo.store import Object, Store
from inventory.models import Claim, Cluster, DeviceClass, KindState, Share, ShareInterval, SkippedObject
from inventory.sync.compare import compare_cluster
from tests.drills.faults import Tell
from tests.inventory.sync.books import CLAIMS, RESOURCES, balance, shared
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import (
    DRA,
    IN_PAGES,
    card,
    claim,
    consumer,
    named,
    pod,
    resource_slice,
    result,
    store,
)
from tests.inventory.sync.tables import differences, tables

TEAM = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "team-a", "labels": {"a": "b"}}}
OBJECTS: dict[str, Object] = {
    "resourceslices": resource_slice(card()),
    "resourceclaims": claim("c", shared()),
    "pods": pod(),
    "namespaces": TEAM,
    "nodes": named("v1", "Node", "node-1"),
    "deviceclasses": named(DRA, "DeviceClass", "gpu", spec={}),
    "resourceclaimtemplates": named(DRA, "ResourceClaimTemplate", "t", "team-a", spec={"spec": {}}),
}


def everything() -> Store:
    return store(*OBJECTS.values())


def event(kind: str, one: Object) -> bytes:
    return msgspec.json.encode({"type": kind, "object": one}) + b"\n"


def bookmark(held: Store) -> bytes:
    return event("BOOKMARK", claim("", resourceVersion=str(held.revision)))


def told(followed: Followed, *lines: bytes, path: str = CLAIMS) -> None:
    """A poll to which the API server tells this.

    It has something to wait for: the API server is ahead of every cursor.
    """
    followed.store.put(named("v1", "Node", f"node-of-{followed.store.revision}"))
    followed.server.faults.inject(path, Tell(*lines, bookmark(followed.store)))
    followed.applied()


def is_as_read_anew(followed: Followed) -> None:
    anew = Followed(
        followed.server, Cluster.objects.create(name="anew", kubeconfig=followed.cluster.kubeconfig)
    )
    anew.applied()
    assert differences(tables(followed.cluster), tables(anew.cluster)) == []
    assert compare_cluster(followed.cluster.pk) == 0


@pytest.mark.parametrize("plural", OBJECTS)
@pytest.mark.parametrize("polls", [1, 2])
def test_another_object_under_the_same_name_takes_its_place(follow: Follow, plural: str, polls: int) -> None:
    followed, before = follow(everything()), OBJECTS[plural]
    followed.applied()
    for _ in range(2):
        followed.store.delete(
            RESOURCES[plural], before["metadata"].get("namespace", ""), before["metadata"]["name"]
        )
        if polls == 2:
            followed.applied()
        followed.store.put(before)
    followed.applied()
    is_as_read_anew(followed)


def test_an_older_state_that_comes_late_is_passed_over(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    states = [followed.store.put(claim("c", shared(memory))) for memory in ("2Gi", "4Gi", "8Gi")]
    told(followed, *(event("MODIFIED", states[number]) for number in (2, 0, 1)))
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    told(followed, event("MODIFIED", states[1]))
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    is_as_read_anew(followed)


def test_a_claim_that_is_gone_does_not_come_back_with_a_late_event(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    late = followed.store.put(claim("c", shared()))
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    told(followed, event("DELETED", late), event("MODIFIED", late))
    assert not Claim.objects.exists()
    # After the commit its history still knows that it is gone.
    told(followed, event("MODIFIED", late))
    assert not Claim.objects.exists()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert not ShareInterval.objects.filter(ended_at=None).exists()
    is_as_read_anew(followed)


def test_the_end_of_an_object_that_nobody_knew_ends_nothing_else(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    other = claim("c", uid="11111111-2222-4333-8444-555555555555", resourceVersion="1")
    told(followed, event("DELETED", other))
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    is_as_read_anew(followed)


class DeleteFirst(Fault):
    """The claim goes between the list and the watch."""

    def __init__(self, held: Store) -> None:
        self._store = held

    def concerns(self, request: Request) -> bool:
        return request.is_watch and "sendInitialEvents" not in request.query

    def before(self, request: Request) -> None:
        self._store.delete(RESOURCES["resourceclaims"], "team-a", "c")


def test_a_claim_that_goes_between_list_and_watch_is_gone(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared()), claim("d")))
    followed.server.faults.inject(CLAIMS, DeleteFirst(followed.store))
    followed.applied()
    followed.applied()
    assert Claim.objects.get().name == "d"
    is_as_read_anew(followed)


@pytest.mark.parametrize("version", ["abc", "", "-1", "1e3", "٣"])
def test_a_resource_version_that_is_no_number_stops_nothing(follow: Follow, version: str) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    put = followed.store.put(claim("c", shared()))
    odd = {**put, "metadata": {**put["metadata"], "resourceVersion": version}}
    followed.server.faults.inject(CLAIMS, Tell(event("MODIFIED", odd)))
    followed.poll()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    # The API server refuses to go on from there, and then the claims are read in full.
    followed.poll()
    KindState.objects.update(retry_at=None)
    followed.store.put(claim("c", shared("4Gi", "10")))
    followed.applied()
    assert balance("memory") == ("24Gi", "4Gi", "20Gi")
    is_as_read_anew(followed)


def test_a_share_that_begins_in_the_future_does_not_end_before_it_begins(follow: Follow) -> None:
    ahead = datetime.now(UTC) + timedelta(hours=3)
    given = claim("c", shared())
    given["status"]["allocation"]["allocationTimestamp"] = ahead.strftime("%Y-%m-%dT%H:%M:%SZ")
    followed = follow(store(resource_slice(card()), given))
    followed.applied()
    followed.store.put(claim("c"))
    followed.applied()
    interval = ShareInterval.objects.get()
    assert interval.ended_at is not None
    assert interval.started_at <= interval.ended_at
    assert not Share.objects.exists()


def test_an_object_of_two_megabytes_is_taken(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    followed.store.put(claim("c", shared(), annotations={"large": "x" * 2 * 2**20}))
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    is_as_read_anew(followed)


def test_a_label_that_is_no_text_is_taken_as_far_as_it_can_be_read(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    put = followed.store.put(claim("c", shared(), labels={"team": "MARK"}))
    told(followed, event("MODIFIED", put).replace(b"MARK", b"caf\xe9\xff"))
    assert Claim.objects.get().labels["team"].startswith("caf")
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")


def test_an_object_that_was_malformed_in_the_list_is_read_from_its_event(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c"), claim("d")), version=IN_PAGES)
    uid = followed.store.find(RESOURCES["resourceclaims"], "team-a", "c")["metadata"]["uid"]  # type: ignore[index]
    broken: dict[str, Any] = {"metadata": {"name": "c", "namespace": "team-a", "uid": uid}, "spec": 5}
    followed.server.faults.inject(CLAIMS, ReplaceItem(0, msgspec.json.encode(broken)))
    followed.applied()
    assert SkippedObject.objects.get().name == "c"
    followed.store.put(claim("c", shared()))
    followed.applied()
    assert not SkippedObject.objects.exists()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    is_as_read_anew(followed)


def test_reservations_and_shares_of_a_claim_that_is_replaced_are_those_of_the_new_one(follow: Follow) -> None:
    held = store(resource_slice(card()))
    first = held.put(pod())
    held.put(claim("c", shared(), consumers=(consumer(first),)))
    followed = follow(held)
    followed.applied()
    for plural, name in (("pods", "p"), ("resourceclaims", "c")):
        held.delete(RESOURCES[plural], "team-a", name)
    again = held.put(pod())
    held.put(claim("c", result(share_id=None), consumers=(consumer(again),)))
    held.put(named(DRA, "DeviceClass", "gpu", spec={}))
    followed.applied()
    assert DeviceClass.objects.filter(name="gpu").exists()
    is_as_read_anew(followed)
