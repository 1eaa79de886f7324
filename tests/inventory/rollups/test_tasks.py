"""Adding up and deleting as the worker does it, with a real broker."""

import threading

import pytest
import redis
from django.utils import timezone
from pytest_django import Settings

from inventory.history.instants import DAY, HOUR, floor_day, floor_hour
from inventory.models import Cluster, Coverage, RollUp, UsageTotal
from inventory.rollups import adding
from inventory.tasks import add_up_cluster, add_up_usage, forget_the_past
from tests.factories import make_cluster
from tests.inventory.waiting import waiting

pytestmark = pytest.mark.django_db


def read_since_days(days: int, **fields: str) -> Cluster:
    cluster = make_cluster(**fields)
    now = timezone.now()
    Coverage.objects.create(cluster=cluster, started_at=now - days * DAY, ended_at=now)
    return cluster


def test_a_cluster_of_which_an_hour_is_over_is_added_up(broker: redis.Redis) -> None:
    cluster = read_since_days(2, queue="large")
    make_cluster("never-read")
    add_up_usage()
    assert waiting(broker, "large") == [[cluster.pk]]
    assert waiting(broker) == []
    add_up_cluster(cluster.pk)
    over = timezone.now() - adding.SETTLED_AFTER
    found = RollUp.objects.get()
    assert found.hours_until in (floor_hour(over), floor_hour(over - HOUR / 60))
    assert found.days_until in (floor_day(over), floor_day(over - HOUR / 60))
    add_up_usage()
    assert waiting(broker, "large") == [[cluster.pk]]


def test_a_worker_that_is_asked_to_end_stops_between_two_chunks() -> None:
    cluster = read_since_days(2)
    stopping = threading.Event()
    stopping.set()
    adding.add_up_cluster(cluster.pk, seconds=60, stopping=stopping)
    found = RollUp.objects.get()
    assert found.hours_until is not None
    assert found.hours_until - floor_hour(Coverage.objects.get().started_at) == 6 * HOUR
    adding.add_up_cluster(cluster.pk, seconds=0, stopping=threading.Event())
    found.refresh_from_db()
    assert found.hours_until - floor_hour(Coverage.objects.get().started_at) == 12 * HOUR


def test_a_cluster_that_is_gone_is_not_added_up() -> None:
    add_up_cluster(12345)
    assert not RollUp.objects.exists()


def test_what_is_old_goes(settings: Settings) -> None:
    settings.SLICEBOARD_HOUR_DAYS = 1
    cluster = read_since_days(4)
    add_up_cluster(cluster.pk)
    forget_the_past()
    assert not UsageTotal.objects.filter(starts_at__lt=floor_day(timezone.now()) - DAY, level="hour").exists()
