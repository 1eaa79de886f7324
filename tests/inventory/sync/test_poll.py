"""One poll after another."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from demo import recorded
from inventory.models import Claim, Consumer, Device, PodClaim, Share
from tests.inventory.sync.books import RESOURCES, balance, shared, snapshot
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, claim, consumer, pod, resource_slice, store


def test_a_second_poll_of_an_unchanged_cluster_writes_nothing(follow: Follow) -> None:
    followed = follow(recorded.store())
    assert followed.applied().changes > 0
    before, revision = snapshot(), followed.cluster.revision
    assert followed.applied().changes == 0
    assert (snapshot(), followed.cluster.revision) == (before, revision)


def test_the_number_of_queries_does_not_grow_with_the_objects(follow: Follow) -> None:
    def queries(cards: int, name: str) -> int:
        found = follow(store(resource_slice(*(card(f"gpu-{number}") for number in range(cards)))), name)
        found.applied()
        with CaptureQueriesContext(connection) as captured:
            found.applied()
        return len(captured)

    assert queries(2, "small") == queries(100, "large")


def test_a_claim_that_goes_gives_back_what_it_held(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert not Share.objects.exists()


def test_a_claim_that_is_deallocated_gives_back_what_it_held(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.store.put(claim("c"))
    followed.applied()
    assert (balance("cores"), Claim.objects.get().state) == (("100", "0", "100"), "pending")


def test_a_claim_under_deletion_still_holds(follow: Follow) -> None:
    held = claim("c", shared(), finalizers=["resource.kubernetes.io/delete-protection"])
    followed = follow(store(resource_slice(card()), held))
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert Claim.objects.get().state == "deleted,allocated"
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")


def test_a_claim_reserved_by_many_pods_counts_once(follow: Follow) -> None:
    held = store(resource_slice(card()))
    pods = [held.put(pod(f"p-{number}")) for number in range(3)]
    held.put(claim("c", shared(), consumers=tuple(consumer(one) for one in pods)))
    follow(held).applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    assert Device.objects.get().shares == 1
    assert PodClaim.objects.filter(reserved=True).count() == 3


def test_admin_access_with_full_consumption_counts_nothing(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", shared("24Gi", "100", adminAccess=True)))).applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert (Device.objects.get().state, Device.objects.get().shares) == ("free", 0)


def test_a_claim_that_came_back_under_its_name_is_another_claim(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    before = Claim.objects.get().uid
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.store.put(claim("c", shared("4Gi", "10")))
    followed.applied()
    assert Claim.objects.get().uid != before
    assert balance("memory") == ("24Gi", "4Gi", "20Gi")


def test_a_consumer_whose_pod_is_gone_is_told_so(follow: Follow) -> None:
    held = store(resource_slice(card()))
    alive = held.put(pod("alive"))
    gone = {"resource": "pods", "name": "alive", "uid": "00000000-0000-4000-8000-000000000000"}
    other = {"apiGroup": "example.com", "resource": "widgets", "name": "w", "uid": "x"}
    held.put(claim("c", shared(), consumers=(consumer(alive), gone, other)))
    follow(held).applied()
    assert list(Consumer.objects.order_by("position").values_list("gone", flat=True)) == [False, True, None]
