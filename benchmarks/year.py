"""A year of history of a large cluster: the same for the same numbers, written in bulk in the order of time.

One device in four is given away as a whole, one share after the other; the others have four places, each of
which is held for four fifths of the time. One in fifty is away for a week and comes back.
"""

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from heapq import heapify, heapreplace
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, models

from inventory.models import (
    Cluster,
    Coverage,
    DeviceInterval,
    Namespace,
    Pool,
    ShareInterval,
    Team,
    TeamQuota,
)
from inventory.models import Device as DeviceRow

BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
_BEGAN = BEGAN.replace(tzinfo=None)
DRIVER = "gpu.example.com"
OPERATOR = "operator"
_PRODUCTS = ("A100", "H100", "H200", "L40S", "B200")
_CAPACITY = {"memory": "80Gi", "cores": "100"}
_PARTS = (
    '{"memory":"20Gi","cores":"25"}',
    '{"memory":"10Gi","cores":"10"}',
    '{"memory":"16Gi","cores":"20"}',
)
_DEVICES_OF_A_NODE = 8
_HELD = 0.8
_SHARES = (
    "id",
    "cluster_id",
    "claim_uid",
    "namespace",
    "claim_name",
    "team_slug",
    "driver",
    "pool",
    "device",
    "request",
    "share_id",
    "device_class",
    "dedicated",
    "admin_access",
    "consumed",
    "started_at",
    "started_source",
    "given_source",
    "ended_at",
)


@dataclass(frozen=True)
class Year:
    """`each_day` are the shares that begin on a device in a day, on average."""

    devices: int
    days: int
    each_day: float
    teams: int = 40
    namespaces_of_a_team: int = 5

    @property
    def end(self) -> datetime:
        return BEGAN + timedelta(days=self.days)


@dataclass(frozen=True)
class Written:
    cluster: Cluster
    device: DeviceRow
    shares: int
    seconds: float


def write(year: Year) -> Written:
    """Into an empty database; indexes are made at the end, as it is faster."""
    began = time.perf_counter()
    cluster = Cluster.objects.create(name="year")
    teams = [Team.objects.create(slug=f"team-{one}", name=f"Team {one}") for one in range(year.teams)]
    for team in teams:
        for one in range(year.namespaces_of_a_team):
            Namespace.objects.create(cluster=cluster, name=f"{team.slug}-{one}", team=team)
    for dimension, quantity in (("memory", "8Ti"), ("card_equivalents", "200")):
        TeamQuota.objects.create(team=teams[0], dimension=dimension, quantity=quantity, starts_at=BEGAN)
    User.objects.create_superuser(OPERATOR)
    _write_coverage(cluster, year)
    DeviceInterval.objects.bulk_create(_devices(cluster, year), batch_size=1000)
    with _without_indexes(ShareInterval):
        shares = _load(_shares(cluster, year))
    _analyze()
    pool = Pool.objects.create(cluster=cluster, driver=DRIVER, name=_node(1), state=Pool.State.COMPLETE)
    device = DeviceRow.objects.create(
        cluster=cluster, pool=pool, name=_name(1), accelerator=True, state="free", product=_PRODUCTS[1]
    )
    return Written(cluster, device, shares, time.perf_counter() - began)


def _write_coverage(cluster: Cluster, year: Year) -> None:
    """Once a month it was not read for an hour."""
    starts = range(0, year.days, 30)
    for start in starts:
        end = min(BEGAN + timedelta(days=start + 30), year.end) - timedelta(hours=1)
        Coverage.objects.create(cluster=cluster, started_at=BEGAN + timedelta(days=start), ended_at=end)


def _devices(cluster: Cluster, year: Year) -> Iterator[DeviceInterval]:
    chance = random.Random("devices")
    for number in range(year.devices):
        away = BEGAN + timedelta(days=chance.uniform(0, year.days)) if number % 50 == 7 else None
        spans = [(BEGAN, None)] if away is None else [(BEGAN, away), (away + timedelta(days=7), None)]
        for start, end in spans:
            yield DeviceInterval(
                cluster=cluster,
                driver=DRIVER,
                pool=_node(number),
                device=_name(number),
                node=_node(number),
                product=_PRODUCTS[number % len(_PRODUCTS)],
                uuid=f"GPU-{number:08}",
                accelerator=True,
                card=_name(number),
                partitioned=False,
                capacity=_CAPACITY,
                card_capacity=_CAPACITY,
                started_at=start,
                ended_at=end,
            )


