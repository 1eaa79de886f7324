import threading
from random import Random
from typing import Any

import pytest
from pytest_django import Settings

from inventory.models import (
    ClaimEvent,
    Cluster,
    Coverage,
    DeviceInterval,
    Level,
    PodInterval,
    RollUp,
    ShareInterval,
    UsageTotal,
)
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.plan import NoLongerKept
from inventory.queries.usage.pods import pods
from inventory.queries.usage.report import report
from inventory.queries.usage.rows import Period, UsageGroup, UsageReport
from inventory.rollups import pruning
from inventory.rollups.adding import add_up
from inventory.rollups.pruning import forget, forget_of
from inventory.viewer import EVERYTHING
from tests.factories import make_cluster
from tests.inventory.rollups.pasts import make_past
from tests.past import after, make_coverage, make_held, make_published, make_used

pytestmark = pytest.mark.django_db
NOW = after(24 * 4 + 1)


@pytest.fixture
def kept(settings: Settings) -> Settings:
    settings.SLICEBOARD_INTERVAL_DAYS = 2
    settings.SLICEBOARD_HOUR_DAYS = 1
    settings.SLICEBOARD_EVENT_DAYS = 1
    return settings


def usage(start: float, end: float, *groups: UsageGroup, **query: Any) -> UsageReport:
    filters = UsageFilter(query, viewer=EVERYTHING)
    return report(Period(after(start), after(end)), groups, filters, viewer=EVERYTHING)


def test_what_is_kept_is_the_same_as_before(kept: Settings) -> None:
    make_past(Random(1))
    for cluster in Cluster.objects.all():
        list(add_up(cluster, NOW))
    questions: list[tuple[Any, ...]] = [
        (50.3, 70.2),
        (48, 90, UsageGroup.WORKLOAD),
        (0, 72, UsageGroup.TEAM),
        (24, 48, UsageGroup.NAMESPACE),
        (0, 90, UsageGroup.NODE),
        (72, 80),
    ]
    before = [usage(*question) for question in questions]
    rows = ShareInterval.objects.count()
    forget(NOW, stopping=threading.Event())
    assert ShareInterval.objects.count() < rows
    assert not UsageTotal.objects.filter(level=Level.HOUR, starts_at__lt=after(72)).exists()
    assert [usage(*question) for question in questions] == before
    found = RollUp.objects.first()
    assert found is not None
    assert (found.intervals_from, found.hours_from) == (after(48), after(72))


def test_what_is_no_longer_kept_in_detail_is_told(kept: Settings) -> None:
    make_past(Random(2))
    for cluster in Cluster.objects.all():
        list(add_up(cluster, NOW))
    forget(NOW, stopping=threading.Event())
    for question in ((0.5, 40), (0, 48, UsageGroup.WORKLOAD), (23, 48, UsageGroup.TEAM)):
        with pytest.raises(NoLongerKept, match=r"kept since 2026-03-03T00:00Z.*whole days of UTC"):
            usage(*question)
    with pytest.raises(NoLongerKept) as caught:
        pods(Period(after(1), after(90)), UsageFilter({}, viewer=EVERYTHING), viewer=EVERYTHING)
    assert caught.value.since == after(48)
    assert list(pods(Period(after(49), after(90)), UsageFilter({}, viewer=EVERYTHING), viewer=EVERYTHING))


def test_what_lasts_stays_however_long_ago_it_began(kept: Settings) -> None:
    cluster = make_cluster()
    make_coverage(0, 200)
    make_published("gpu-0", 0, 5)
    make_published("gpu-0", 5, 9)
    make_published("gpu-1", 0, 5)
    share = make_held("gpu-0", 1)
    make_held("gpu-1", 1, 6)
    make_used(share, "old", 2, 3)
    make_used(share, "new", 3)
    list(add_up(cluster, NOW))
    forget(NOW, stopping=threading.Event())
    assert list(ShareInterval.objects.values_list("pk", flat=True)) == [share.pk]
    assert list(PodInterval.objects.values_list("pod_name", flat=True)) == ["new"]
    # What a share is on that is held: gone, and still of this product.
    assert list(DeviceInterval.objects.values_list("device", "started_at")) == [
        ("gpu-1", after(0)),
        ("gpu-0", after(5)),
    ]


def test_nothing_goes_that_is_not_added_up(kept: Settings) -> None:
    cluster = make_cluster()
    make_coverage(0, 200)
    make_published()
    before, after_it = make_held(start=1, end=20), make_held(start=2, end=30)
    assert list(forget_of(cluster, NOW)) == []
    RollUp.objects.create(cluster=cluster, hours_until=after(28), days_until=after(24))
    assert list(forget_of(cluster, NOW)) == [1]
    assert not ShareInterval.objects.filter(pk=before.pk).exists()
    assert ShareInterval.objects.get() == after_it
    assert RollUp.objects.get().intervals_from == after(24)


def test_events_go_by_their_own_time(kept: Settings) -> None:
    cluster = make_cluster()
    for hours in (0, 72.5, 80):
        ClaimEvent.objects.create(cluster=cluster, kind="created", at=after(hours), source="server")
    assert sum(forget_of(cluster, NOW)) == 1
    assert [one.at for one in ClaimEvent.objects.all()] == [after(72.5), after(80)]


def test_days_that_are_gone_were_never_read(kept: Settings) -> None:
    kept.SLICEBOARD_DAY_DAYS = 3
    cluster = make_cluster()
    make_coverage(0, 10)
    make_coverage(12, 200)
    make_published()
    make_held()
    list(add_up(cluster, NOW))
    forget(NOW, stopping=threading.Event())
    assert [one.started_at for one in Coverage.objects.all()] == [after(24)]
    found = usage(0, 48)
    assert found.readings[0].first == after(24)
    assert found.rows[0].use.shares == 24 * 3600


def test_a_few_rows_go_at_a_time(kept: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "AT_ONCE", 3)
    cluster = make_cluster()
    make_coverage(0, 200)
    make_published()
    for _ in range(8):
        make_held(start=1, end=2)
    list(add_up(cluster, NOW))
    stopping = threading.Event()
    stopping.set()
    forget(NOW, stopping=stopping)
    assert ShareInterval.objects.count() == 5
    sizes = list(forget_of(cluster, NOW))
    assert sizes[:2] == [3, 2]
    assert max(sizes) == 3
