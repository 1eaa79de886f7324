"""What happened to shares since a mark, in order."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import Cluster, Device, ShareInterval
from inventory.queries.news.events import Mark, ShareEvent, Step, since
from tests.factories import READ_AT, make_claim, make_cluster, make_device, make_pool, make_share
from tests.looking_back import make_held

pytestmark = pytest.mark.django_db
_HOUR = timedelta(hours=1)


@pytest.fixture
def device() -> Device:
    return make_device(pool=make_pool(cluster=make_cluster(revision=9)))


def held(device: Device, began: int, told: int = 0, ended: int | None = None, **fields: Any) -> ShareInterval:
    end = READ_AT + _HOUR if ended else None
    made: dict[str, Any] = {"began_in": began, "told_in": ended or told or began, "ended_in": ended, **fields}
    return make_held(device, READ_AT, end, consumed={"memory": "8Gi"}, **made)


def found(mark: Mark, most: int = 100, until: int = 9) -> list[ShareEvent] | None:
    pk = Cluster.objects.get().pk
    return since({pk: mark}, {pk: until}, most)


def all_found(mark: Mark, **narrowed: int) -> list[ShareEvent]:
    events = found(mark, **narrowed)
    assert events is not None
    return events


def told(mark: Mark, **narrowed: int) -> list[tuple[int, Step]]:
    events = all_found(mark, **narrowed)
    return [(event.mark.generation, event.step) for event in events]


def test_a_share_is_told_of_when_it_begins_changes_and_ends(device: Device) -> None:
    held(device, began=3, told=5)
    held(device, began=2, ended=6)
    assert told(Mark(0)) == [(2, Step.BEGAN), (3, Step.BEGAN), (5, Step.CHANGED), (6, Step.ENDED)]
    assert told(Mark(3)) == [(5, Step.CHANGED), (6, Step.ENDED)]
    assert told(Mark(6)) == []


def test_what_is_newer_than_the_generation_that_is_looked_at_waits(device: Device) -> None:
    held(device, began=3, ended=6)
    held(device, began=7)
    assert told(Mark(0), until=6) == [(3, Step.BEGAN), (6, Step.ENDED)]


def test_one_that_came_and_went_in_one_generation_begins_before_it_ends(device: Device) -> None:
    held(device, began=4, ended=4)
    assert told(Mark(3)) == [(4, Step.BEGAN), (4, Step.ENDED)]


def test_who_stops_in_the_middle_of_a_generation_goes_on_there(device: Device) -> None:
    for _ in range(3):
        held(device, began=4)
    held(device, began=2, ended=4)
    events = all_found(Mark(2))
    assert len(events) == 4
    for place, event in enumerate(events):
        assert found(event.mark) == events[place + 1 :]


def test_more_than_is_asked_for_is_told_as_nothing(device: Device) -> None:
    for _ in range(3):
        held(device, began=4)
    assert found(Mark(0), most=2) is None
    assert len(found(Mark(0), most=3) or ()) == 3


def test_what_was_before_generations_were_kept_is_never_told(device: Device) -> None:
    held(device, began=0)
    assert told(Mark(0)) == []


def test_what_is_still_held_comes_with_its_row_and_what_is_not_with_its_device(device: Device) -> None:
    claim = make_claim()
    share = make_share(device, claim, consumed={"memory": "8Gi"}, share_id="s-1")
    held(device, began=3, claim_uid=claim.uid, share_id="s-1")
    held(device, began=2, ended=4)
    ended_before, began, ended = all_found(Mark(0))
    assert began.share == share
    assert began.claim == claim
    assert (ended_before.share, ended.share, ended.claim) == (None, None, None)
    assert ended.device == device


def test_one_that_passes_to_another_team_knows_of_its_other_half(device: Device) -> None:
    before = held(device, began=2, ended=4, team="vision", claim_uid="u", share_id="s")
    after = held(
        device, began=4, team="nlp", claim_uid="u", share_id="s", started_at=before.ended_at, given_at=READ_AT
    )
    ended, began = all_found(Mark(3))
    assert (ended.passed_to, ended.passed_from) == (after, None)
    assert (began.passed_to, began.passed_from) == (None, before)
    assert [event.passed_to for event in all_found(Mark(0))] == [after, after, None]


def test_it_takes_as_many_queries_however_much_is_new(device: Device) -> None:
    counts = []
    for number in (1, 20):
        for _ in range(number):
            claim = make_claim()
            make_share(device, claim, consumed={"memory": "1Gi"}, share_id="s")
            held(device, began=3, claim_uid=claim.uid, share_id="s")
            held(device, began=3, ended=5)
        with CaptureQueriesContext(connection) as asked:
            all_found(Mark(0))
        counts.append(len(asked))
    assert counts[0] == counts[1]
