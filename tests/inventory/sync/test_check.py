"""Stored balances against what the ledger derives."""

from demo import recorded
from inventory.models import Balance
from inventory.sync.check import differences
from inventory.sync.progress import begin_anew
from tests.inventory.sync.books import shared
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, claim, resource_slice, store


def test_stored_balances_are_what_the_ledger_derives(follow: Follow) -> None:
    followed: Followed = follow(recorded.store())
    followed.applied()
    assert list(differences(followed.cluster)) == []


def test_a_stored_balance_that_was_changed_is_found(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    Balance.objects.filter(dimension="memory").update(remaining=1)
    (difference,) = differences(followed.cluster)
    assert "remaining is stored as 1, the ledger derives 17179869184" in difference
    begin_anew(followed.cluster)
    followed.applied()
    assert list(differences(followed.cluster)) == []
