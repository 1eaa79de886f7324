"""The past that is made up for the demo: plausible, exact, and told once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from dashboard import demo_people
from dashboard.demo_past import writing
from dashboard.demo_past.fleet import LONG, Place, Times, amounts, places
from dashboard.demo_past.playing import play
from dashboard.demo_past.workloads import WORKLOADS
from demo.server import ApiServer
from demo.story import Story
from inventory.kube.quantity import parse
from inventory.models import (
    ClaimEvent,
    Cluster,
    Coverage,
    DeviceInterval,
    PodInterval,
    ShareInterval,
    Team,
)
from inventory.queries.history.trend import trends
from inventory.queries.usage.rows import Period
from inventory.rollups import adding
from inventory.sync.compare import compare_cluster
from inventory.sync.poll import poll_cluster
from inventory.viewer import EVERYTHING

_HISTORY: tuple[type[Any], ...] = (Coverage, DeviceInterval, ShareInterval, PodInterval, ClaimEvent)
# A Wednesday.
_BEGINS = datetime(2026, 7, 15, 16, tzinfo=UTC)


@pytest.fixture
def story(db: None, tmp_path: Path) -> Iterator[Cluster]:
    """Registered, with the teams of the demo, and not read yet; nothing happens in it."""
    demo_people.settle("of the demo", "t" * 64)
    with ApiServer(Story(start=_BEGINS).store, bookmark_seconds=0.02) as server:
        path = server.kubeconfig(tmp_path / "story.kubeconfig")
        yield Cluster.objects.create(name="story", kubeconfig=str(path))


@pytest.fixture
def told(story: Cluster) -> Cluster:
    assert writing.give_a_past(story)
    return story


def shares() -> list[ShareInterval]:
    """What is made up: all else is held still."""
    return list(ShareInterval.objects.exclude(ended_at=None).order_by("started_at", "pk"))


def counted() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in _HISTORY}


def test_the_books_of_the_present_stay_right_and_a_restart_adds_nothing(told: Cluster) -> None:
    before = counted()
    assert before["ShareInterval"] > 3000
    assert not writing.give_a_past(told)
    assert counted() == before
    assert poll_cluster(told.pk).ended == "applied"
    assert counted() == before
    call_command("check_ledger")
    assert compare_cluster(told.pk) == 0


def test_it_has_ended_before_anything_that_the_cluster_tells(told: Cluster) -> None:
    made_up = shares()
    last = max(one.ended_at for one in made_up if one.ended_at is not None)
    held = ShareInterval.objects.filter(ended_at=None)
    assert last < min(held.values_list("started_at", flat=True))
    assert {one.claim_uid for one in made_up} == set(
        PodInterval.objects.exclude(ended_at=None).values_list("claim_uid", flat=True)
    )
    assert all(one.ended_not_before and one.started_at < one.ended_not_before for one in made_up)
    events = defaultdict[str, list[str]](list)
    uids = {one.claim_uid for one in made_up}
    for uid, kind in ClaimEvent.objects.order_by("at", "pk").values_list("claim_uid", "kind"):
        events[uid].append(kind)
    lived = ["created", "allocated", "reserved", "deallocated", "deleted"]
    assert all(events[uid] == lived for uid in uids)


def test_at_no_instant_more_is_held_of_a_device_than_it_has(told: Cluster) -> None:
    published = defaultdict[tuple[str, ...], list[DeviceInterval]](list)
    for interval in DeviceInterval.objects.order_by("started_at"):
        published[interval.driver, interval.pool, interval.device].append(interval)
    held = defaultdict[tuple[str, ...], list[ShareInterval]](list)
    for share in shares():
        held[share.driver, share.pool, share.device].append(share)
    assert held
    for device, on_it in held.items():
        for at, now in _instants(on_it):
            (there,) = [one for one in published[device] if one.started_at <= at and _lasts(one, at)]
            assert len(now) <= 1 or not any(one.dedicated for one in now)
            for dimension, total in _sums(now).items():
                assert total <= parse(there.capacity[dimension]).nanos
    whole = [one for one in published.values() if one[0].partitioned and _is_whole(one[0])]
    assert not {(one[0].driver, one[0].pool, one[0].device) for one in whole} & held.keys()


def _instants(on_it: Iterable[ShareInterval]) -> Iterator[tuple[datetime, list[ShareInterval]]]:
    """Each instant at which a share began, with all that is held then."""
    now: list[ShareInterval] = []
    for share in on_it:
        now = [one for one in now if _lasts(one, share.started_at)] + [share]
        yield share.started_at, now


def _lasts(one: ShareInterval | DeviceInterval, at: datetime) -> bool:
    return one.ended_at is None or one.ended_at > at


def _sums(now: Iterable[ShareInterval]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for share in now:
        found.update(amounts(share.consumed))
    return found


def _is_whole(one: DeviceInterval) -> bool:
    return bool(one.capacity == one.card_capacity)


def test_one_night_was_not_read_and_not_every_card_was_always_there(told: Cluster) -> None:
    first, second = Coverage.objects.order_by("started_at")
    night = second.started_at - first.ended_at
    assert timedelta(hours=3) < night < timedelta(hours=9)
    assert LONG - timedelta(days=1) < second.started_at - first.started_at + timedelta(days=17) < LONG
    assert not any(first.ended_at <= one.started_at < second.started_at for one in shares())
    cards = DeviceInterval.objects.filter(accelerator=True, partitioned=False).exclude(product="NVIDIA L40S")
    lived = defaultdict[tuple[str, ...], list[DeviceInterval]](list)
    for one in cards.order_by("started_at"):
        lived[one.driver, one.pool, one.device].append(one)
    changed = [phases for phases in lived.values() if len(phases) > 1]
    assert [phases[0].started_at > first.started_at for phases in lived.values()].count(True) == 1
    assert sorted(before.ended_at == after.started_at for before, after in changed) == [False, True]
    (more,) = [(old, new) for old, new in changed if old.ended_at == new.started_at]
    assert parse(more[0].capacity["memory"]).nanos * 2 == parse(more[1].capacity["memory"]).nanos


def test_only_the_soft_limit_of_batch_is_crossed(told: Cluster) -> None:
    made_up = shares()
    last = max(one.ended_at for one in made_up if one.ended_at is not None)
    period = Period(last - timedelta(days=59), last)
    over = {
        (team.slug, row.dimension)
        for team in Team.objects.all()
        for row in trends(team, period, viewer=EVERYTHING).rows
        if row.over
    }
    assert over == {("batch", "card_equivalents")}


def test_it_is_added_up_like_any_other_and_the_sums_are_those_of_the_intervals(
    told: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    began = Coverage.objects.order_by("started_at")[0].started_at
    assert list(adding.add_up(told, began + timedelta(days=4)))
    call_command("check_usage")
    assert "every stored sum agrees" in capsys.readouterr().out
    assert adding.due(timezone.now()) == [(told.pk, "")]


def test_the_same_devices_have_the_same_past(story: Cluster) -> None:
    assert poll_cluster(story.pk).ended == "applied"
    times = Times.before(_BEGINS)
    first, again = _played(story, times), _played(story, times)
    assert first == again
    assert {use[0].workload.name for use in first} == {workload.name for workload in WORKLOADS}
    assert {workload.team for workload in WORKLOADS} <= {team.slug for team in demo_people.TEAMS}


def _played(cluster: Cluster, times: Times) -> list[tuple[Any, ...]]:
    chance = Random(1)
    uses = play(places(cluster, times, chance), times, chance)
    return [(*use[:3], tuple(map(_name, use.places)), *use[4:]) for use in uses]


def _name(place: Place) -> tuple[str, ...]:
    return place.interval.driver, place.interval.pool, place.interval.device


def test_days_and_weekdays_are_busier_and_who_asks_when_cards_are_busy_waits_longer(told: Cluster) -> None:
    made_up = shares()
    office = [one.started_at for one in made_up if one.claim_name.startswith("notebook")]
    weekdays = [at for at in office if at.weekday() < 5]
    assert len(weekdays) > 8 * len([at for at in office if at.weekday() >= 5])
    assert len([at for at in weekdays if 7 <= at.hour < 19]) > 0.8 * len(weekdays)
    on_t4 = [one for one in made_up if one.pool == "gpu-t4-01"]
    allocated = ClaimEvent.objects.filter(kind="allocated", node="gpu-t4-01", claim_name__startswith="render")
    waited = defaultdict[bool, list[int]](list)
    for at, microseconds in allocated.values_list("at", "waited_microseconds"):
        if microseconds is not None:
            busy = _held_at(on_t4, at - timedelta(microseconds=microseconds))
            waited[busy > 14].append(microseconds)
    assert mean(waited[True]) > 10 * mean(waited[False])


def _held_at(made_up: Sequence[ShareInterval], at: datetime) -> int:
    return sum(one.started_at <= at and _lasts(one, at) for one in made_up)
