"""How often a page asks the database: rarely, and as often for many rows as for few."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inventory.models import Claim, Cluster, Device, Membership, Node, Pod, Team, TeamQuota
from tests.dashboard.pages.test_every_page import LISTS
from tests.factories import (
    asks_for,
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_node,
    make_pod,
    make_pool,
    make_share,
    make_team,
)

MOST = 12
# What a search for room reads has no table of its own.
_SEARCHES = ("/nodes/largest/",)

pytestmark = pytest.mark.django_db


def _grow(count: int, offset: int) -> None:
    """Nodes with a card each, of which two teams hold a share; Pods and claims that hold, and that wait."""
    for number in range(offset, offset + count):
        node = make_node(f"node-{number}")
        pool = make_pool(f"node-{number}", driver="hami-core-gpu.project-hami.io")
        device = make_device(f"gpu-{number}", pool=pool, node=node)
        make_device(f"cpu-{number}", pool=pool, node=node, accelerator=False)
        for dimension, total in (("memory", "80Gi"), ("cores", "100")):
            make_balance(device, dimension, total, "10")
        for slug in ("vision", "nlp"):
            namespace = make_namespace(f"team-{slug}", team=make_team(slug))
            claim = make_claim(f"claim-{slug}-{number}", namespace=namespace)
            make_share(device, claim, consumed={"memory": "10", "cores": "10"})
            make_pod(f"pod-{slug}-{number}", uses=claim, node=node)
            waiting = make_claim(
                namespace=namespace, state=Claim.State.PENDING, spec=asks_for(f"gpu-{number}")
            )
            make_pod(uses=waiting, reserved=False, phase="Pending")


def _shared_by_more(count: int) -> None:
    """More shares on the first card, and more Pods that use the first claim."""
    device, claim = Device.objects.get(name="gpu-0"), Claim.objects.get(name="claim-vision-0")
    for number in range(count):
        make_share(device, make_claim(namespace=claim.namespace), consumed={"memory": "1", "cores": "1"})
        make_pod(f"more-{number}", uses=claim, node=device.node)


def _details() -> list[str]:
    waiting = Claim.objects.filter(state=Claim.State.PENDING).order_by("pk")[0]
    node = Node.objects.get(name="node-0")
    return [
        f"/devices/{Device.objects.get(name='gpu-0').pk}/",
        f"/devices/{Device.objects.get(name='cpu-0').pk}/",
        f"/devices/at/n{node.pk}/",
        f"/nodes/{node.pk}/",
        f"/claims/{Claim.objects.get(name='claim-vision-0').pk}/",
        f"/claims/{waiting.pk}/",
        f"/pods/{Pod.objects.get(name='pod-vision-0').pk}/",
        "/clusters/lab/",
        "/teams/vision/",
    ]


def _limits() -> None:
    for team in Team.objects.all():
        for dimension, quantity in (("memory", "64Gi"), ("card_equivalents", "10"), ("cards", "3")):
            TeamQuota.objects.create(team=team, dimension=dimension, quantity=quantity)
        TeamQuota.objects.create(team=team, dimension="cores", quantity="90", device_class="gpu")


@pytest.fixture(params=["operator", "member"])
def reader(request: pytest.FixtureRequest, client: Client, db: None) -> Client:
    """An operator, and somebody who sees one team of two."""
    _grow(2, 0)
    _limits()
    Cluster.objects.update(observed_at=timezone.now())
    if request.param == "operator":
        user = User.objects.create_superuser("operator")
    else:
        user = User.objects.create_user("member")
        Membership.objects.create(user=user, team=make_team("vision"))
    client.force_login(user)
    return client


def _asked(reader: Client, path: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        assert reader.get(path).status_code == 200, path
    return [one["sql"] for one in asked]


def _compared(few: list[str], many: list[str], path: str) -> None:
    assert len(many) == len(few), path
    assert len(many) <= MOST or path in _SEARCHES, f"{path}: {len(many)}"


@pytest.mark.parametrize("path", LISTS)
def test_a_list_asks_rarely_and_as_often_for_many_rows_as_for_few(reader: Client, path: str) -> None:
    few = _asked(reader, path)
    _grow(15, 2)
    _shared_by_more(5)
    _compared(few, _asked(reader, path), path)


def test_a_page_of_one_thing_asks_rarely_and_as_often_for_much_as_for_little(reader: Client) -> None:
    paths = _details()
    few = [_asked(reader, path) for path in paths]
    _grow(5, 2)
    _shared_by_more(5)
    for path, asked in zip(paths, few, strict=True):
        _compared(asked, _asked(reader, path), path)
