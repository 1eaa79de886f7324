"""What is asked of a year of history, and beside each the bare statement that reads the same rows."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import connection

from benchmarks.answers import answer, signed_in
from benchmarks.measuring import summary
from benchmarks.year import BEGAN, OPERATOR, Written, Year
from inventory.history.axis import common
from inventory.history.buckets import Step
from inventory.history.instants import Span, micros
from inventory.models import Cluster, Level, RollUp, UsageTotal
from inventory.queries.history.device import timeline
from inventory.queries.usage import measured, recorded
from inventory.queries.usage.filters import UsageFilter, wanted
from inventory.queries.usage.groups import Groups
from inventory.queries.usage.question import Question, whole
from inventory.queries.usage.report import heat, report, series
from inventory.queries.usage.rows import Period, UsageGroup
from inventory.rollups.adding import SETTLED_AFTER, add_up
from inventory.viewer import EVERYTHING

_TOTALS = """
    SELECT {columns}driver, product, measure, dimension, exponent, notation, per, sum(high), sum(low)
    FROM inventory_usagetotal
    WHERE level = %s AND cluster_id = %s AND scope = %s AND starts_at >= %s AND starts_at < %s
    GROUP BY {columns}driver, product, measure, dimension, exponent, notation, per
"""
# How long shares were held, by team, device for device: no amounts, no cards, no time that was not read.
_INTERVALS = {
    "postgresql": """
        SELECT team_slug, dedicated, consumed, count(*),
               sum(extract(epoch FROM least(coalesce(ended_at, %s), %s) - greatest(started_at, %s)))
        FROM inventory_shareinterval
        WHERE cluster_id = %s AND (ended_at IS NULL OR ended_at > %s) AND started_at < %s
        GROUP BY team_slug, dedicated, consumed
    """,
    "sqlite": """
        SELECT team_slug, dedicated, consumed, count(*),
               sum(julianday(min(coalesce(ended_at, %s), %s)) - julianday(max(started_at, %s)))
        FROM inventory_shareinterval
        WHERE cluster_id = %s AND (ended_at IS NULL OR ended_at > %s) AND started_at < %s
        GROUP BY team_slug, dedicated, consumed
    """,
}
_OF_DEVICE = """
    SELECT id, team_slug, admin_access, started_at, ended_at FROM inventory_shareinterval
    WHERE cluster_id = %s AND driver = %s AND pool = %s AND device = %s AND started_at < %s
    ORDER BY started_at, id
"""
_OF_TEAM = """
    SELECT cluster_id, driver, pool, device, started_at, ended_at, consumed FROM inventory_shareinterval
    WHERE cluster_id = %s AND team_slug = %s AND (ended_at IS NULL OR ended_at > %s) AND started_at < %s
"""
_CHANGED = """
    SELECT team_slug, count(*) FROM inventory_shareinterval
    WHERE cluster_id = %s AND started_at >= %s AND started_at < %s GROUP BY team_slug
    UNION ALL
    SELECT team_slug, count(*) FROM inventory_shareinterval
    WHERE cluster_id = %s AND ended_at >= %s AND ended_at < %s GROUP BY team_slug
