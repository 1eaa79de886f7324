"""Who claims were reserved for, and when."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from demo.store import Object, Store
from inventory.models import KindState, PodInterval, TeamNamespace
from inventory.sync import progress
from tests.factories import make_team
from tests.inventory.sync.books import GIVEN, RESOURCES, allocated, shared
from tests.inventory.sync.conftest import Clock, Follow, Followed
from tests.inventory.sync.objects import card, claim, consumer, pod, resource_slice, store

OWNER = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "llm", "uid": "s-1", "controller": True}


def rows(**which: Any) -> list[PodInterval]:
    return list(PodInterval.objects.filter(**which).order_by("pk"))


def reserved(*pods: Object, name: str = "c", **fields: Any) -> Object:
    return claim(name, shared(), consumers=tuple(map(consumer, pods)), **fields)


def where(one: PodInterval) -> tuple[str, str, str]:
    return one.workload_kind, one.workload_name, one.node


@pytest.fixture
def held() -> Store:
    return store(resource_slice(card()))


@pytest.fixture
def busy(follow: Follow, held: Store) -> Followed:
    """A claim that is reserved for a Pod of a StatefulSet."""
    held.put(reserved(held.put(pod(metadata={"ownerReferences": [OWNER]}))))
    followed = follow(held)
    followed.applied()
    return followed


def test_a_claim_that_is_reserved_for_a_pod_is_kept_with_its_workload_and_node(busy: Followed) -> None:
    (one,) = rows()
    assert (one.namespace, one.claim_name, one.resource, one.pod_name) == ("team-a", "c", "pods", "p")
    assert one.pod_uid == busy.store.find(RESOURCES["pods"], "team-a", "p")["metadata"]["uid"]  # type: ignore[index]
    assert where(one) == ("StatefulSet", "llm", "node-1")
    assert one.ended_at is None


def test_a_pod_that_nothing_owns_is_its_own_workload(follow: Follow, held: Store) -> None:
    held.put(reserved(held.put(pod())))
    follow(held).applied()
    assert where(rows()[0]) == ("Pod", "p", "node-1")


def test_what_becomes_known_of_a_pod_later_is_amended(follow: Follow, held: Store) -> None:
    waiting = held.put(pod(node="", metadata={"ownerReferences": [OWNER]}))
    held.delete(RESOURCES["pods"], "team-a", "p")
    held.put(reserved(waiting))
    followed = follow(held)
    followed.applied()
    (first,) = rows()
    assert where(first) == ("", "", "")
    uid = {"uid": waiting["metadata"]["uid"]}
    held.put(pod(node="", metadata={"ownerReferences": [OWNER], **uid}))
    followed.applied()
    assert where(rows()[0]) == ("StatefulSet", "llm", "")
    held.put(pod(metadata={"ownerReferences": [OWNER], **uid}))
    followed.applied()
    (last,) = rows()
    assert where(last) == ("StatefulSet", "llm", "node-1")
    assert (last.pk, last.started_at) == (first.pk, first.started_at)


def test_a_pod_that_goes_first_stays_known(busy: Followed) -> None:
    before = where(rows()[0])
    busy.store.delete(RESOURCES["pods"], "team-a", "p")
    busy.applied()
    progress.begin_anew(busy.cluster)
    busy.applied()
    (one,) = rows(ended_at=None)
    assert where(one) == before


def test_pods_come_and_go_each_for_itself(busy: Followed) -> None:
    first = busy.store.find(RESOURCES["pods"], "team-a", "p")
    assert first is not None
    second = busy.store.put(pod("q"))
    busy.store.put(reserved(first, second))
    busy.applied()
    busy.store.put(reserved(second))
    busy.applied()
    gone, stays = rows()
    assert (gone.pod_name, gone.ended_at is None) == ("p", False)
    assert (stays.pod_name, stays.ended_at) == ("q", None)


def test_an_interval_ends_with_the_claim(busy: Followed) -> None:
    busy.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    busy.applied()
    assert rows()[0].ended_at is not None


def test_what_is_read_again_is_not_doubled(busy: Followed) -> None:
    before = list(PodInterval.objects.values())
    busy.applied(in_full=True)
    progress.begin_anew(busy.cluster)
    busy.applied()
    assert list(PodInterval.objects.values()) == before


def test_a_cluster_that_was_read_before_is_told_with_the_next_poll(busy: Followed) -> None:
    PodInterval.objects.all().delete()
    KindState.objects.update(layout=progress.LAYOUT - 1)
    busy.applied()
    (one,) = rows()
    assert (where(one), one.ended_at) == (("StatefulSet", "llm", "node-1"), None)


def test_a_pod_has_what_it_got_with_the_allocation_since_then(follow: Follow, held: Store) -> None:
    held.put(claim("c"))
    followed = follow(held)
    followed.applied()
    given = timezone.now().replace(microsecond=0)
    both = allocated(given)
    both["status"]["reservedFor"] = [consumer(held.put(pod()))]
    held.put(both)
    followed.applied()
    assert rows()[0].started_at == given
    both["status"]["reservedFor"].append(consumer(held.put(pod("q"))))
    held.put(both)
    followed.applied()
    assert rows(pod_name="q")[0].started_at > given


def test_before_the_first_reading_nobody_has_seen_since_when(follow: Follow, held: Store) -> None:
    both = allocated(GIVEN)
    both["status"]["reservedFor"] = [consumer(held.put(pod()))]
    held.put(both)
    before = timezone.now()
    follow(held).applied()
    assert rows()[0].started_at > before


def test_another_team_has_it_from_then_on(busy: Followed) -> None:
    TeamNamespace.objects.create(team=make_team("vision"), namespace="team-a")
    was, is_now = rows()
    assert (was.team_slug, is_now.team_slug) == ("", "vision")
    assert (was.ended_at, is_now.ended_at) == (is_now.started_at, None)
    assert (where(was), was.pod_uid) == (where(is_now), is_now.pod_uid)
    busy.applied(in_full=True)
    assert len(rows()) == 2


def test_a_reservation_that_came_and_went_at_once_is_not_lost(follow: Follow, held: Store) -> None:
    followed = follow(held)
    followed.applied()
    one, other = held.put(pod()), held.put(pod("q"))
    held.put(claim("c", shared()))
    held.put(reserved(one))
    held.put(claim("c", shared()))
    held.put(reserved(other, name="d"))
    held.delete(RESOURCES["resourceclaims"], "team-a", "d")
    followed.applied()
    assert {row.pod_name: row.ended_at is None for row in rows()} == {"p": False, "q": False}
    assert where(rows(pod_name="q")[0]) == ("Pod", "q", "node-1")


def test_who_comes_back_while_clocks_step_back_overlaps_nothing(busy: Followed, clock: Clock) -> None:
    first = busy.store.find(RESOURCES["pods"], "team-a", "p")
    assert first is not None
    busy.store.put(claim("c", shared()))
    busy.applied()
    clock.wrong_by = -timedelta(hours=1)
    busy.store.put(reserved(first))
    busy.applied()
    was, again = rows()
    assert (again.started_at, again.ended_at) == (was.ended_at, None)


def test_a_gang_is_its_own_workload(follow: Follow, held: Store) -> None:
    gang = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "g-1"}
    held.put(claim("c", shared(), consumers=(gang,)))
    follow(held).applied()
    (one,) = rows()
    assert (one.resource, *where(one)) == ("podgroups", "PodGroup", "g", "")
