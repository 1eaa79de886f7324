"""One run of the write benchmark; Django must be set up. Run by `benchmarks.writes`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection, models, transaction

from benchmarks.measuring import Stopwatch
from inventory.models import Claim, Cluster, Device, Namespace, Pool, Share
from inventory.sync.reconcile import Reconciled, reconcile

Row = tuple[Any, ...]
Rows = Mapping[Row, Row]

SOME = 500
AT = datetime(2026, 11, 29, 15, 0, tzinfo=UTC)
REQUEST = {"name": "card", "exactly": {"deviceClassName": "gpu.example.com", "count": 1}}
CONFIG = {"requests": ["card"], "opaque": {"driver": "gpu.example.com", "parameters": {"sharing": "time"}}}


class Table(NamedTuple):
    model: type[models.Model]
    key: tuple[str, ...]
    fields: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.key, *self.fields)


CLAIMS = Table(
    Claim,
    ("cluster_id", "uid"),
    (
        *("namespace_id", "name", "resource_version", "state", "spec", "created_at", "allocated_at"),
        *(
            "node_selector",
            "device_status",
            "owner_kind",
            "owner_name",
            "owner_uid",
            "pod_claim_name",
            "labels",
        ),
    ),
)
SHARES = Table(
    Share,
    ("claim_id", "position"),
    (
        *("cluster_id", "device_id", "request", "share_id", "dedicated", "admin_access", "tolerations"),
        *("started_at", "started_source"),
    ),
)


def surroundings(devices: int) -> tuple[int, int, list[int]]:
    """The rows that claims and shares refer to."""
    cluster = Cluster.objects.create(name="generated")
    namespace = Namespace.objects.create(cluster=cluster, name="team-vision")
    pool = Pool.objects.create(cluster=cluster, driver="gpu.example.com", name="node-1", state="complete")
    rows = [Device(cluster=cluster, pool=pool, name=f"gpu-{number}") for number in range(devices)]
    return cluster.pk, namespace.pk, [one.pk for one in Device.objects.bulk_create(rows, batch_size=500)]


class Writes:
    """Every way of writing, from empty tables to empty tables."""

    def __init__(self, count: int, cluster: int, namespace: int, devices: Sequence[int]) -> None:
        self.count, self.cluster, self.namespace, self.devices = count, cluster, namespace, devices
        self.watch = Stopwatch()

    def run(self) -> dict[str, float]:
        ids = self._reconcile("all new", new=True)
        self._reconcile("none changed")
        self._reconcile("500 changed", changed=SOME)
        self._reconcile("all changed", changed=self.count, version="3")
        with self._part("all gone"):
            reconcile(Claim, Claim.objects.filter(cluster=self.cluster), CLAIMS.key, CLAIMS.fields, {})
        self._floor(CLAIMS, self._claims(self.count, "1"))
        self._floor(SHARES, self._shares(ids, "1"))
        self._bulk_create("all new, bulk_create", "1")
        self._bulk_create("all changed, bulk_create", "2", update_conflicts=True)
        Claim.objects.all().delete()
        return self.watch.seconds

    @contextmanager
    def _part(self, name: str) -> Iterator[None]:
        with self.watch.part(name), transaction.atomic():
            yield

    def _reconcile(self, part: str, *, changed: int = 0, version: str = "2", new: bool = False) -> list[int]:
        claims = {**self._claims(self.count, "1"), **self._claims(changed, version)}
        rows = self._made_equal(part, CLAIMS, claims, new=new)
        ids = [rows.ids[key] for key in claims]
        shares = {**self._shares(ids, "1"), **self._shares(ids[:changed], version)}
        self._made_equal(part, SHARES, shares, new=new)
        return ids

    def _made_equal(self, part: str, table: Table, rows: Rows, *, new: bool) -> Reconciled:
        scope = None if new else table.model._default_manager.filter(cluster=self.cluster)
        with self._part(part):
            return reconcile(table.model, scope, table.key, table.fields, rows)

    def _bulk_create(self, part: str, version: str, **options: bool) -> None:
        self._created(part, CLAIMS, self._claims(self.count, version), **options)
        claim_ids = list(Claim.objects.order_by("pk").values_list("pk", flat=True))
        self._created(part, SHARES, self._shares(claim_ids, version), **options)

    def _created(self, part: str, table: Table, rows: Rows, **options: bool) -> None:
        ids: list[int | None] = list(table.model._default_manager.order_by("pk").values_list("pk", flat=True))
        changes: dict[str, Any] = {}
        if options:
            names = {field.attname: field.name for field in table.model._meta.concrete_fields}
            fields = [names[column] for column in table.fields]
            changes = {"unique_fields": ["pk"], "update_fields": fields, **options}
        with self._part(part):
            objects = [
                table.model(pk=pk, **dict(zip(table.columns, (*key, *values), strict=True)))
                for pk, (key, values) in zip(ids or [None] * len(rows), rows.items(), strict=True)
            ]
            table.model._default_manager.bulk_create(objects, batch_size=500, **changes)

    def _floor(self, table: Table, rows: Rows) -> None:
        ready = [tuple(map(_ready, (*key, *values))) for key, values in rows.items()]
        columns = ", ".join(table.columns)
        with transaction.atomic(), connection.cursor() as cursor:
            source = f"SELECT {columns} FROM {table.model._meta.db_table} WHERE 1 = 0"  # noqa: S608
            cursor.execute(f"CREATE TEMPORARY TABLE least AS {source}")
            with self.watch.part("floor"):
                if connection.vendor == "postgresql":
                    with cursor.copy("COPY least FROM STDIN") as copy:
                        for row in ready:
                            copy.write_row(row)
                else:
                    places = ", ".join(["%s"] * len(table.columns))
                    cursor.executemany(f"INSERT INTO least VALUES ({places})", ready)  # noqa: S608
            cursor.execute("DROP TABLE least")

    def _claims(self, count: int, version: str) -> dict[Row, Row]:
        return {
            (self.cluster, f"5e0c7a7e-0000-4000-8000-{number:012d}"): (
                self.namespace,
                f"trainer-{number}-card",
                version,
                "allocated,reserved",
                {"devices": {"requests": [REQUEST], "config": [CONFIG]}},
                AT,
                AT,
                {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "values": ["node-1"]}]}]},
                [],
                "Pod",
                f"trainer-{number}",
                f"90d00000-0000-4000-8000-{number:012d}",
                "card",
                {"app": "trainer", "number": str(number)},
            )
            for number in range(count)
        }

    def _shares(self, claim_ids: Sequence[int], request: str) -> dict[Row, Row]:
        return {
            (claim, 0): (
                self.cluster,
                self.devices[number % len(self.devices)],
                request,
                f"5a4e0000-0000-4000-8000-{number:012d}",
                *(False, False, [], AT, "allocation"),
            )
            for number, claim in enumerate(claim_ids)
        }


def _ready(value: Any) -> Any:
    """A value as text where the database takes it so."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return value.isoformat(" ") if isinstance(value, datetime) else value
