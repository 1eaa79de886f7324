import pytest

from inventory.models import Claim, Device, Pool, SkippedObject
from inventory.models.devices import DeviceState
from inventory.queries.overview import Overview, overview
from inventory.queries.slices import known_teams
from inventory.viewer import EVERYTHING
from tests.factories import later, make_claim, make_cluster, make_device, make_namespace, make_pod, make_pool

pytestmark = pytest.mark.django_db


def found(*clusters: str) -> Overview:
    return overview(clusters, known_teams(viewer=EVERYTHING), viewer=EVERYTHING)


def test_before_a_cluster_is_known_there_is_nothing() -> None:
    assert found().cards.total == 0
    assert found().oddities.skipped == 0


def test_pods_without_a_node_and_claims_that_no_pod_uses_wait() -> None:
    claim = make_claim(state=Claim.State.PENDING)
    make_claim(state=Claim.State.PENDING)
    make_pod("later", uses=claim, reserved=False, phase="Pending", created_at=later(-60))
    make_pod("first", uses=claim, reserved=False, phase="Pending", created_at=later(-90))

    waiting = found().waiting

    assert (waiting.count, waiting.since) == (2, later(-90))
    assert [pod.name for pod in waiting.pods] == ["first", "later"]
    assert waiting.claims_unused == 1


def test_oddities_are_those_of_all_clusters_or_of_the_named_ones() -> None:
    for name in ("east", "west"):
        cluster = make_cluster(name)
        make_device(pool=make_pool("gappy", cluster=cluster, state=Pool.State.INCOMPLETE))
        make_claim(namespace=make_namespace(cluster=cluster), state=Claim.State.ALLOCATED)
        SkippedObject.objects.create(cluster=cluster, kind="pods", name="odd", reason="no name")
    Device.objects.update(state=DeviceState.NOT_PUBLISHED, shares=1)

    both, one = found().oddities, found("west").oddities

    assert ([pool.cluster for pool in one.pools], len(both.pools)) == (["west"], 2)
    assert (both.skipped, both.vanished, both.claims_idle) == (2, 2, 2)
    assert (one.skipped, one.vanished, one.claims_idle) == (1, 1, 1)
