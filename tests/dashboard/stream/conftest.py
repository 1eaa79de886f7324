from collections.abc import Iterator
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache

from demo.server import ApiServer
from inventory.models import Cluster, Membership, Team
from inventory.sync.poll import poll_cluster
from tests.factories import make_team
from tests.inventory.sync.books import GIVEN, RESOURCES, allocated, shared
from tests.inventory.sync.objects import card, pod, resource_slice, store
from tests.inventory.sync.whose import namespace, of_key


class Living:
    """A cluster in which claims come and go; what is done becomes known with the next poll."""

    def __init__(self, server: ApiServer, cluster: Cluster) -> None:
        self.store, self.cluster = server.store, cluster

    def give(self, name: str, memory: str = "1Gi") -> None:
        share_id = str(uuid5(NAMESPACE_DNS, name))
        self.store.put(allocated(GIVEN, shared(memory=memory, cores="1", share_id=share_id), name=name))

    def take(self, name: str) -> None:
        self.store.delete(RESOURCES["resourceclaims"], "team-a", name)

    def poll(self) -> None:
        assert poll_cluster(self.cluster.pk).ended == "applied"

    def happens(self, *names: str) -> None:
        """Each of the claims is given a share, and that becomes known."""
        for name in names:
            self.give(name)
        self.poll()


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Nobody has asked for anything in the last minute."""
    cache.clear()


@pytest.fixture
def living(db: None, tmp_path: Path) -> Iterator[Living]:
    """A card, and a Pod in a namespace of the team vision; nothing is held."""
    of_key("team")
    make_team("vision")
    held = store(resource_slice(card()), namespace(labels={"team": "vision"}))
    held.put(pod("p", ()))
    with ApiServer(held, bookmark_seconds=0.02) as server:
        path = server.kubeconfig(tmp_path / "kubeconfig")
        living = Living(server, Cluster.objects.create(name="lab", kubeconfig=str(path)))
        living.poll()
        yield living


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("operator", password="for streams")


@pytest.fixture
def member(db: None) -> User:
    """Of the team vision."""
    user = User.objects.create_user("member", password="for streams")
    Membership.objects.create(team=make_team("vision"), user=user)
    return user


@pytest.fixture
def stranger(db: None) -> User:
    """Of another team."""
    user = User.objects.create_user("stranger", password="for streams")
    team, _ = Team.objects.get_or_create(slug="nlp", defaults={"name": "NLP"})
    Membership.objects.create(team=team, user=user)
    return user
