"""The stream as a server gives it that ends each answer: what is sent first, and to whom."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.access.models import ApiToken
from inventory.models import Cluster, Membership, Team
from tests.dashboard.stream.conftest import Living
from tests.dashboard.stream.reading import Event, text_events

pytestmark = pytest.mark.django_db
PATH = "/api/v1/stream/"


def asking(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def told(user: User, query: str = "", **headers: str) -> list[Event]:
    response = asking(user).get(f"{PATH}?{query}", headers=headers)
    assert (response.status_code, response["Content-Type"]) == (200, "text/event-stream")
    return text_events(response)


def since(user: User, event: Event, query: str = "") -> list[Event]:
    return told(user, query, **{"Last-Event-ID": event.id})


def changes(events: list[Event]) -> list[tuple[str, str]]:
    return [event.change for event in events if event.name == "share"]


def test_it_begins_with_how_fresh_everything_is(living: Living, operator: User) -> None:
    (first,) = told(operator)
    generation = Cluster.objects.get().revision
    assert (first.name, first.content["reason"], first.content["stale"]) == ("snapshot", "first", False)
    (cluster,) = first.content["clusters"]
    assert (cluster["name"], cluster["generation"], cluster["stale"]) == ("lab", generation, False)
    assert first.content["as_of"] == cluster["observed_at"]


def test_who_comes_again_is_told_what_has_happened_since(living: Living, operator: User) -> None:
    (first,) = told(operator)
    living.happens("a", "b")
    living.take("a")
    living.happens("c")
    events = since(operator, first)
    told_of = changes(events)
    assert sorted(told_of[:2]) == [("began", "a"), ("began", "b")]
    assert told_of[2:] == [("ended", "a"), ("began", "c")]
    assert events[-1].name == "freshness"
    assert changes(since(operator, events[-1])) == []


def test_who_was_cut_off_in_the_middle_goes_on_there(living: Living, operator: User) -> None:
    (first,) = told(operator)
    living.happens("a", "b", "c")
    events = since(operator, first)
    for place, event in enumerate(events[:3]):
        assert changes(since(operator, event)) == changes(events[place + 1 :])


def test_a_share_is_that_of_the_list_of_shares(living: Living, operator: User) -> None:
    (first,) = told(operator)
    living.happens("a")
    began, _ = since(operator, first)
    (listed,) = asking(operator).get("/api/v1/shares/").json()["results"]
    assert began.content == {"change": "began", "share": listed}


def test_with_nothing_new_it_says_how_fresh_everything_is(living: Living, operator: User) -> None:
    (first,) = told(operator)
    (again,) = since(operator, first)
    assert (again.name, again.id) == ("freshness", first.id)


@pytest.mark.parametrize("id", ["nonsense", "0123456789:1.1", "9" * 9000])
def test_an_id_of_something_else_leads_to_a_snapshot(living: Living, operator: User, id: str) -> None:
    (first,) = told(operator, **{"Last-Event-ID": id})
    assert first.content["reason"] == "unknown"
    (first,) = told(operator, f"last_event_id={id}")
    assert first.content["reason"] == "unknown"


def test_the_header_is_newer_than_the_address(living: Living, operator: User) -> None:
    (first,) = told(operator)
    living.happens("a")
    *_, last = since(operator, first)
    assert changes(told(operator, f"last_event_id={first.id}", **{"Last-Event-ID": last.id})) == []


def test_too_much_to_tell_is_told_as_a_snapshot(
    living: Living, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inventory.queries.news.reading.MOST", 2)
    (first,) = told(operator)
    living.happens("a", "b", "c")
    (missed,) = since(operator, first)
    assert (missed.name, missed.content["reason"]) == ("snapshot", "missed")
    assert changes(since(operator, missed)) == []


def test_other_rights_are_another_stream(living: Living, member: User) -> None:
    (first,) = told(member)
    Membership.objects.create(team=Team.objects.create(slug="nlp", name="NLP"), user=member)
    (again,) = since(member, first)
    assert again.content["reason"] == "unknown"


def test_members_are_told_of_what_is_theirs_and_others_of_nothing(
    living: Living, member: User, stranger: User
) -> None:
    (own,), (foreign,) = told(member), told(stranger)
    living.happens("a")
    living.take("a")
    living.poll()
    assert changes(since(member, own)) == [("began", "a"), ("ended", "a")]
    (nothing,) = since(stranger, foreign)
    assert nothing.name == "freshness"


@pytest.mark.parametrize(
    ("query", "is_told"),
    [
        ("cluster=lab", True),
        ("namespace=team-a", True),
        ("namespace=team-b", False),
        ("team=vision&team=nlp", True),
        ("team=nlp", False),
        ("shares=false", False),
        ("kind=pods&kind=resourceclaims", True),
    ],
)
def test_it_is_narrowed_as_shares_are(
    living: Living, operator: User, stranger: User, query: str, *, is_told: bool
) -> None:
    (first,) = told(operator, query)
    living.happens("a")
    events = since(operator, first, query)
    assert changes(events) == ([("began", "a")] if is_told else [])
    assert events[-1].name == "freshness"


@pytest.mark.parametrize(
    "query", ["stat=1", "cluster=nowhere", "team=nobody", "shares=perhaps", "kind=boats", "team="]
)
def test_what_is_not_known_is_named(living: Living, operator: User, query: str) -> None:
    response = asking(operator).get(f"{PATH}?{query}")
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    (error,) = response.json()["errors"]
    assert error["field"] == query.partition("=")[0]


def test_a_team_that_is_not_ones_own_is_as_one_that_is_not_there(
    living: Living, member: User, stranger: User
) -> None:
    assert asking(member).get(f"{PATH}?team=nlp").status_code == 400


def test_nobody_listens_anonymously(living: Living) -> None:
    response = Client().get(PATH)
    assert (response.status_code, response["Content-Type"]) == (401, "application/problem+json")


def test_a_program_listens_with_its_token(living: Living, operator: User) -> None:
    _, text = ApiToken.issue(operator, "of a program", "read", timedelta(days=1))
    response: Any = Client(headers={"Authorization": f"Bearer {text}"}).get(PATH)
    (first,) = text_events(response)
    assert first.name == "snapshot"


def test_no_cache_and_no_proxy_keeps_it(living: Living, operator: User) -> None:
    response = asking(operator).get(PATH)
    assert response["Cache-Control"] == "no-store"
    assert response["X-Accel-Buffering"] == "no"
    assert "Content-Length" not in response


def test_another_media_type_is_not_on_offer(living: Living, operator: User) -> None:
    assert asking(operator).get(PATH, headers={"Accept": "application/json"}).status_code == 406
    assert asking(operator).get(PATH, headers={"Accept": "text/event-stream"}).status_code == 200


def test_without_a_cluster_there_is_a_stream_all_the_same(operator: User) -> None:
    (first,) = told(operator)
    assert (first.content["as_of"], first.content["clusters"]) == (None, [])
    (again,) = since(operator, first)
    assert again.name == "freshness"
