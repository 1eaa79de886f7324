from datetime import timedelta

from django.utils import timezone

from demo.faults import Refuse
from inventory.kube.errors import ServerError, ThrottledError
from inventory.models import KindState
from inventory.sync.progress import wait
from tests.inventory.sync.books import shared
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, claim, resource_slice, store

CLAIMS = "resourceclaims"


def test_each_failure_doubles_the_wait_up_to_five_minutes() -> None:
    for failures, longest in ((1, 5), (2, 10), (3, 20), (7, 300), (1000, 300)):
        waits = [wait(failures, ServerError("x")).total_seconds() for _ in range(200)]
        assert longest / 2 <= min(waits)
        assert max(waits) <= longest


def test_two_clusters_that_fail_together_do_not_come_back_together() -> None:
    assert len({wait(3) for _ in range(50)}) > 40


def test_what_the_api_server_asks_for_is_kept() -> None:
    assert wait(1, ThrottledError("x", retry_after=90)) == timedelta(seconds=90)
    assert wait(1, ThrottledError("x", retry_after=10**9)) == timedelta(hours=1)


def test_a_kind_that_fails_is_left_alone_until_its_time(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.server.faults.inject(f"*/{CLAIMS}", Refuse(429, retry_after=600))
    followed.applied()
    state = KindState.objects.get(kind=CLAIMS)
    assert (state.state, state.failures, state.failures_total) == ("failed", 1, 1)
    assert state.retry_at is not None
    assert state.retry_at > timezone.now() + timedelta(seconds=500)

    asked = followed.server.requests.count(f"*/{CLAIMS}")
    followed.applied()
    assert followed.server.requests.count(f"*/{CLAIMS}") == asked

    KindState.objects.update(retry_at=timezone.now())
    followed.applied()
    state.refresh_from_db()
    assert (state.state, state.failures, state.failures_total) == ("read", 0, 1)
    assert KindState.objects.filter(kind=CLAIMS, retry_at=None).exists()


def test_what_was_read_and_what_came_later_is_counted(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    state = KindState.objects.get(kind=CLAIMS)
    assert (state.objects_read, state.lists_total, state.events_total) == (1, 1, 0)
    followed.store.put(claim("d"))
    followed.store.put(claim("c"))
    followed.applied()
    state.refresh_from_db()
    assert (state.objects_read, state.lists_total, state.events_total) == (2, 1, 2)
    assert state.resource_version == str(followed.store.revision)
    assert state.bytes_read is not None
    assert state.bytes_total > state.bytes_read
