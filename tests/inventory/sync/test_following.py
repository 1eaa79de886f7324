"""A poll that follows a cluster for a while."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from demo.faults import BookmarksOnly, CutWatch, DuplicateEvents, ExpireWatch, Refuse
from inventory.models import Claim, Cluster, KindState, Lease, Pod
from inventory.sync import progress
from inventory.sync.parts import DEVICES, PODS
from inventory.sync.poll import Outcome, poll_cluster
from tests.inventory.sync.books import RESOURCES, balance, shared
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, claim, consumer, pod, resource_slice, store

CLAIMS = RESOURCES["resourceclaims"]
LONG = 30.0


def _meanwhile(act: Callable[[], None], when: Callable[[], bool]) -> threading.Thread:
    """Act once something has come to pass, while this thread follows."""

    def wait() -> None:
        until = time.monotonic() + LONG
        while not when() and time.monotonic() < until:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def _watched(followed: Followed) -> bool:
    return any(request.is_watch for request in followed.server.requests.last("*/resourceclaims"))


def _follow(followed: Followed, act: Callable[[], None], **options: Any) -> Outcome:
    """Follow until the act has been written: it stops the poll itself."""
    stopping = threading.Event()
    thread = _meanwhile(act, lambda: _watched(followed))

    def stop() -> None:
        time.sleep(1.0)
        stopping.set()

    ender = _meanwhile(stop, lambda: not thread.is_alive())
    outcome = poll_cluster(followed.cluster.pk, seconds=LONG, stopping=stopping, **options)
    thread.join()
    ender.join()
    return outcome


@pytest.fixture
def held(follow: Follow) -> Followed:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    return followed


def test_what_happens_while_it_follows_is_written_at_once(held: Followed) -> None:
    outcome = _follow(held, lambda: held.store.delete(CLAIMS, "team-a", "c"))
    assert (outcome.ended, balance("memory")) == ("stopped", ("24Gi", "0", "24Gi"))


def test_a_poll_ends_when_its_time_is_over(held: Followed) -> None:
    assert poll_cluster(held.cluster.pk, seconds=1.0).ended == "applied"
    assert not Lease.objects.exclude(holder="").exists()


def test_the_next_poll_goes_on_where_the_last_one_stopped(held: Followed) -> None:
    held.store.put(claim("d"))
    asked = len(held.server.requests.last("*/resourceclaims"))
    held.applied()
    assert Claim.objects.filter(name="d").exists()
    after = held.server.requests.last("*/resourceclaims")[asked:]
    # One of them is the shortest list, to learn how far there is to go.
    assert [request.query.get("limit") for request in after if not request.is_watch] == ["1"]


def test_rows_of_an_older_layout_are_written_anew(held: Followed) -> None:
    Claim.objects.update(name="as it was written by an older release")
    progress.begin_anew(held.cluster)
    held.applied()
    assert Claim.objects.get().name == "c"


def test_history_that_is_forgotten_is_read_in_full(held: Followed) -> None:
    held.store.delete(CLAIMS, "team-a", "c")
    held.store.put(claim("d"))
    held.store.compact()
    held.applied()
    assert list(Claim.objects.values_list("name", flat=True)) == ["d"]
    assert KindState.objects.get(kind="resourceclaims").lists_total == 2


@pytest.mark.parametrize("fault", [CutWatch(after=0), CutWatch(after=1), ExpireWatch(), DuplicateEvents()])
def test_a_watch_that_goes_wrong_loses_nothing(held: Followed, fault: Any) -> None:
    held.server.faults.inject("*/resourceclaims", fault)
    for number in range(5):
        held.store.put(claim(f"d-{number}"))
    held.store.delete(CLAIMS, "team-a", "c")
    held.applied()
    assert set(Claim.objects.values_list("name", flat=True)) == {f"d-{number}" for number in range(5)}
    assert balance("memory") == ("24Gi", "0", "24Gi")


def test_bookmarks_keep_a_cursor_young(held: Followed) -> None:
    before = KindState.objects.get(kind="resourceclaims").resource_version
    for number in range(3):
        held.store.put(pod(f"p-{number}"))
    held.applied()
    after = KindState.objects.get(kind="resourceclaims").resource_version
    assert int(after) == held.store.revision > int(before)


def test_a_bookmark_alone_changes_no_row_that_is_shown(held: Followed) -> None:
    revision = Cluster.objects.get().revision
    held.server.faults.inject("*/pods", BookmarksOnly())
    held.applied()
    assert Cluster.objects.get().revision == revision


def test_pods_that_have_nothing_to_do_with_devices_never_get_a_row(held: Followed) -> None:
    held.store.put(pod("plain", claims=()))
    held.store.put(pod("p"))
    held.applied()
    held.store.put(pod("plain", claims=(), status={"phase": "Succeeded"}))
    held.applied()
    assert list(Pod.objects.values_list("name", flat=True)) == ["p"]


def test_a_cluster_that_is_paused_is_left(held: Followed) -> None:
    Cluster.objects.update(enabled=False)
    started = time.monotonic()
    assert poll_cluster(held.cluster.pk, seconds=LONG).ended == "applied"
    assert time.monotonic() - started < LONG / 2


def test_one_cluster_makes_room_for_another_that_waits(held: Followed) -> None:
    Cluster.objects.create(name="waits")
    started = time.monotonic()
    assert poll_cluster(held.cluster.pk, seconds=LONG).ended == "applied"
    assert time.monotonic() - started < LONG / 2


def test_a_worker_that_stops_ends_its_poll_and_gives_the_lease_back(held: Followed) -> None:
    stopping = threading.Event()
    stopping.set()
    assert poll_cluster(held.cluster.pk, seconds=LONG, stopping=stopping).ended == "stopped"
    assert poll_cluster(held.cluster.pk).ended == "applied"


def test_the_parts_of_a_cluster_can_be_followed_apart(held: Followed) -> None:
    made = held.store.put(pod())
    held.store.put(claim("c", shared(), consumers=(consumer(made),)))
    assert poll_cluster(held.cluster.pk, (DEVICES,)).ended == "applied"
    assert (Claim.objects.get().state, Pod.objects.count()) == ("allocated,reserved", 0)
    assert poll_cluster(held.cluster.pk, (PODS,)).ended == "applied"
    (use,) = Pod.objects.get().pod_claims.all()
    assert (use.claim, use.reserved) == (Claim.objects.get(), True)


def test_a_kind_that_is_refused_comes_back_when_it_is_granted(held: Followed) -> None:
    held.server.faults.inject("*/resourceclaims", Refuse(403), times=10)
    held.store.put(claim("d"))
    held.applied()
    assert KindState.objects.get(kind="resourceclaims").state == "forbidden"
    held.server.faults.clear()
    KindState.objects.update(retry_at=timezone.now())
    held.applied()
    assert KindState.objects.get(kind="resourceclaims").state == "read"
    assert Claim.objects.count() == 2


def test_a_list_that_changes_while_it_is_streamed_is_written_once(follow: Follow) -> None:
    held = store(resource_slice(card()))
    for number in range(1500):
        held.put(claim(f"c-{number}"))
        held.put(pod(f"p-{number}"))
    followed = follow(held)
    for kind in ("pods", "resourceclaims", "resourceslices"):
        followed.server.faults.inject(f"*/{kind}", DuplicateEvents())
    followed.applied()
    assert (Claim.objects.count(), Pod.objects.count()) == (1500, 1500)


def test_an_api_server_that_was_restored_from_a_backup_is_read_anew(held: Followed) -> None:
    held.store.delete(CLAIMS, "team-a", "c")
    followed = KindState.objects.exclude(resource_version="")
    followed.update(resource_version=str(held.store.revision + 1000))
    held.applied()
    assert not Claim.objects.exists()
    assert set(followed.values_list("resource_version", flat=True)) == {str(held.store.revision)}


def test_success_of_one_part_does_not_end_the_wait_of_the_other(held: Followed) -> None:
    until = timezone.now() + timedelta(minutes=10)
    Cluster.objects.update(retry_at=until, failures=1, error_reason="throttled")
    held.store.put(claim("d"))
    assert poll_cluster(held.cluster.pk, (DEVICES,)).ended == "applied"
    assert Claim.objects.filter(name="d").exists()
    assert Cluster.objects.get().retry_at == until
    assert poll_cluster(held.cluster.pk).ended == "applied"
    assert Cluster.objects.get().retry_at is None


def test_a_kind_is_known_as_of_when_all_had_been_told(held: Followed) -> None:
    before = timezone.now()
    held.store.put(claim("d"))
    held.applied()
    at = KindState.objects.get(kind="resourceclaims").succeeded_at
    assert at is not None
    assert before < at < timezone.now()


def test_an_object_that_says_the_same_in_a_newer_version_changes_nothing_that_is_shown(
    held: Followed,
) -> None:
    revision = Cluster.objects.get().revision
    held.store.put(claim("c", shared()))
    held.applied()
    assert Claim.objects.get().resource_version == str(held.store.revision)
    assert Cluster.objects.get().revision == revision
