from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from dashboard.access.models import ApiToken
from demo import recorded
from demo.server import ApiServer
from inventory.models import Cluster
from inventory.sync.poll import poll_cluster

Get = Callable[..., Any]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Nobody has asked for anything in the last minute."""
    cache.clear()


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("operator")


@pytest.fixture
def api(operator: User) -> Client:
    """A client with a token, as scripts have one."""
    _, token = ApiToken.issue(operator, "of a script", ApiToken.Scope.READ_WRITE, timedelta(days=1))
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def get(api: Client) -> Get:
    """The body of a GET below /api/v1/, its numbers without floats."""

    def body(path: str, status: int = 200) -> Any:
        response = api.get(f"/api/v1/{path}")
        assert response.status_code == status, response.content
        return decoded(response)

    return body


@pytest.fixture
def recorded_cluster(db: None, tmp_path: Path) -> Cluster:
    """The recorded cluster, read over HTTP as a real one is."""
    with ApiServer(recorded.store()) as server:
        path = server.kubeconfig(tmp_path / "kubeconfig")
        cluster = Cluster.objects.create(name="recorded", kubeconfig=str(path))
        assert poll_cluster(cluster.pk).ended == "applied"
    return cluster


def decoded(response: Any) -> Any:
    return msgspec.json.Decoder(float_hook=Decimal).decode(response.content)


def csv_text(response: Any) -> str:
    return b"".join(response.streaming_content).decode()
