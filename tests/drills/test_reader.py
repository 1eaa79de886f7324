"""The independent reader finds nothing where all is well, and every fault where one is planted."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from demo import generated, recorded
from demo.churn import Churn
from demo.server import ApiServer
from demo.store import Store
from demo.story import Story
from inventory.models import (
    Balance,
    Claim,
    Cluster,
    ConsumedCapacity,
    Consumer,
    Device,
    DeviceClass,
    KindState,
    Namespace,
    Node,
    Pod,
    PodClaim,
    Pool,
    Quota,
    Share,
)
from inventory.sync.poll import poll_cluster
from tests.drills.amounts import amount
from tests.drills.reader import differences
from tests.drills.served import Served
from tests.inventory.sync.objects import card, resource_slice, store

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)


class Read:
    """A cluster that was polled, for the reader to read again."""

    def __init__(self, server: ApiServer, folder: Path) -> None:
        self.server = server
        self.cluster = Cluster.objects.create(
            name="lab", kubeconfig=str(server.kubeconfig(folder / "kubeconfig"))
        )

    def differences(self) -> list[str]:
        assert poll_cluster(self.cluster.pk).ended == "applied"
        return self.differences_now()

    def differences_now(self) -> list[str]:
        return differences(self.server.store, rows, cluster=self.cluster.pk)


def rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


@pytest.fixture
def read(db: None, tmp_path: Path) -> Iterator[Callable[[Store], Read]]:
    with ExitStack() as stack:
        yield lambda store: Read(stack.enter_context(ApiServer(store)), tmp_path)


def test_the_recorded_cluster_is_read_as_it_is(read: Callable[[Store], Read]) -> None:
    assert read(recorded.store()).differences() == []


def test_the_story_is_read_as_it_is_at_any_moment(read: Callable[[Store], Read]) -> None:
    story = Story(start=START)
    found = read(story.store)
    for _ in range(4):
        assert found.differences() == []
        story.advance(120)


LIVING: dict[str, Callable[[], Store]] = {
    "generated": lambda: generated.cluster(48, 120, seed=3),
    "recorded": recorded.store,
    "story": lambda: Story(start=START).store,
    "two cards": lambda: store(resource_slice(card("a"), card("b"))),
}


@pytest.mark.parametrize("begin", LIVING.values(), ids=LIVING.keys())
@pytest.mark.parametrize("seed", [1, 2])
def test_a_living_cluster_is_read_as_it_is(
    read: Callable[[Store], Read], begin: Callable[[], Store], seed: int
) -> None:
    held = begin()
    found, churn = read(held), Churn(held, seed)
    for _ in range(5):
        assert found.differences() == []
        for _ in range(200):
            churn.step()


def test_a_cluster_is_read_over_http_as_from_its_store() -> None:
    with ApiServer(recorded.store()) as server:
        served, held = Served.over_http(server.url), Served.of_store(server.store)
    assert (served.kinds, served.revision) == (held.kinds, held.revision)


def test_what_has_changed_since_the_poll_is_told(read: Callable[[Store], Read]) -> None:
    held = generated.cluster(16, 40, seed=3)
    found, churn = read(held), Churn(held, 2)
    assert found.differences() == []
    for _ in range(100):
        churn.step()
    assert found.differences_now()


def _first(model: Any, **where: Any) -> Any:
    return model.objects.filter(**where).order_by("pk").first()


def _changed(model: Any, column: str, value: Any, **where: Any) -> Callable[[], None]:
    def plant() -> None:
        one = _first(model, **where)
        assert getattr(one, column) != value
        model.objects.filter(pk=one.pk).update(**{column: value})

    return plant


def _removed(model: Any, **where: Any) -> Callable[[], None]:
    return lambda: _first(model, **where).delete()


def _added(model: Any, **changed: Any) -> Callable[[], None]:
    """Another row like the first."""

    def plant() -> None:
        one = _first(model)
        one.pk = None
        for column, value in changed.items():
            setattr(one, column, value)
        one.save(force_insert=True)

    return plant


FAULTS: dict[str, tuple[Callable[[], None], str]] = {
    "a claim is missing": (_removed(Claim, state="pending"), "claim "),
    "a claim too many": (_added(Claim, uid="other"), "claim other is nowhere in the cluster"),
    "a claim's state": (_changed(Claim, "state", "deleted"), "claim "),
    "a claim's version": (_changed(Claim, "resource_version", "1"), "claim "),
    "a share's share ID": (_changed(Share, "share_id", "other"), "share "),
    "a share's request": (_changed(Share, "request", "other"), "share "),
    "a share that is dedicated": (_changed(Share, "dedicated", True, dedicated=False), "share "),
    "a share with admin access": (_changed(Share, "admin_access", True, admin_access=False), "share "),
    "a share too many": (_added(Share, position=77), "share "),
    "an amount consumed": (_changed(ConsumedCapacity, "amount", 7), "consumed capacity "),
    "an exponent": (_changed(ConsumedCapacity, "exponent", 3, amount__gt=0), "consumed capacity "),
    "a consumer too many": (_added(Consumer, position=77), "consumer "),
    "a consumer that is not gone": (_changed(Consumer, "gone", True, gone=False), "consumer "),
    "a Pod's phase": (_changed(Pod, "phase", "Failed", phase="Running"), "Pod "),
    "a Pod's node": (_changed(Pod, "node_id", None, phase="Running"), "Pod "),
    "a Pod is missing": (_removed(Pod), "Pod "),
    "a Pod too many": (_added(Pod, uid="other"), "Pod other is nowhere in the cluster"),
    "a Pod's claim": (_changed(PodClaim, "claim_id", None, claim__isnull=False), "claim of Pod "),
    "a reservation": (_changed(PodClaim, "reserved", False, reserved=True), "claim of Pod "),
    "a pool's generation": (_changed(Pool, "generation", 99), "pool "),
    "a pool that is incomplete": (_changed(Pool, "state", "incomplete", state="complete"), "pool "),
    "a device that is not listed": (_changed(Device, "listed", False, listed=True), "device "),
    "a device's shares": (_changed(Device, "shares", 99), "device "),
    "a device too many": (_added(Device, name="other"), "device "),
    "what is left": (_changed(Balance, "remaining", 1, device__isnull=False), "balance "),
    "what is allocated": (_changed(Balance, "allocated", None, device__isnull=False), "balance "),
    "a balance is missing": (_removed(Balance, device__isnull=False), "balance "),
    "a cordoned node": (_changed(Node, "unschedulable", True, unschedulable=False), "node "),
    "a namespace's labels": (_changed(Namespace, "labels", {"a": "b"}), "namespace "),
    "a device class is missing": (_removed(DeviceClass), "device class "),
    "a quota's use": (_changed(Quota, "used", {}), "quota "),
    "a version of the future": (
        _changed(KindState, "resource_version", "99999999", state="read"),
        "kind ",
    ),
    "a version that is no number": (_changed(KindState, "resource_version", "soon", state="read"), "kind "),
}


@pytest.fixture(scope="module")
def opened() -> Store:
    """The opening of the story, which nobody goes on with."""
    return Story(start=START).store


@pytest.mark.parametrize(("plant", "told"), FAULTS.values(), ids=FAULTS.keys())
def test_a_planted_fault_is_found(
    read: Callable[[Store], Read], opened: Store, plant: Callable[[], None], told: str
) -> None:
    found = read(opened)
    assert found.differences() == []
    plant()
    (first, *_) = found.differences_now()
    assert first.startswith(told)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8Gi", Fraction(8 * 2**30)),
        ("100m", Fraction(1, 10)),
        ("1e3", Fraction(1000)),
        ("1E", Fraction(10**18)),
        (".5k", Fraction(500)),
        ("0.1n", Fraction(1, 10**9)),
        (12, Fraction(12)),
        ("99Ei", Fraction(2**63 - 1)),
        ("-1", None),
        ("eight", None),
        ("1ee", None),
        (True, None),
        (None, None),
    ],
)
def test_quantities_are_read_exactly(text: Any, expected: Fraction | None) -> None:
    assert amount(text) == expected
