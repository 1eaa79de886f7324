"""What devices there were, and when."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from inventory.models import DeviceInterval, KindState
from inventory.sync import progress
from tests.inventory.sync.books import RESOURCES, shared
from tests.inventory.sync.conftest import Clock, Follow
from tests.inventory.sync.objects import HAMI, card, claim, resource_slice, result, store

LARGER = {"memory": {"value": "48Gi"}, "cores": {"value": "100"}}


def rows(**which: Any) -> list[DeviceInterval]:
    return list(DeviceInterval.objects.filter(**which).order_by("device", "pk"))


def test_a_device_is_kept_as_it_is_published(follow: Follow) -> None:
    before = timezone.now()
    follow(store(resource_slice(card()))).applied()
    (one,) = rows()
    assert (one.driver, one.pool, one.device) == (HAMI, "node-1", "hami-gpu-0")
    assert (one.node, one.product, one.uuid) == ("node-1", "NVIDIA L4", "GPU-hami-gpu-0")
    assert (one.accelerator, one.card, one.partitioned) == (True, "hami-gpu-0", False)
    assert one.capacity == one.card_capacity == {"memory": "24Gi", "cores": "100"}
    assert before < one.started_at < timezone.now()
    assert one.ended_at is None


def test_an_amount_that_cannot_be_read_is_not_known(follow: Follow) -> None:
    odd = {"memory": {"value": "lots"}, "cores": {"value": "-1"}, "slots": {"value": "7"}}
    follow(store(resource_slice(card(capacity=odd)))).applied()
    (one,) = rows()
    assert one.capacity == one.card_capacity == {"memory": None, "cores": None, "slots": "7"}


def test_partitions_are_kept_with_the_card_that_they_are_of(follow: Follow) -> None:
    def part(name: str, memory: str) -> Any:
        drawn = [{"counterSet": "gpu-0", "counters": {"memory": {"value": memory}}}]
        return card(name, capacity={"memory": {"value": memory}}, consumesCounters=drawn)

    counters = [{"name": "gpu-0", "counters": {"memory": {"value": "40Gi"}}}]
    parts = part("whole", "40Gi"), part("half", "20Gi")
    follow(store(resource_slice(*parts, sharedCounters=counters))).applied()
    half, whole = rows()
    assert (half.card, half.partitioned, half.capacity) == ("whole", True, {"memory": "20Gi"})
    assert half.card_capacity == whole.card_capacity == whole.capacity == {"memory": "40Gi"}


def test_what_is_no_accelerator_has_no_card(follow: Follow) -> None:
    other = resource_slice(card("nic-0", attributes={}, capacity={}), driver="nic.example.com")
    follow(store(other)).applied()
    (one,) = rows()
    assert (one.accelerator, one.card, one.card_capacity) == (False, "", {})


def test_one_that_is_published_otherwise_begins_where_it_ended(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.store.put(resource_slice(card(capacity=LARGER), generation=2))
    followed.applied()
    first, second = rows()
    assert (first.ended_at, second.ended_at) == (second.started_at, None)
    assert (first.capacity["memory"], second.capacity["memory"]) == ("24Gi", "48Gi")


def test_one_that_is_published_again_goes_on(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    before = list(DeviceInterval.objects.values())
    same = {"memory": {"value": "24576Mi"}, "cores": {"value": "100"}}
    followed.store.put(resource_slice(card(capacity=same), generation=2))
    followed.applied()
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert list(DeviceInterval.objects.values()) == before


def test_one_that_is_removed_ends(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.store.delete(RESOURCES["resourceslices"], "", "slice-1")
    followed.applied()
    (one,) = rows()
    assert one.ended_at is not None


def test_one_that_is_renamed_is_another_and_what_is_held_stays_on_the_old_one(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    renamed = card("gpu-a", attributes=card()["attributes"])
    followed.store.put(resource_slice(renamed, generation=2))
    followed.applied()
    new, old = rows()
    assert (new.device, old.device, new.uuid) == ("gpu-a", "hami-gpu-0", old.uuid)
    assert (new.started_at, new.ended_at) == (old.ended_at, None)


def test_of_a_pool_that_is_incomplete_what_is_listed_stays(follow: Follow) -> None:
    followed = follow(store(resource_slice(card(), count=2), resource_slice(card("b"), name="s-2", count=2)))
    followed.applied()
    followed.store.put(resource_slice(card(), generation=2, count=2))
    followed.applied()
    other, listed = rows()
    assert (other.ended_at is None, listed.ended_at is None) == (False, True)
    followed.store.put(resource_slice(card("b"), name="s-2", generation=2, count=2))
    followed.applied()
    assert len(rows(device="b", ended_at=None)) == len(rows(device="hami-gpu-0")) == 1


def test_what_claims_hold_changes_nothing(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    before = list(DeviceInterval.objects.values())
    followed.store.put(claim("c", result(consumedCapacity={"unheard-of": "1"})))
    followed.applied()
    progress.begin_anew(followed.cluster)
    followed.applied()
    assert list(DeviceInterval.objects.values()) == before


def test_one_that_comes_back_while_clocks_step_back_overlaps_nothing(follow: Follow, clock: Clock) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.store.delete(RESOURCES["resourceslices"], "", "slice-1")
    followed.applied()
    clock.wrong_by = -timedelta(hours=1)
    followed.store.put(resource_slice(card()))
    followed.applied()
    first, second = rows()
    assert (second.started_at, second.ended_at) == (first.ended_at, None)


def test_a_cluster_that_was_read_before_is_told_with_the_next_poll(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    DeviceInterval.objects.all().delete()
    KindState.objects.update(layout=progress.LAYOUT - 1)
    followed.applied()
    (one,) = rows()
    assert (one.device, one.ended_at) == ("hami-gpu-0", None)
