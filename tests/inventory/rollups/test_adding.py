from datetime import datetime
from io import StringIO
from itertools import islice
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from inventory.history.buckets import Step
from inventory.models import Cluster, Level, RollUp, ShareInterval, UsageTotal
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.report import heat, report, series
from inventory.queries.usage.rows import Period, UsageGroup
from inventory.rollups import adding
from inventory.rollups.adding import add_up, due
from inventory.sync.past import Past, set_back
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import make_cluster, make_team
from tests.inventory.rollups.pasts import HOURS, make_past, some_period
from tests.past import after, make_coverage, make_held, make_published

pytestmark = pytest.mark.django_db
NOW = after(HOURS - 10)
_GROUPS = tuple(UsageGroup)
_QUERIES: tuple[dict[str, list[str]], ...] = (
    {},
    {},
    {"cluster": ["lab"]},
    {"team": ["vision"]},
    {"team": ["vision", "speech"]},
    {"namespace": ["team-vision"]},
    {"team": ["speech"], "namespace": ["team-vision"]},
    {"product": ["H100"], "driver": ["gpu.example.com"]},
    {"node": ["node-2"]},
)


def added_up(now: datetime = NOW) -> None:
    for cluster in Cluster.objects.all():
        list(add_up(cluster, now))


def filters(query: dict[str, list[str]], viewer: Viewer) -> UsageFilter:
    return UsageFilter(query, viewer=viewer)


@pytest.mark.parametrize("seed", range(4))
def test_reports_are_the_same_with_sums_and_without(seed: int) -> None:
    chance = Random(seed)
    make_past(chance)
    viewers = (EVERYTHING, EVERYTHING, Viewer(frozenset({make_team("vision").pk})))
    questions = [
        (
            Period(*some_period(chance)),
            chance.sample(_GROUPS, chance.randrange(3)),
            chance.choice(_QUERIES),
            chance.choice(viewers),
        )
        for _ in range(25)
    ]

    def answers() -> list[object]:
        return [
            report(period, groups, filters(query, viewer), viewer=viewer)
            for period, groups, query, viewer in questions
        ]

    expected = answers()
    added_up()
    assert UsageTotal.objects.filter(level=Level.DAY).exists()
    for question, before, now in zip(questions, expected, answers(), strict=True):
        assert now == before, question


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Shanghai"])
def test_series_are_the_same_with_sums_and_without(zone: str) -> None:
    make_past(Random(zone))
    period, everything = Period(after(-5), after(HOURS + 5)), filters({}, EVERYTHING)

    def answers() -> list[object]:
        found: list[object] = [
            series(period, step, groups, everything, zone=ZoneInfo(zone), viewer=EVERYTHING)
            for step in Step
            for groups in ([], [UsageGroup.TEAM], [UsageGroup.NODE], [UsageGroup.NAMESPACE])
        ]
        return [*found, heat(period, everything, zone=ZoneInfo(zone), viewer=EVERYTHING)]

    expected = answers()
    added_up()
    assert answers() == expected


def test_what_is_added_up_is_not_read_from_intervals_again() -> None:
    make_past(Random(1))
    added_up()
    day, hour = Period(after(24), after(48)), Period(after(50), after(53))
    for groups in ([], [UsageGroup.TEAM], [UsageGroup.NAMESPACE]):
        for period in (day, hour):
            with CaptureQueriesContext(connection) as queries:
                report(period, groups, filters({}, EVERYTHING), viewer=EVERYTHING)
            assert not any("shareinterval" in query["sql"] for query in queries)
            assert len(queries) <= 6
    with CaptureQueriesContext(connection) as queries:
        report(day, [UsageGroup.NODE], filters({}, EVERYTHING), viewer=EVERYTHING)
    assert not any("shareinterval" in query["sql"] for query in queries)


def test_adding_up_twice_changes_nothing() -> None:
    make_past(Random(2))
    added_up()
    before = list(UsageTotal.objects.order_by("pk").values())
    added_up()
    assert list(UsageTotal.objects.order_by("pk").values()) == before
    assert due(NOW) == []


def test_it_goes_on_where_it_was_broken_off_and_from_where_it_was_set_back() -> None:
    make_past(Random(3))
    cluster = make_cluster("lab")
    assert len(list(islice(add_up(cluster, NOW), 3))) == 3
    list(add_up(cluster, NOW))
    whole = _sums(cluster)
    UsageTotal.objects.filter(cluster=cluster).delete()
    RollUp.objects.all().delete()
    list(add_up(cluster, NOW))
    assert _sums(cluster) == whole
    set_back(cluster, Past(after(30.5)))
    found = RollUp.objects.get(cluster=cluster)
    assert (found.hours_until, found.days_until) == (after(30), after(24))
    assert due(NOW) == [(cluster.pk, ""), (make_cluster("west").pk, "")]
    list(add_up(cluster, NOW))
    assert _sums(cluster) == whole


