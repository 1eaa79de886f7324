from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.test import Client

from dashboard.access.models import ApiToken
from demo.server import ApiServer
from inventory.models import Cluster
from inventory.sync.poll import poll_cluster
from tests.dashboard.access.world import CLUSTER, World
from tests.inventory.sync.objects import store

PASSWORD = "correct horse battery"

MakeToken = Callable[..., tuple[ApiToken, Client]]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Nobody has asked for anything in the last minute."""
    cache.clear()


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def operator(db: None) -> User:
    user = User.objects.create_user("operator", password=PASSWORD)
    user.groups.add(Group.objects.get(name="operators"))
    return user


@pytest.fixture
def administration(operator: User) -> Client:
    """A browser of an operator who is no superuser."""
    browser = Client()
    browser.force_login(operator)
    return browser


@pytest.fixture
def make_token(ada: User) -> MakeToken:
    """A token, and a program that sends it."""

    def made(
        user: User = ada, scope: str = "read", life: timedelta = timedelta(days=1)
    ) -> tuple[ApiToken, Client]:
        token, text = ApiToken.issue(user, "of a program", scope, life)
        return token, Client(headers={"Authorization": f"Bearer {text}"})

    return made


@pytest.fixture
def world(db: None, tmp_path: Path, settings: Any) -> World:
    settings.SLICEBOARD_METRICS_SHARES = True
    # However long the walk takes, it is the same answers.
    settings.SLICEBOARD_STALE_SECONDS = 86_400
    world = World()
    world.settle()
    with ApiServer(store(*world.objects())) as server:
        cluster = Cluster.objects.create(name=CLUSTER, kubeconfig=str(server.kubeconfig(tmp_path / "config")))
        assert poll_cluster(cluster.pk).ended == "applied"
    cluster.refresh_from_db()
    world.add_to(cluster)
    return world
