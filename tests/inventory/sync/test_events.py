"""What may come over a watch, in whatever order."""

from collections.abc import Sequence

import pytest

from demo.faults import CutWatch, ExpireWatch, Fault
from inventory.models import KindState, ShareInterval
from inventory.sync.poll import poll_cluster
from tests.drills.faults import ALWAYS, EndWatch
from tests.inventory.sync.books import CLAIMS, RESOURCES, balance, shared
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import IN_PAGES, card, claim, resource_slice, store

SHARES: Sequence[str] = [f"{number}" * 8 + "-1111-4111-8111-111111111111" for number in range(1, 4)]


def test_shares_given_and_given_back_within_one_batch_leave_their_intervals(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    for share in SHARES:
        followed.store.put(claim("c", shared(share_id=share)))
        followed.store.put(claim("c"))
    followed.store.put(claim("c", shared(share_id=SHARES[0])))
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    intervals = ShareInterval.objects.order_by("started_at", "pk")
    assert list(intervals.values_list("share_id", flat=True)) == [*SHARES, SHARES[0]]
    assert not intervals.filter(ended_at=None).exists()
    assert balance("memory") == ("24Gi", "0", "24Gi")


@pytest.mark.parametrize("fault", [EndWatch(), CutWatch(), ExpireWatch()])
def test_a_watch_that_never_lasts_is_not_asked_for_in_a_loop(follow: Follow, fault: Fault) -> None:
    followed = follow(store(resource_slice(card()), claim("c")), version=IN_PAGES)
    followed.applied()
    asked = followed.server.requests.count(CLAIMS)
    followed.server.faults.inject(CLAIMS, fault, times=ALWAYS)
    assert poll_cluster(followed.cluster.pk, seconds=2).ended == "applied"
    assert followed.server.requests.count(CLAIMS) - asked <= 4


def test_a_kind_whose_watch_breaks_off_before_it_tells_anything_is_not_called_fresh(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c")))
    followed.applied()
    before = KindState.objects.get(kind="resourceclaims").succeeded_at
    followed.store.put(claim("c", shared()))
    followed.server.faults.inject(CLAIMS, CutWatch(), times=ALWAYS)
    poll_cluster(followed.cluster.pk, seconds=2)
    assert KindState.objects.get(kind="resourceclaims").succeeded_at == before
    followed.server.faults.clear()
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