def _sums(cluster: Cluster) -> set[tuple[object, ...]]:
    fields = [field.attname for field in UsageTotal._meta.concrete_fields if field.attname != "id"]
    return set(UsageTotal.objects.filter(cluster=cluster).values_list(*fields))


def test_what_is_not_over_is_not_added_up() -> None:
    make_coverage(0, 100)
    make_published()
    added_up(after(49.05))
    found = RollUp.objects.get()
    assert (found.hours_until, found.days_until) == (after(48), after(48))
    added_up(after(49.1))
    found.refresh_from_db()
    assert (found.hours_until, found.days_until) == (after(49), after(48))


def test_hours_that_would_be_deleted_are_not_added_up(settings: Settings) -> None:
    settings.SLICEBOARD_HOUR_DAYS = 1
    make_coverage(0, 100)
    make_published()
    added_up(after(60))
    found = RollUp.objects.get()
    assert (found.hours_from, found.hours_until) == (after(24), after(59))
    assert UsageTotal.objects.filter(level=Level.HOUR).earliest("starts_at").starts_at == after(24)
    assert UsageTotal.objects.filter(level=Level.DAY).earliest("starts_at").starts_at == after(0)


def test_amounts_beyond_all_reason_are_added_up_exactly() -> None:
    make_coverage(0, 100)
    huge = {"memory": "9223372036854775807", "cores": "1n"}
    for number in range(20):
        make_published(f"gpu-{number}", capacity=huge)
        make_held(f"gpu-{number}", consumed={"memory": "9223372036854775806", "cores": "1n"})
    question = Period(after(0), after(72)), [UsageGroup.TEAM], filters({}, EVERYTHING)
    before = report(*question, viewer=EVERYTHING)
    added_up()
    assert report(*question, viewer=EVERYTHING) == before


def test_a_change_of_what_is_added_up_at_this_moment_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A poll writes between the reading of the intervals and the writing of their sums."""
    make_past(Random(4))
    cluster = make_cluster("lab")
    RollUp.objects.create(cluster=cluster, hours_until=after(0), days_until=after(0))
    write = adding._write
    late: list[ShareInterval] = []

    def after_a_poll(*args: Any) -> bool:
        if not late:
            late.append(make_held(start=1, end=30, cluster=cluster, consumed={"memory": "1Gi"}))
            set_back(cluster, Past(after(1)))
        return write(*args)

    monkeypatch.setattr(adding, "_write", after_a_poll)
    chunk = next(add_up(cluster, NOW))
    assert (chunk.start, chunk.changes) == (after(0), 1)
    list(add_up(cluster, NOW))
    call_command("check_usage", "lab", stdout=StringIO())


def test_where_the_past_changes_all_the_time_nothing_wrong_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    make_past(Random(4))
    cluster = make_cluster("lab")
    write = adding._write

    def after_a_poll(*args: Any) -> bool:
        set_back(cluster, Past(after(1)))
        return write(*args)

    monkeypatch.setattr(adding, "_write", after_a_poll)
    assert list(add_up(cluster, NOW)) == []
    assert not UsageTotal.objects.exists()


def test_sums_are_checked_against_the_intervals() -> None:
    make_past(Random(5))
    added_up()
    told = StringIO()
    call_command("check_usage", stdout=told)
    assert told.getvalue() == "2 clusters checked, every stored sum agrees\n"
    wrong = UsageTotal.objects.filter(level=Level.HOUR, measure="shares").first()
    assert wrong is not None
    UsageTotal.objects.filter(pk=wrong.pk).update(low=F("low") + 1)
    ShareInterval.objects.filter(ended_at=None).delete()
    errors = StringIO()
    with pytest.raises(CommandError, match="stored sums differ"):
        call_command("check_usage", stderr=errors)
    assert "the intervals say" in errors.getvalue()
    with pytest.raises(CommandError, match="no such cluster: nowhere"):
        call_command("check_usage", "nowhere")


def test_a_cluster_that_was_never_read_is_left_alone() -> None:
    make_cluster()
    added_up()
    assert (due(NOW), RollUp.objects.count()) == ([], 0)
