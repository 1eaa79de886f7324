"""What a cluster comes to event by event is what it is when read at once."""

import threading
from random import Random

import pytest

from demo import generated, recorded
from demo.churn import Churn, run
from demo.faults import CutWatch, DuplicateEvents
from inventory.models import Cluster, Device
from inventory.sync import check
from inventory.sync.compare import compare_cluster
from inventory.sync.poll import poll_cluster
from tests.drills.past import past_faults
from tests.drills.reader import history_faults, untold
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.rows import rows
from tests.inventory.sync.tables import differences, held, tables

_WATCHED = ("*/resourceclaims", "*/pods", "*/resourceslices", "*/nodes")


def live(followed: Followed, churn: Churn, seconds: float) -> None:
    """Poll while it changes."""
    stopped = threading.Event()
    thread = threading.Thread(target=run, args=(churn, 400, stopped))
    thread.start()
    poll_cluster(followed.cluster.pk, seconds=seconds)
    stopped.set()
    thread.join()


def grow(followed: Followed, churn: Churn, random: Random, *, in_full: bool) -> None:
    """Some changes and a poll: after them, or in their midst, with or without a fault on the way."""
    match random.randrange(6):
        case 0:
            followed.server.faults.inject(random.choice(_WATCHED), CutWatch(random.randrange(4)))
        case 1:
            followed.server.faults.inject(random.choice(_WATCHED), DuplicateEvents())
        case 2:
            live(followed, churn, random.uniform(0, 0.4))
    for _ in range(random.choice((1, 3, 10, 40, 150))):
        churn.step()
    # A list that is cut, too, is for the next poll.
    followed.poll(in_full=in_full)


@pytest.mark.parametrize("seed", range(4))
def test_the_rows_after_many_polls_are_those_of_one_that_reads_all(follow: Follow, seed: int) -> None:
    random = Random(seed)
    living = generated.cluster(16, 50, seed, managed_fields=False) if seed % 2 else recorded.store()
    # Another seed: the same one would give the same UIDs.
    followed, churn = follow(living), Churn(living, 1000 + seed)
    followed.applied()
    began = living.revision
    for _ in range(random.randrange(4, 10)):
        grow(followed, churn, random, in_full=seed > 1 and random.randrange(5) == 0)
    # What a device was that is gone while somebody holds it, only those know who have seen it.
    while Device.objects.filter(listed=False).exists():
        grow(followed, churn, random, in_full=False)
    followed.server.faults.clear()
    followed.applied()

    kubeconfig = followed.cluster.kubeconfig
    anew = Followed(followed.server, Cluster.objects.create(name="anew", kubeconfig=kubeconfig))
    anew.applied()
    assert differences(tables(followed.cluster), tables(anew.cluster)) == []
    assert held(followed.cluster) == held(anew.cluster)
    assert history_faults(rows, cluster=followed.cluster.pk) == []
    assert past_faults(rows, cluster=followed.cluster.pk) == []
    # Between two lists a share may come and go unseen, between two events never.
    assert seed > 1 or untold(living.changes_after(began), rows, cluster=followed.cluster.pk) == []
    assert list(check.differences(followed.cluster)) == []
    assert compare_cluster(followed.cluster.pk) == 0
