"""Whether a poll hands its cluster on: with a real broker and the demo API server."""

from datetime import timedelta
from pathlib import Path

import pytest
import redis
from django.utils import timezone
from pytest_django import Settings

from demo import recorded
from demo.server import ApiServer
from inventory.models import Cluster, KindState
from inventory.tasks import compare_clusters, poll_cluster
from tests.inventory.waiting import waiting


@pytest.mark.django_db
@pytest.mark.parametrize("paused", [False, True])
def test_a_cluster_is_handed_on_unless_it_is_paused(
    broker: redis.Redis, settings: Settings, tmp_path: Path, paused: bool
) -> None:
    settings.SLICEBOARD_POLL_SECONDS = 1
    with ApiServer(recorded.store()) as server:
        path = str(server.kubeconfig(tmp_path / "kubeconfig"))
        cluster = Cluster.objects.create(name="lab", kubeconfig=path, enabled=not paused)
        poll_cluster(cluster.pk, ["devices"])
    # What was asked for is read either way.
    assert KindState.objects.get(cluster=cluster, kind="nodes").state == KindState.State.READ
    assert waiting(broker) == ([] if paused else [[cluster.pk, ["devices"]]])


@pytest.mark.django_db
def test_a_cluster_that_has_grown_very_large_is_handed_on_part_by_part(
    broker: redis.Redis, settings: Settings, tmp_path: Path
) -> None:
    settings.SLICEBOARD_POLL_SECONDS = 1
    settings.SLICEBOARD_SPLIT_MIB = 0
    with ApiServer(recorded.store()) as server:
        path = str(server.kubeconfig(tmp_path / "kubeconfig"))
        cluster = Cluster.objects.create(name="lab", kubeconfig=path, queue="large")
        poll_cluster(cluster.pk)
    assert waiting(broker, "large") == [[cluster.pk, ["pods"]], [cluster.pk, ["devices"]]]


@pytest.mark.django_db
def test_a_poll_that_waited_while_another_failed_asks_nobody_before_the_time(
    broker: redis.Redis, tmp_path: Path
) -> None:
    with ApiServer(recorded.store()) as server:
        path = str(server.kubeconfig(tmp_path / "kubeconfig"))
        later = timezone.now() + timedelta(minutes=1)
        cluster = Cluster.objects.create(name="lab", kubeconfig=path, retry_at=later)
        poll_cluster(cluster.pk)
        assert server.requests.count("*") == 0
    assert waiting(broker) == []


@pytest.mark.django_db
def test_a_comparison_goes_to_the_workers_of_the_cluster(broker: redis.Redis) -> None:
    cluster = Cluster.objects.create(name="lab", queue="large", observed_at=timezone.now())
    compare_clusters()
    assert waiting(broker, "large") == [[cluster.pk]]