"""


class Asked(NamedTuple):
    """`ask` asks Sliceboard, `statement` the database."""

    name: str
    ask: Callable[[], object]
    statement: str
    values: Sequence[Any]


def added_up(cluster: Cluster, year: Year, days: int) -> dict[str, Any]:
    """The last days of it, chunk by chunk as a worker does; the rows that these make."""
    start = max(BEGAN, year.end - timedelta(days=days))
    RollUp.objects.create(cluster=cluster, hours_until=start, hours_from=start, days_until=start)
    seconds: dict[str, list[float]] = {Level.HOUR: [], Level.DAY: []}
    began = at = time.perf_counter()
    for chunk in add_up(cluster, year.end + SETTLED_AFTER):
        now = time.perf_counter()
        seconds[chunk.level].append(now - at)
        at = now
    rows = {level: UsageTotal.objects.filter(level=level).count() for level in Level}
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    chunks = {level: {**summary(values), "count": len(values)} for level, values in seconds.items()}
    return {"seconds": time.perf_counter() - began, "chunks": chunks, "rows": rows}


def size_mib() -> float:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return float(cursor.fetchone()[0]) / 2**20
    name = Path(str(connection.settings_dict["NAME"]))
    return sum(one.stat().st_size for one in name.parent.glob(f"{name.name}*")) / 2**20


def questions(written: Written, year: Year) -> Iterator[Asked]:
    """The month is the last one that is whole."""
    cluster, everything = written.cluster, UsageFilter({}, viewer=EVERYTHING)
    days = Period(year.end - timedelta(days=31), year.end - timedelta(days=1))
    near = Period(days.start + timedelta(minutes=30), days.end + timedelta(minutes=30))
    span = (days.start, days.end)
    for name, group, scope, columns in (
        ("month by team and product", UsageGroup.TEAM, "team", "team_slug, "),
        ("month by namespace", UsageGroup.NAMESPACE, "namespace", "team_slug, namespace, "),
        ("month by node", UsageGroup.NODE, "node", "node, "),
    ):
        yield Asked(
            name,
            partial(report, days, [group], everything, viewer=EVERYTHING),
            _TOTALS.format(columns=columns),
            ("day", cluster.pk, scope, *span),
        )
    yield Asked(
        "month by team, from half past to half past",
        lambda: report(near, [UsageGroup.TEAM], everything, viewer=EVERYTHING),
        _TOTALS.format(columns="team_slug, "),
        ("day", cluster.pk, "team", *span),
    )
    yield Asked(
        "month, day by day, by team",
        lambda: series(days, Step.DAY, [UsageGroup.TEAM], everything, viewer=EVERYTHING),
        _TOTALS.format(columns="starts_at, team_slug, "),
        ("day", cluster.pk, "team", *span),
    )
    shanghai = ZoneInfo("Asia/Shanghai")
    yield Asked(
        "month, day by day in Shanghai, by team",
        lambda: series(days, Step.DAY, [UsageGroup.TEAM], everything, zone=shanghai, viewer=EVERYTHING),
        _TOTALS.format(columns="starts_at, team_slug, "),
        ("hour", cluster.pk, "team", *span),
    )
    yield Asked(
        "month, hour by hour",
        lambda: heat(days, everything, viewer=EVERYTHING),
        _TOTALS.format(columns="starts_at, "),
        ("hour", cluster.pk, "product", *span),
    )
    device, whole_year = written.device, Period(year.end - timedelta(days=year.days), year.end)
    yield Asked(
        "one device's year",
        lambda: timeline(device, whole_year, viewer=EVERYTHING),
        _OF_DEVICE,
        (cluster.pk, device.pool.driver, device.pool.name, device.name, year.end),
    )


def pages(written: Written, year: Year) -> Iterator[Asked]:
    """Whole pages, as an operator sees them. What is made once in a process is made before."""
    client, cluster, end = signed_in(OPERATOR), written.cluster.pk, year.end
    answer(client, "/teams/nobody/", 404)
    device, day = written.device, end - timedelta(days=1)
    after = day.replace(day=1)
    month = (after - timedelta(days=1)).replace(day=1)
    until = f"until={end:%Y-%m-%dT%H:%M:%SZ}"
    yield Asked(
        "page of a month",
        partial(answer, client, f"/usage/{month:%Y-%m}/"),
        _TOTALS.format(columns="team_slug, "),
        ("day", cluster, "team", month, after),
    )
    yield Asked(
        "page of one device's year",
        partial(answer, client, f"/devices/{device.pk}/?period=year&{until}"),
        _OF_DEVICE,
        (cluster, device.pool.driver, device.pool.name, device.name, end),
    )
    yield Asked(
        "page of a team, with the trend of a month",
        partial(answer, client, f"/teams/team-0/?period=month&{until}"),
        _OF_TEAM,
        (cluster, "team-0", end - timedelta(days=30), end),
    )
    yield Asked(
        "page of what changed in a day",
        partial(answer, client, f"/changes/?period=day&{until}"),
        _CHANGED,
        (cluster, day, end, cluster, day, end),
    )


def from_intervals(written: Written, year: Year) -> Asked:
    """The month by team and product without any sum, which nobody needs to ask."""
    period = Period(year.end - timedelta(days=31), year.end - timedelta(days=1))
    asked = wanted(UsageFilter({}, viewer=EVERYTHING))
    question = Question(
        whole(period), Groups.of([UsageGroup.TEAM]), asked, {written.cluster.pk: "year"}, EVERYTHING
    )

    def ask() -> object:
        windows = {
            pk: common(spans, [Span(micros(period.start), micros(period.end))])
            for pk, spans in recorded.coverage([written.cluster.pk]).items()
        }
        return measured.from_intervals(question, windows)

    start, end = (_stored(moment) for moment in (period.start, period.end))
    return Asked(
        "month by team and product, from intervals alone",
        ask,
        _INTERVALS[connection.vendor],
        (end, end, start, written.cluster.pk, start, end),
    )


def timed(asked: Asked, runs: int) -> Mapping[str, Any]:
    """Alternating, so that both have the same neighbours on the machine."""
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(runs + 1):
        for values, work in ((bare, lambda: _bare(asked)), (ours, asked.ask)):
            began = time.perf_counter()
            work()
            values.append(time.perf_counter() - began)
    first = {"first": ours[0], "bare_first": bare[0]}
    ratio = summary(ours[1:])["median"] / summary(bare[1:])["median"]
    return {**first, "ours": summary(ours[1:]), "bare": summary(bare[1:]), "ratio": ratio}


def _bare(asked: Asked) -> int:
    with connection.cursor() as cursor:
        cursor.execute(asked.statement, [_stored(value) for value in asked.values])
        return len(cursor.fetchall())


def _stored(value: Any) -> Any:
    """SQLite keeps instants as text."""
    if isinstance(value, datetime) and connection.vendor == "sqlite":
        return str(value.replace(tzinfo=None))
    return value