def _shares(cluster: Cluster, year: Year) -> Iterator[tuple[Any, ...]]:
    chance, moment = random.Random("shares"), partial(_moment, "+00" if _is_postgresql() else "")
    whole = _Place(timedelta(days=1) / year.each_day)
    part = _Place(timedelta(days=4) / year.each_day)
    # When each place is given away next, and which one it is.
    following = [
        (chance.random() * 86400.0, number, place)
        for number in range(year.devices)
        for place in (range(4) if number % 4 else (4,))
    ]
    heapify(following)
    last, identity = year.days * 86400.0, 0
    while following and following[0][0] < last:
        at, number, place = following[0]
        held, free = (part if number % 4 else whole).some(chance)
        identity += 1
        # Each team asks for two products.
        product = number % len(_PRODUCTS) - chance.randrange(2)
        team = (product + len(_PRODUCTS) * chance.randrange(year.teams)) % year.teams
        namespace = f"team-{team}-{chance.randrange(year.namespaces_of_a_team)}"
        consumed = _PARTS[identity % len(_PARTS)] if number % 4 else "{}"
        node, end = _node(number), at + held
        yield (
            identity,
            cluster.pk,
            f"{identity:08x}-0000-4000-8000-{place:012x}",
            namespace,
            f"train-{identity}",
            f"team-{team}",
            DRIVER,
            node,
            _name(number),
            "card",
            f"{identity:08x}" if number % 4 else "",
            "gpu",
            number % 4 == 0,
            False,
            consumed,
            moment(at),
            "allocation",
            "",
            None if end >= last else moment(end),
        )
        heapreplace(following, (end + free, number, place))


@dataclass(frozen=True)
class _Place:
    """How long one share and the pause after it last together, on average."""

    cycle: timedelta

    def some(self, chance: random.Random) -> tuple[float, float]:
        seconds = self.cycle.total_seconds()
        return (
            chance.expovariate(1 / (seconds * _HELD)),
            chance.expovariate(1 / (seconds * (1 - _HELD))),
        )


def _moment(zone: str, seconds: float) -> str:
    """As either database reads it; SQLite keeps it in this very form, without a zone."""
    return f"{_BEGAN + timedelta(seconds=seconds)}{zone}"


def _is_postgresql() -> bool:
    return connection.vendor == "postgresql"


def _node(number: int) -> str:
    return f"node-{number // _DEVICES_OF_A_NODE}"


def _name(number: int) -> str:
    return f"gpu-{number % _DEVICES_OF_A_NODE}"


def _load(rows: Iterable[Sequence[Any]]) -> int:
    table = connection.ops.quote_name(ShareInterval._meta.db_table)
    columns = ", ".join(map(connection.ops.quote_name, _SHARES))
    with connection.cursor() as cursor:
        if _is_postgresql():
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            places = ", ".join(["?"] * len(_SHARES))
            # Past Django's cursor, which would look at each parameter.
            connection.connection.executemany(
                f"INSERT INTO {table} ({columns}) VALUES ({places})",  # noqa: S608
                rows,
            )
            connection.connection.commit()
        cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608
        return int(cursor.fetchone()[0])


@contextmanager
def _without_indexes(model: type[models.Model]) -> Iterator[None]:
    """But for the primary key."""
    indexes = model._meta.indexes
    unique = [one for one in model._meta.constraints if isinstance(one, models.UniqueConstraint)]
    with connection.schema_editor(atomic=False) as editor:
        for index in indexes:
            editor.remove_index(model, index)
        for constraint in unique:
            editor.remove_constraint(model, constraint)
    yield
    with connection.schema_editor(atomic=False) as editor:
        for index in indexes:
            editor.add_index(model, index)
        for constraint in unique:
            editor.add_constraint(model, constraint)


def _analyze() -> None:
    """As the databases do by themselves in time."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if _is_postgresql() else "ANALYZE")
