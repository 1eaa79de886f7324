"""The history of shares."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from inventory.models import InstantSource, Share, ShareInterval
from inventory.sync import progress
from tests.inventory.sync.books import GIVEN, RESOURCES, allocated, shared, stamp
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import HAMI, SHARE, card, claim, resource_slice, result, store


def test_a_share_begins_when_the_claim_was_allocated(follow: Follow) -> None:
    follow(store(resource_slice(card()), allocated(GIVEN))).applied()
    (interval,) = ShareInterval.objects.all()
    assert (interval.started_at, interval.started_source) == (GIVEN, InstantSource.ALLOCATION)
    assert interval.started_not_before is None
    assert interval.ended_at is None
    assert (interval.namespace, interval.claim_name, interval.device) == ("team-a", "c", "hami-gpu-0")
    assert interval.consumed == {"memory": "8Gi", "cores": "50"}
    share = Share.objects.get()
    assert (share.started_at, share.started_source) == (GIVEN, InstantSource.ALLOCATION)


def test_without_a_timestamp_it_begins_when_it_was_seen_and_that_is_told(follow: Follow) -> None:
    before = timezone.now()
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    followed.store.put(allocated(None))
    followed.applied()
    (interval,) = ShareInterval.objects.all()
    assert before < interval.started_at < timezone.now()
    assert interval.started_source == InstantSource.OBSERVED
    assert interval.started_not_before is not None
    assert before <= interval.started_not_before <= interval.started_at


def test_what_was_held_before_the_first_reading_began_after_its_claim_was_made(follow: Follow) -> None:
    follow(store(resource_slice(card()), allocated(None, creationTimestamp="2026-11-29T07:00:00Z"))).applied()
    not_before = ShareInterval.objects.get().started_not_before
    assert not_before == datetime(2026, 11, 29, 7, 0, tzinfo=UTC)


def test_a_share_ends_with_its_allocation_and_stays_in_history(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    last_known = timezone.now()
    followed.store.put(claim("c"))
    followed.applied()
    (interval,) = ShareInterval.objects.all()
    assert interval.ended_at is not None
    assert interval.ended_at > last_known
    assert interval.ended_not_before is not None
    assert interval.ended_not_before <= last_known
    assert not Share.objects.exists()


def test_a_share_ends_with_its_claim(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert ShareInterval.objects.get().ended_at is not None


def test_what_is_read_again_is_not_doubled(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN), allocated(None, name="d")))
    followed.applied()
    before = list(ShareInterval.objects.order_by("pk").values())
    followed.applied(in_full=True)
    followed.applied()
    assert list(ShareInterval.objects.order_by("pk").values()) == before


def test_a_device_that_is_given_anew_to_the_same_claim_is_another_interval(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    again = GIVEN + timedelta(hours=1)
    followed.store.put(allocated(again))
    followed.applied()
    first, second = ShareInterval.objects.order_by("started_at")
    assert (first.started_at, first.ended_at) == (GIVEN, again)
    assert (second.started_at, second.ended_at) == (again, None)


def test_a_share_that_is_given_back_at_once_is_not_lost(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    followed.store.put(allocated(GIVEN))
    followed.store.put(claim("c"))
    followed.store.put(allocated(GIVEN + timedelta(minutes=1), shared(share_id=SHARE.replace("1", "2"))))
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    intervals = ShareInterval.objects.order_by("started_at")
    assert [one.started_at for one in intervals] == [GIVEN, GIVEN + timedelta(minutes=1)]
    assert all(one.ended_at is not None for one in intervals)


def test_a_claim_that_comes_back_under_its_name_has_a_history_of_its_own(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.store.put(allocated(GIVEN + timedelta(hours=1)))
    followed.applied()
    first, second = ShareInterval.objects.order_by("started_at")
    assert first.claim_uid != second.claim_uid
    assert (first.ended_at is None, second.ended_at is None) == (False, True)


def test_a_share_does_not_begin_long_before_its_claim_was_made_whatever_that_says(follow: Follow) -> None:
    before = timezone.now()
    long_ago = allocated(datetime(1970, 1, 1, tzinfo=UTC), creationTimestamp=stamp(GIVEN))
    followed = follow(store(resource_slice(card()), long_ago))
    followed.applied()
    interval = ShareInterval.objects.get()
    assert before < interval.started_at < timezone.now()
    assert (interval.started_source, interval.started_not_before) == (InstantSource.OBSERVED, GIVEN)
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert ShareInterval.objects.get() == interval


def test_where_clocks_are_a_little_apart_a_share_begins_when_its_claim_was_made(follow: Follow) -> None:
    early = allocated(GIVEN - timedelta(seconds=2), creationTimestamp=stamp(GIVEN))
    follow(store(resource_slice(card()), early)).applied()
    interval = ShareInterval.objects.get()
    assert (interval.started_at, interval.started_source) == (GIVEN, InstantSource.ALLOCATION)


def test_a_share_does_not_begin_after_it_was_seen_whatever_its_claim_says(follow: Follow) -> None:
    ahead = timezone.now().replace(microsecond=0) + timedelta(hours=3)
    followed = follow(store(resource_slice(card()), allocated(ahead)))
    followed.applied()
    interval = ShareInterval.objects.get()
    assert interval.started_at <= timezone.now()
    assert (interval.started_source, interval.given_at) == (InstantSource.OBSERVED, ahead)
    share = Share.objects.get()
    assert (share.started_at, share.started_source) == (interval.started_at, InstantSource.OBSERVED)
    followed.applied(in_full=True)
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert ShareInterval.objects.get() == interval
    assert Share.objects.get().started_at == interval.started_at
    # What it says still tells one allocation from another.
    followed.store.put(allocated(ahead + timedelta(minutes=1)))
    followed.applied()
    first, second = ShareInterval.objects.order_by("pk")
    assert (first.ended_at, second.started_at) == (second.started_at, second.started_at)
    followed.store.put(claim("c"))
    followed.applied()
    second.refresh_from_db()
    assert second.ended_at is not None
    assert second.started_at <= second.ended_at <= timezone.now()


def test_a_timestamp_from_before_the_last_interval_is_kept_beside_it(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.put(claim("c"))
    followed.applied()
    followed.store.put(allocated(GIVEN - timedelta(hours=1)))
    followed.applied()
    before = list(ShareInterval.objects.order_by("pk").values())
    assert [row["started_at"] for row in before] == [GIVEN, GIVEN]
    assert before[1]["given_at"] == GIVEN - timedelta(hours=1)
    shares = list(Share.objects.values())
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert list(ShareInterval.objects.order_by("pk").values()) == before
    assert list(Share.objects.values()) == shares


def test_an_interval_keeps_the_device_class_that_was_asked_for(follow: Follow) -> None:
    held = allocated(GIVEN, shared(), result("hami-gpu-1", request="any/small"), result(request="other"))
    entry = {"name": "small", "deviceClassName": "gpu-small"}
    held["spec"]["devices"]["requests"].append({"name": "any", "firstAvailable": [entry]})
    followed = follow(store(resource_slice(card(), card("hami-gpu-1")), held))
    followed.applied()
    classes = dict(ShareInterval.objects.values_list("request", "device_class"))
    assert classes == {"gpu": HAMI, "any/small": "gpu-small", "other": ""}
    # As rows from before it was kept are.
    ShareInterval.objects.update(device_class="")
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert dict(ShareInterval.objects.values_list("request", "device_class")) == classes


def test_two_results_for_one_device_are_one_interval(follow: Follow) -> None:
    held = allocated(GIVEN, result(share_id=None), result(share_id=None))
    followed = follow(store(resource_slice(card()), held))
    followed.applied()
    followed.applied(in_full=True)
    assert (Share.objects.count(), ShareInterval.objects.count()) == (2, 1)


def test_history_stays_when_the_device_goes(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.store.delete(RESOURCES["resourceslices"], "", "slice-1")
    followed.applied()
    assert ShareInterval.objects.get().device == "hami-gpu-0"


def test_a_share_that_is_given_again_while_clocks_step_back_overlaps_nothing(
    follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = follow(store(resource_slice(card()), allocated(None)))
    followed.applied()
    followed.store.put(claim("c"))
    followed.applied()
    real = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: real() - timedelta(hours=1))
    followed.store.put(allocated(None))
    followed.applied()
    first, second = ShareInterval.objects.order_by("pk")
    assert (second.started_at, second.ended_at) == (first.ended_at, None)


def test_a_timestamp_before_the_observed_end_corrects_that_end(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.put(claim("c"))
    followed.applied()
    again = GIVEN + timedelta(minutes=5)
    followed.store.put(allocated(again))
    followed.applied()
    first, second = ShareInterval.objects.order_by("pk")
    assert (first.ended_at, second.started_at) == (again, again)


def test_a_share_that_is_given_back_and_given_again_at_once_is_two(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(None)))
    followed.applied()
    followed.store.put(claim("c"))
    followed.store.put(allocated(None))
    followed.applied()
    first, second = ShareInterval.objects.order_by("pk")
    assert first.ended_at is not None
    assert (second.started_at >= first.ended_at, second.ended_at) == (True, None)
