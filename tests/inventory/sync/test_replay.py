"""Events that are told again, from any point on, change nothing of the past."""

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from demo import generated
from demo.churn import Churn
from demo.store import Change
from inventory.models import ClaimEvent, DeviceInterval, PodInterval, ShareInterval
from inventory.sync.check_history import differences
from tests.drills.faults import Tell
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import named

_HISTORY: Sequence[type[Any]] = (ClaimEvent, DeviceInterval, PodInterval, ShareInterval)


def history() -> dict[str, list[dict[str, Any]]]:
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in _HISTORY}


def line(kind: str, body: bytes) -> bytes:
    return b'{"type":"%s","object":%s}\n' % (kind.encode(), body)


def of_change(change: Change) -> bytes:
    kind = "DELETED" if change.deleted else "MODIFIED" if change.before else "ADDED"
    return line(kind, change.record.body)


def tell_again(followed: Followed, changes: Sequence[Change]) -> None:
    """To each watch its own, and then that this was all."""
    followed.store.put(named("v1", "Node", f"node-of-{followed.store.revision}"))
    for resource in {change.resource for change in changes}:
        at = {"resourceVersion": str(followed.store.revision)}
        end = named(resource.api_version, resource.kind, "", metadata=at)
        told = [of_change(change) for change in changes if change.resource is resource]
        fault = Tell(*told, line("BOOKMARK", msgspec.json.encode(end)))
        followed.server.faults.inject(f"*/{resource.plural}", fault)
    followed.applied()
    followed.server.faults.clear()


@pytest.mark.parametrize("seed", [1, 2])
def test_any_suffix_of_events_changes_nothing(follow: Follow, seed: int) -> None:
    random, held = Random(seed), generated.cluster(8, 20, seed=seed, managed_fields=False)
    followed, churn = follow(held), Churn(held, seed)
    followed.applied()
    since = held.revision
    for _ in range(4):
        for _ in range(random.randrange(50, 200)):
            churn.step()
        followed.applied()
    before, changes = history(), held.changes_after(since)
    assert before["ClaimEvent"]
    assert list(differences(followed.cluster)) == []
    for _ in range(3):
        tell_again(followed, changes[random.randrange(len(changes)) :])
        assert history() == before
    followed.applied(in_full=True)
    assert history() == before
