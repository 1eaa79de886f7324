from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from demo.server import ApiServer
from demo.store import Store
from inventory.models import Cluster, KindState, Team
from inventory.sync.poll import Outcome, poll_cluster
from tests.factories import make_team
from tests.inventory.sync.objects import card, pod, resource_slice, store
from tests.inventory.sync.whose import namespace, reserved


class Followed:
    """A cluster served over HTTP, and the row that follows it."""

    def __init__(self, server: ApiServer, cluster: Cluster) -> None:
        self.server = server
        self.store = server.store
        self.cluster = cluster

    def poll(self, *, in_full: bool = False) -> Outcome:
        """`in_full`: as after a resource version that the API server has forgotten."""
        if in_full:
            KindState.objects.filter(cluster=self.cluster).update(resource_version="", retry_at=None)
        outcome = poll_cluster(self.cluster.pk)
        self.cluster.refresh_from_db()
        return outcome

    def applied(self, *, in_full: bool = False) -> Outcome:
        outcome = self.poll(in_full=in_full)
        assert outcome.ended == "applied", self.cluster.error_message
        return outcome


Follow = Callable[..., Followed]


@pytest.fixture
def follow(db: None, tmp_path: Path) -> Iterator[Follow]:
    """Serve a store and register it as a cluster; keyword arguments go to the server."""
    with ExitStack() as stack:

        def serve(store: Store, name: str = "lab", *, token: str | None = None, **options: Any) -> Followed:
            # Bookmarks come once a minute from a real one: here they say soon that all has been told.
            server = stack.enter_context(ApiServer(store, **{"bookmark_seconds": 0.02, **options}))
            path = server.kubeconfig(tmp_path / f"{name}.kubeconfig", token=token)
            return Followed(server, Cluster.objects.create(name=name, kubeconfig=str(path)))

        yield serve


class Clock:
    """The clock of this machine, set wrong."""

    def __init__(self) -> None:
        self.wrong_by = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.wrong_by


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(timezone, "now", made.now)
    return made


@pytest.fixture
def vision(db: None) -> Team:
    return make_team("vision")


@pytest.fixture
def nlp(db: None) -> Team:
    return make_team("nlp")


@pytest.fixture
def busy(follow: Follow) -> Followed:
    """A Pod that uses a claim in a namespace that says whose it is."""
    held = store(resource_slice(card()), namespace(labels={"team": "vision"}))
    held.put(reserved(held.put(pod("p"))))
    return follow(held)
