import pytest

from inventory.models import Quota, Team
from inventory.queries import native_quotas
from inventory.queries.native_quotas import Counts
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import make_cluster, make_namespace, make_team

CLASS = "gpu.example.com.deviceclass.resource.k8s.io/devices"


@pytest.mark.parametrize(
    ("key", "counts", "device_class"),
    [
        ("count/resourceclaims.resource.k8s.io", Counts.CLAIMS, None),
        ("count/resourceclaimtemplates.resource.k8s.io", Counts.TEMPLATES, None),
        (CLASS, Counts.DEVICES_OF_CLASS, "gpu.example.com"),
        ("requests.deviceclass.resource.kubernetes.io/gpu.example.com", Counts.EXTENDED, "gpu.example.com"),
        ("requests.nvidia.com/gpu", Counts.EXTENDED, None),
        ("limits.nvidia.com/gpumem", Counts.HAMI, None),
        ("limits.nvidia.com/gpucores", Counts.HAMI, None),
        ("requests.memory", None, None),
        ("limits.cpu", None, None),
        ("requests.hugepages-2Mi", None, None),
        ("gold.storageclass.storage.k8s.io/requests.storage", None, None),
        ("count/pods", None, None),
        ("pods", None, None),
    ],
)
def test_keys_that_concern_devices_are_told_by_what_they_count(
    key: str, counts: Counts | None, device_class: str | None
) -> None:
    assert (native_quotas.counts(key), native_quotas.device_class(key)) == (counts, device_class)


@pytest.fixture
def team(db: None) -> Team:
    return make_team()


def quota(team: Team | None, hard: dict[str, object], used: dict[str, object]) -> None:
    namespace = make_namespace(team=team)
    Quota.objects.create(
        cluster=make_cluster(), namespace=namespace, name="devices", uid="q", hard=hard, used=used
    )


def test_what_is_missing_or_cannot_be_read_is_not_known_and_never_nothing(team: Team) -> None:
    quota(team, {CLASS: "3", "limits.nvidia.com/gpumem": "much", "pods": "10"}, {"pods": "1"})
    found = native_quotas.of_team(team.pk, viewer=EVERYTHING)
    assert [(one.key, one.used, str(one.hard)) for one in found] == [
        (CLASS, None, "3"),
        ("limits.nvidia.com/gpumem", None, "None"),
    ]


def test_they_are_told_to_those_of_the_team_alone(team: Team) -> None:
    quota(team, {CLASS: "3"}, {CLASS: "2"})
    assert len(native_quotas.of_team(team.pk, viewer=Viewer(frozenset({team.pk})))) == 1
    assert native_quotas.of_team(team.pk, viewer=Viewer(frozenset({team.pk + 1}))) == []
