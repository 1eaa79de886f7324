"""How often a page asks the database: as often for many rows as for few.

`docs/benchmarks/pages.md` says where the queries of a page go.
"""

from datetime import UTC, datetime
from typing import NamedTuple

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

SEARCH = "/search?q=claim"
MONTH = f"/usage/{datetime.now(UTC):%Y-%m}/"

# Of an operator, and of a member of a team; two of each are for the session and its user.
NUMBERS = {
    "/": (19, 20),
    "/changes/": (15, 16),
    "/devices/?view=wall": (12, 13),
    "/devices/?view=bars": (15, 16),
    "/devices/?view=table": (15, 16),
    "/devices/?show=others": (9, 10),
    "/nodes/": (17, 18),
    "/nodes/largest/": (8, 9),
    "/pods/": (13, 14),
    "/claims/": (14, 15),
    "/claims/waiting/": (18, 20),
    "/teams/": (17, 23),
    "/usage/": (7, 8),
    MONTH: (7, 8),
    "/convert/": (5, 6),
    "/clusters/": (10, 11),
    "card": (20, 21),
    "another device": (17, 18),
    "column of the wall": (10, 11),
    "node": (27, 28),
    "claim": (14, 15),
    "claim that waits": (12, 13),
    "Pod": (11, 12),
    "cluster": (12, 12),
    "team": (24, 25),
}

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


def _details() -> dict[str, str]:
    waiting = Claim.objects.filter(state=Claim.State.PENDING).order_by("pk")[0]
    node = Node.objects.get(name="node-0")
    return {
        "card": f"/devices/{Device.objects.get(name='gpu-0').pk}/",
        "another device": f"/devices/{Device.objects.get(name='cpu-0').pk}/",
        "column of the wall": f"/devices/at/n{node.pk}/",
        "node": f"/nodes/{node.pk}/",
        "claim": f"/claims/{Claim.objects.get(name='claim-vision-0').pk}/",
        "claim that waits": f"/claims/{waiting.pk}/",
        "Pod": f"/pods/{Pod.objects.get(name='pod-vision-0').pk}/",
        "cluster": "/clusters/lab/",
        "team": "/teams/vision/",
    }


def _limits() -> None:
    for team in Team.objects.all():
        for dimension, quantity in (("memory", "64Gi"), ("card_equivalents", "10"), ("cards", "3")):
            TeamQuota.objects.create(team=team, dimension=dimension, quantity=quantity)
        TeamQuota.objects.create(team=team, dimension="cores", quantity="90", device_class="gpu")


class Reader(NamedTuple):
    client: Client
    operates: bool

    def asked(self, path: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert self.client.get(path).status_code == 200, path
        # On PostgreSQL, how it is to go about the next one is no question.
        return sum(not one["sql"].startswith("SET ") for one in asked.captured_queries)

    def expected(self, page: str) -> int:
        operator, member = NUMBERS[page]
        return operator if self.operates else member


@pytest.fixture(params=["operator", "member"])
def reader(request: pytest.FixtureRequest, client: Client, db: None) -> Reader:
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
    return Reader(client, request.param == "operator")


def test_every_list_is_counted() -> None:
    assert {path for path in LISTS if not path.startswith("/search")} <= NUMBERS.keys()


@pytest.mark.parametrize("path", [page for page in NUMBERS if page.startswith("/")])
def test_a_list_asks_as_often_for_many_rows_as_for_few(reader: Reader, path: str) -> None:
    few = reader.asked(path)
    _grow(15, 2)
    _shared_by_more(5)
    assert (few, reader.asked(path)) == (reader.expected(path), reader.expected(path))


def test_a_page_of_one_thing_asks_as_often_for_much_as_for_little(reader: Reader) -> None:
    paths = _details()
    expected = {page: reader.expected(page) for page in paths}
    assert {page: reader.asked(path) for page, path in paths.items()} == expected
    _grow(5, 2)
    _shared_by_more(5)
    assert {page: reader.asked(path) for page, path in paths.items()} == expected


def test_a_search_asks_once_more_where_it_cannot_show_all_of_a_kind(reader: Reader) -> None:
    few = reader.asked(SEARCH)
    _grow(10, 2)
    assert reader.asked(SEARCH) == few + 1
    _grow(5, 12)
    assert reader.asked(SEARCH) == few + 1
