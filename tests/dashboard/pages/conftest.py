from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from demo.server import ApiServer
from demo.store import Object
from inventory.models import Cluster
from inventory.sync.poll import poll_cluster
from tests.inventory.sync import objects
from tests.reading import read_recorded_cluster

Get = Callable[..., str]
Serve = Callable[..., Cluster]


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("operator")


@pytest.fixture
def signed_in(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def get(signed_in: Client) -> Get:
    """The text of a page."""

    def page(path: str, status: int = 200) -> str:
        response = signed_in.get(path)
        assert response.status_code == status, response.content.decode()
        return response.content.decode()

    return page


@pytest.fixture
def recorded_cluster(db: None, tmp_path: Path) -> Cluster:
    return read_recorded_cluster(tmp_path)


@pytest.fixture
def serve(db: None, tmp_path: Path) -> Serve:
    """A cluster of a few objects, read over HTTP as a real one is."""

    def read(*held: Object, name: str = "lab") -> Cluster:
        with ApiServer(objects.store(*held)) as server:
            path = server.kubeconfig(tmp_path / f"{name}.kubeconfig")
            cluster = Cluster.objects.create(name=name, kubeconfig=str(path))
            assert poll_cluster(cluster.pk).ended == "applied"
        return cluster

    return read


_WITHOUT_END = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


class _Text(HTMLParser):
    """What a reader sees: text outside of scripts and of what is hidden until it is needed."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _WITHOUT_END and (self._unseen or tag == "script" or "hidden" in dict(attrs)):
            self._unseen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._unseen and self._unseen[-1] == tag:
            self._unseen.pop()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


@pytest.fixture
def read(get: Get) -> Get:
    """What a reader sees of a page."""

    def text(path: str, status: int = 200) -> str:
        parser = _Text()
        parser.feed(get(path, status))
        return " ".join(" ".join(parser.parts).split())

    return text
