from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from demo import recorded
from demo.server import ApiServer
from inventory.kube.client import Client, Timeouts
from inventory.kube.connection import Source, connect
from inventory.kube.discovery import Served
from inventory.kube.versions import DraVersion

V1 = Served("v1.36.2", (1, 36), DraVersion.V1, taint_rules_version="v1beta2")

Connect = Callable[[ApiServer], Client]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KUBECONFIG", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer(recorded.store()) as started:
        yield started


@pytest.fixture
def connected(tmp_path: Path) -> Iterator[Connect]:
    """Connects to a demo server as the product does, through a kubeconfig."""
    clients: list[Client] = []

    def to(server: ApiServer) -> Client:
        kubeconfig = server.kubeconfig(tmp_path / f"kubeconfig-{len(clients)}")
        clients.append(connect(Source(str(kubeconfig)), Timeouts(connect=5, read=5)))
        return clients[-1]

    yield to
    for client in clients:
        client.close()


@pytest.fixture
def client(server: ApiServer, connected: Connect) -> Client:
    return connected(server)
