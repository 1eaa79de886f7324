"""Clocks that step while a cluster is followed: an hour back, an hour ahead."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from demo import generated
from demo.churn import Churn, run
from inventory.models import KindState, Lease, ShareInterval
from inventory.sync import lease
from inventory.sync.parts import PARTS
from inventory.sync.poll import poll_cluster
from tests.drills.past import past_faults
from tests.drills.reader import history_faults, untold
from tests.inventory.sync.books import shared
from tests.inventory.sync.conftest import Clock, Follow
from tests.inventory.sync.objects import card, claim, resource_slice, store
from tests.inventory.sync.rows import rows

HOUR = timedelta(hours=1)


@pytest.mark.parametrize("step", [-HOUR, HOUR])
def test_a_clock_that_steps_while_a_cluster_is_followed_bends_no_history(
    follow: Follow, clock: Clock, step: timedelta
) -> None:
    held = generated.cluster(16, 40, seed=1, managed_fields=False)
    followed, churn, stopped = follow(held), Churn(held, 7), threading.Event()
    followed.applied()
    since = held.revision
    living = threading.Thread(target=run, args=(churn, 200, stopped))
    steps = threading.Timer(0.7, setattr, (clock, "wrong_by", step))
    living.start()
    steps.start()
    poll_cluster(followed.cluster.pk, seconds=1.5)
    stopped.set()
    living.join()
    followed.applied()
    clock.wrong_by = timedelta()
    for _ in range(60):
        churn.step()
    followed.applied()
    cluster = followed.cluster.pk
    assert history_faults(rows, cluster=cluster) == []
    assert past_faults(rows, cluster=cluster) == []
    assert untold(held.changes_after(since), rows, cluster=cluster) == []
    assert not KindState.objects.exclude(state=KindState.State.READ).exists()


@pytest.mark.parametrize("step", [-HOUR, HOUR])
def test_what_an_interval_says_of_its_ends_is_in_order_whatever_the_clock_says(
    follow: Follow, clock: Clock, step: timedelta
) -> None:
    followed = follow(store(resource_slice(card()), claim("c"), claim("d", shared())))
    followed.applied()
    clock.wrong_by = step
    followed.store.put(claim("c", shared("1Gi", "1")))
    followed.store.put(claim("d"))
    followed.applied()
    given, given_back = ShareInterval.objects.get(claim_name="c"), ShareInterval.objects.get(claim_name="d")
    assert given.started_not_before is not None
    assert given.started_not_before <= given.started_at
    assert given_back.ended_not_before is not None
    assert given_back.ended_at is not None
    assert given_back.ended_not_before <= given_back.ended_at
    assert given_back.started_at <= given_back.ended_at


@pytest.mark.parametrize("step", [-HOUR, HOUR])
def test_whoever_holds_a_lease_when_the_clock_steps_is_never_one_of_two(
    follow: Follow, clock: Clock, step: timedelta
) -> None:
    cluster = follow(generated.cluster(4, 4)).cluster
    first = lease.take(cluster.pk, PARTS, timezone.now(), 60)
    assert first is not None
    clock.wrong_by = step
    second = lease.take(cluster.pk, PARTS, timezone.now(), 60)
    if second is None:
        lease.renew(first, timezone.now())
    else:
        with pytest.raises(lease.LeaseLost):
            lease.renew(first, timezone.now())
    assert Lease.objects.exclude(holder="").count() == len(PARTS)
