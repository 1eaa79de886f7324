"""What a team held over time beside its quotas."""

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.dra.units import Unit
from inventory.history.instants import SECOND, Span, micros
from inventory.models import Device, Team, TeamQuota
from inventory.queries.history.trend import MOST_TRENDS, TrendRow, borders, trends
from inventory.queries.usage.rows import Period
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import READ_AT, make_cluster, make_device, make_node, make_pool, make_team
from tests.looking_back import make_held, make_read, make_there

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
START = READ_AT - DAY
GIB = 2**30


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


@pytest.fixture
def team(db: None) -> Team:
    return make_team("vision")


@pytest.fixture
def device(team: Team) -> Device:
    device = make_device()
    make_read(device.cluster, START, READ_AT)
    make_there(device, START)
    return device


def limit(team: Team, dimension: str, quantity: str, **fields: Any) -> TeamQuota:
    return TeamQuota.objects.create(team=team, dimension=dimension, quantity=quantity, **fields)


def of(team: Team, viewer: Viewer = EVERYTHING) -> TrendRow:
    (row,) = trends(team, Period(START, READ_AT), viewer=viewer).rows
    return row


def test_the_measure_is_the_quotas_own(team: Team, device: Device) -> None:
    for dimension, quantity, expected in (("memory", "20Gi", 12 * GIB), ("cards", "2", 1)):
        TeamQuota.objects.all().delete()
        limit(team, dimension, quantity)
        if dimension == "memory":
            make_held(device, at(1), at(3), consumed={"memory": "8Gi"})
            make_held(device, at(2), at(4), consumed={"memory": "4Gi"})
        row = of(team)
        assert row.peak == expected
        assert row.unit is (Unit.BYTES if dimension == "memory" else Unit.COUNT)


def test_without_a_quota_it_is_card_equivalents(team: Team, device: Device) -> None:
    make_held(device, at(1), at(3), consumed={"memory": "20Gi"})
    row = of(team)
    assert (row.dimension, row.limits, row.peak) == ("card_equivalents", (), Fraction(1, 4))
    assert sum(step.integral for step in row.steps) == Fraction(2 * 3600 * SECOND, 4)


def test_a_limit_that_begins_and_one_that_ends_are_steps_of_the_line(team: Team, device: Device) -> None:
    limit(team, "memory", "4Gi", ends_at=at(10))
    limit(team, "memory", "16Gi", starts_at=at(10))
    limit(team, "memory", "1Gi", ends_at=at(-1))
    make_held(device, at(9), at(12), consumed={"memory": "8Gi"})
    row = of(team)
    first, second = row.limits
    assert (first.span.end, second.span.start) == (micros(at(10)), micros(at(10)))
    assert row.over == 3600 * SECOND


def test_a_quota_counts_its_own_devices_and_class(team: Team, device: Device) -> None:
    other = make_device("gpu-1", product="H100")
    make_there(other, START)
    make_held(device, at(1), at(3), consumed={"memory": "8Gi"}, device_class="a")
    make_held(device, at(1), at(3), consumed={"memory": "4Gi"}, device_class="b")
    make_held(other, at(1), at(3), consumed={"memory": "2Gi"}, device_class="a")
    for fields, expected in (
        ({"product": "A100"}, 12),
        ({"device_class": "a"}, 10),
        ({"product": "A100", "device_class": "b"}, 4),
        ({"driver": "other.example.com"}, 0),
        ({"cluster": make_cluster("elsewhere")}, None),
    ):
        TeamQuota.objects.all().delete()
        limit(team, "memory", "20Gi", **fields)
        assert of(team).peak == (None if expected is None else expected * GIB)


def test_what_was_not_read_breaks_the_line(team: Team, device: Device) -> None:
    device.cluster.coverage.all().delete()
    make_read(device.cluster, START, at(6))
    make_read(device.cluster, at(9), READ_AT)
    make_held(device, at(1), at(12), consumed={"memory": "20Gi"})
    row = of(team)
    assert row.unread == (Span(micros(at(6)), micros(at(9))),)
    broken = [step for step in row.steps if step.peak is None]
    assert len(broken) == 3 * 6
    assert row.read == 21 * 3600 * SECOND
    assert sum(step.integral for step in row.steps) == Fraction(8 * 3600 * SECOND, 4)


def test_a_sum_over_clusters_is_known_while_all_of_them_were_read(team: Team, device: Device) -> None:
    late = make_cluster("late")
    make_read(late, at(12), at(18))
    make_held(device, at(1), at(23), consumed={"memory": "20Gi"})
    row = of(team)
    assert row.unread == (Span(micros(at(18)), micros(READ_AT)),)
    late.enabled = False
    late.save()
    assert of(team).unread == ()


def test_a_whole_device_that_was_not_published_holds_nobody_knows_what(team: Team, device: Device) -> None:
    limit(team, "memory", "100Gi")
    device.cluster.device_intervals.update(ended_at=at(2))
    make_held(device, at(1), at(3))
    row = of(team)
    assert row.peak == 80 * GIB
    assert row.unknown == 3600 * SECOND
    assert row.reasons == ("shares of a whole device that was not published",)


def test_admin_access_and_what_is_no_accelerator_hold_nothing(team: Team, device: Device) -> None:
    make_held(device, at(1), at(3), admin_access=True)
    network = make_device("nic-0", accelerator=False, card=None)
    make_there(network, START)
    make_held(network, at(1), at(3))
    assert of(team).peak == 0


def test_other_teams_are_not_counted_and_not_told(team: Team, device: Device) -> None:
    make_held(device, at(1), at(3), team="other")
    assert of(team).peak == 0
    make_held(device, at(1), at(3))
    assert of(team, Viewer(frozenset())).peak == 0


def test_more_quotas_than_are_drawn_are_told(team: Team, device: Device) -> None:
    for number in range(MOST_TRENDS + 2):
        limit(team, "memory", "1Gi", product=f"product-{number}")
    found = trends(team, Period(START, READ_AT), viewer=EVERYTHING)
    assert (len(found.rows), found.more) == (MOST_TRENDS, 2)


def test_steps_begin_at_multiples_of_their_length() -> None:
    span = Span(micros(at(0.05)), micros(at(24.05)))
    first, second, *_ = borders(span)
    assert (first, second) == (span.start, micros(at(0)) + 600 * SECOND)
    assert len(borders(span)) <= 400
    assert len(borders(Span(micros(READ_AT - timedelta(days=365)), micros(READ_AT)))) <= 400


def test_it_asks_as_often_for_many_shares_as_for_few(team: Team, device: Device) -> None:
    limit(team, "memory", "1Gi")
    make_held(device, at(1), at(2), consumed={"memory": "1Gi"})

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            of(team)
        return len(asked)

    few = queries()
    for number in range(20):
        pool = make_pool(f"node-{number}")
        card = make_device(f"card-{number}", pool=pool, node=make_node(f"node-{number}"))
        make_there(card, START)
        make_held(card, at(number), at(number + 1), consumed={"memory": "1Gi"})
    assert queries() == few
