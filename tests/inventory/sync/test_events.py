"""What may come over a watch, in whatever order."""

from collections.abc import Sequence

from inventory.models import ShareInterval
from tests.inventory.sync.books import RESOURCES, balance, shared
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, claim, resource_slice, store

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
