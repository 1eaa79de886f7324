"""What happened to claims, and when."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from demo.store import Object, Store
from inventory.models import ClaimEvent, KindState, TeamNamespace
from inventory.sync import progress
from tests.factories import make_team
from tests.inventory.sync.books import RESOURCES, allocated, shared, stamp
from tests.inventory.sync.conftest import Clock, Follow, Followed
from tests.inventory.sync.objects import HAMI, card, claim, consumer, pod, resource_slice, store

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
OF_A_POD = {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "p-1"}]}


def recently() -> datetime:
    """A moment as Kubernetes writes it: in whole seconds."""
    return timezone.now().replace(microsecond=0)


def events(name: str = "c") -> list[ClaimEvent]:
    return list(ClaimEvent.objects.filter(claim_name=name))


def kinds(name: str = "c") -> list[str]:
    return [event.kind for event in events(name)]


def last(kind: str) -> ClaimEvent:
    found = ClaimEvent.objects.filter(kind=kind).order_by("pk").last()
    assert found is not None
    return found


def reserved(held: Store, *, at: datetime | None = None, **fields: Any) -> Object:
    one = allocated(at, **fields)
    one["status"]["reservedFor"] = [consumer(held.put(pod()))]
    return one


@pytest.fixture
def followed(follow: Follow) -> Followed:
    """A cluster that was read before there was any claim."""
    made = follow(store(resource_slice(card())))
    made.applied()
    return made


def test_the_life_of_a_claim_is_told_step_by_step(followed: Followed) -> None:
    held, known = followed.store, timezone.now()
    for state in (claim("c"), allocated(None), reserved(held), claim("c")):
        held.put(state)
        followed.applied()
    held.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert kinds() == ["created", "allocated", "reserved", "deallocated", "deleted"]
    assert {(event.namespace, event.team_slug) for event in events()} == {("team-a", "")}
    created, *observed = events()
    assert created.source == "server"
    for event in observed:
        assert (event.source, event.not_before is not None) == ("observed", True)
        assert event.not_before is not None
        assert event.not_before <= event.at
    assert all(known < event.at for event in observed)


def test_what_happened_between_two_commits_is_told_in_order(followed: Followed) -> None:
    held, made = followed.store, recently()
    held.put(claim("c", creationTimestamp=stamp(made)))
    held.put(reserved(held, at=made + SECOND))
    held.put(allocated(made + SECOND))
    held.put(claim("c"))
    held.put(allocated(made + SECOND))
    held.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    told = ClaimEvent.objects.order_by("pk").values_list("kind", flat=True)
    assert list(told) == [
        "created",
        "allocated",
        "reserved",
        "deallocated",
        "allocated",
        "deallocated",
        "deleted",
    ]


def test_a_claim_that_came_and_went_at_once_is_told(followed: Followed) -> None:
    followed.store.put(claim("c"))
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert kinds() == ["created", "deleted"]


def test_an_allocation_says_where_and_how_long_the_claim_had_waited(followed: Followed) -> None:
    made = recently() - HOUR
    followed.store.put(claim("c", creationTimestamp=stamp(made)))
    followed.applied()
    followed.store.put(allocated(made + timedelta(seconds=90)))
    followed.applied()
    event = last("allocated")
    assert (event.at, event.source) == (made + timedelta(seconds=90), "server")
    assert (event.driver, event.product, event.node) == (HAMI, "NVIDIA L4", "node-1")
    assert event.waited_microseconds == 90_000_000


def test_without_a_timestamp_the_wait_ends_when_it_is_seen(followed: Followed) -> None:
    made = recently() - HOUR
    followed.store.put(claim("c", creationTimestamp=stamp(made)))
    followed.applied()
    followed.store.put(allocated(None))
    followed.applied()
    event = last("allocated")
    assert event.waited_microseconds == (event.at - made) // timedelta(microseconds=1)


def test_a_claim_that_is_allocated_again_had_waited_since_it_was_given_back(followed: Followed) -> None:
    made = recently() - HOUR
    for state in (claim("c", creationTimestamp=stamp(made)), allocated(made + SECOND), claim("c")):
        followed.store.put(state)
        followed.applied()
    given_back = last("deallocated").at
    followed.store.put(allocated(None))
    followed.applied()
    event = last("allocated")
    assert kinds() == ["created", "allocated", "deallocated", "allocated"]
    assert event.waited_microseconds == (event.at - given_back) // timedelta(microseconds=1)


def test_what_was_given_again_had_been_given_back_by_then(followed: Followed, clock: Clock) -> None:
    made = recently() - HOUR
    for state in (claim("c", creationTimestamp=stamp(made)), allocated(made + SECOND)):
        followed.store.put(state)
        followed.applied()
    known = timezone.now()
    clock.wrong_by = timedelta(seconds=40)
    followed.store.put(claim("c"))
    followed.applied()
    again = known.replace(microsecond=0) + timedelta(seconds=20)
    followed.store.put(allocated(again))
    followed.applied()
    assert [(event.kind, event.at) for event in events()][2:] == [
        ("deallocated", again),
        ("allocated", again),
    ]
    # It lies somewhere in these seconds, and so does the wait.
    assert last("allocated").waited_microseconds is None


def test_another_device_was_given_back_and_given_in_between(followed: Followed) -> None:
    followed.store.put(resource_slice(card(), card("hami-gpu-1"), generation=2))
    followed.store.put(allocated(None))
    followed.applied()
    followed.store.put(allocated(None, shared(device="hami-gpu-1")))
    followed.applied(in_full=True)
    assert kinds() == ["created", "allocated", "deallocated", "allocated"]


def test_another_timestamp_is_another_allocation(followed: Followed) -> None:
    given = recently() - HOUR
    for at in (given, given + SECOND):
        followed.store.put(allocated(at))
        followed.applied()
    told = [(event.kind, event.at) for event in events() if event.kind != "created"]
    assert told[1:] == [("deallocated", given + SECOND), ("allocated", given + SECOND)]


def test_nothing_has_happened_after_it_was_seen(followed: Followed) -> None:
    ahead = recently() + 3 * HOUR
    followed.store.put(allocated(ahead, creationTimestamp=stamp(ahead - SECOND)))
    followed.applied()
    now = timezone.now()
    assert [(event.kind, event.source) for event in events()] == [
        ("created", "observed"),
        ("allocated", "observed"),
    ]
    assert all(event.at < now for event in events())
    # By the clock of the API server alone the wait is right.
    assert last("allocated").waited_microseconds == 1_000_000
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert len(events()) == 2


def test_a_clock_that_is_far_behind_tells_nothing_not_even_of_another_allocation(followed: Followed) -> None:
    created = recently()
    for at in (datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC) + SECOND):
        followed.store.put(allocated(at, creationTimestamp=stamp(created)))
        followed.applied()
    assert [(event.kind, event.source) for event in events()] == [
        ("created", "server"),
        ("allocated", "observed"),
    ]
    assert last("allocated").at >= created


def test_clocks_that_are_a_little_apart_make_no_wait_of_less_than_nothing(followed: Followed) -> None:
    created = recently()
    followed.store.put(allocated(created - SECOND, creationTimestamp=stamp(created)))
    followed.applied()
    followed.applied(in_full=True)
    given = last("allocated")
    assert (given.at, given.waited_microseconds) == (created, 0)
    assert kinds() == ["created", "allocated"]


def test_no_claim_has_waited_for_longer_than_until_it_was_seen(followed: Followed) -> None:
    created, ahead = recently(), recently() + 3 * HOUR
    followed.store.put(allocated(ahead, creationTimestamp=stamp(created)))
    followed.applied()
    seen = timezone.now() - created
    waited = last("allocated").waited_microseconds
    assert waited is not None
    assert timedelta() <= timedelta(microseconds=waited) <= seen


def test_a_claim_under_the_name_of_another_has_its_own_events(followed: Followed) -> None:
    for _ in range(2):
        followed.store.put(allocated(recently()))
        followed.applied()
        followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
        followed.applied()
    by_claim = list(ClaimEvent.objects.order_by("pk").values_list("claim_uid", flat=True))
    assert by_claim == [by_claim[0]] * 4 + [by_claim[4]] * 4
    assert by_claim[0] != by_claim[4]


def test_what_is_read_again_is_not_told_again(followed: Followed) -> None:
    held = followed.store
    held.put(reserved(held, at=recently()))
    held.put(allocated(None, name="d"))
    followed.applied()
    before = list(ClaimEvent.objects.order_by("pk").values())
    followed.applied(in_full=True)
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert list(ClaimEvent.objects.order_by("pk").values()) == before


def test_of_a_first_reading_only_a_pods_own_claim_tells_how_long_it_had_waited(follow: Follow) -> None:
    made = recently() - HOUR
    at = {"creationTimestamp": stamp(made)}
    held = store(resource_slice(card()))
    held.put(allocated(made + SECOND, name="own", **at, **OF_A_POD))
    held.put(allocated(made + SECOND, name="shared", **at))
    held.put(allocated(None, name="untold", **at, **OF_A_POD))
    follow(held).applied()
    waited = dict(
        ClaimEvent.objects.filter(kind="allocated").values_list("claim_name", "waited_microseconds")
    )
    assert waited == {"own": 1_000_000, "shared": None}
    # It was allocated at some time before that.
    assert kinds("untold") == ["created"]


def test_of_a_day_that_was_not_read_no_wait_is_told(followed: Followed, clock: Clock) -> None:
    followed.store.put(claim("c"))
    followed.applied()
    clock.wrong_by = timedelta(days=1)
    followed.store.put(allocated(None))
    followed.applied()
    event = last("allocated")
    assert (event.source, event.waited_microseconds) == ("observed", None)
    assert event.not_before is not None
    assert event.at - event.not_before > timedelta(hours=23)


def test_of_a_cluster_that_was_read_before_what_the_server_says_is_told(followed: Followed) -> None:
    given = recently() - HOUR
    followed.store.put(allocated(given, creationTimestamp=stamp(given - SECOND)))
    followed.store.put(allocated(None, name="d"))
    followed.store.put(claim("e"))
    followed.applied()
    ClaimEvent.objects.all().delete()
    KindState.objects.update(layout=progress.LAYOUT - 1)
    followed.applied()
    assert (kinds("c"), kinds("d"), kinds("e")) == (["created", "allocated"], ["created"], ["created"])
    followed.store.put(claim("c"))
    followed.store.put(allocated(None, name="e"))
    followed.applied()
    assert (kinds("c")[2:], kinds("e")[1:]) == (["deallocated"], ["allocated"])


def test_events_are_those_of_the_team_of_the_time(followed: Followed) -> None:
    followed.store.put(claim("c"))
    followed.applied()
    TeamNamespace.objects.create(team=make_team("vision"), namespace="team-a")
    followed.store.put(allocated(None))
    followed.applied()
    assert [event.team_slug for event in events()] == ["", "vision"]


def test_what_a_claim_held_that_was_not_seen_to_go_was_given_back(followed: Followed) -> None:
    followed.store.put(allocated(None))
    followed.applied()
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied(in_full=True)
    assert kinds() == ["created", "allocated", "deallocated", "deleted"]


def test_what_is_older_than_events_are_kept_is_not_told(followed: Followed) -> None:
    made = datetime(1, 1, 2, tzinfo=UTC)
    followed.store.put(allocated(made + SECOND, creationTimestamp=stamp(made)))
    followed.applied()
    assert kinds() == []
    followed.store.put(claim("c"))
    followed.applied()
    assert kinds() == ["deallocated"]
