from typing import Any

from django.apps import apps

from demo import recorded
from inventory.models import Cluster
from inventory.sync.compare import compare_cluster
from inventory.sync.poll import poll_cluster
from inventory.sync.remove import remove
from tests.inventory.sync.conftest import Follow


def _rows() -> dict[str, int]:
    models: list[Any] = list(apps.get_app_config("inventory").get_models())
    return {model.__name__: found for model in models if (found := model.objects.count())}


def test_nothing_is_left_of_a_cluster_that_is_removed(follow: Follow) -> None:
    gone = follow(recorded.store(), "gone")
    gone.applied()
    remove([gone.cluster.pk])
    assert _rows() == {}
    assert poll_cluster(gone.cluster.pk).ended == "busy"


def test_another_cluster_keeps_everything(follow: Follow) -> None:
    gone, stays = follow(recorded.store(), "gone"), follow(recorded.store(), "stays")
    stays.applied()
    before = _rows()
    gone.applied()
    remove([gone.cluster.pk])
    assert _rows() == {**before, "Cluster": 1}
    assert Cluster.objects.get() == stays.cluster
    assert compare_cluster(stays.cluster.pk) == 0
