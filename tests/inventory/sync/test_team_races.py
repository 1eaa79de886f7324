"""What people change and what polls write at the same moment, on a server that runs both at once."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from random import Random

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from dashboard import demo_people
from inventory.models import Claim, KindState, Namespace, ShareInterval, TeamNamespace, TeamRule
from inventory.sync.check_teams import differences
from inventory.sync.poll import poll_cluster
from inventory.teams.assignment import changing_teams
from tests.factories import make_team
from tests.inventory.sync.books import GIVEN
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, pod, resource_slice, store
from tests.inventory.sync.whose import namespace, reserved
from tests.inventory.test_team_admin import inline

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 30.0


@pytest.fixture
def busy(follow: Follow) -> Followed:
    """A Pod that uses a claim in a namespace whose label names its team; all of it is read already."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite lets one write at a time")
    for slug in ("vision", "nlp"):
        make_team(slug)
    TeamRule.objects.create(key="team")
    held = store(resource_slice(card()), namespace(labels={"team": "vision"}))
    held.put(reserved(held.put(pod("p"))))
    followed = follow(held)
    followed.applied()
    return followed


@contextmanager
def beside(act: Callable[[], object]) -> Iterator[Future[object]]:
    """In another thread, with a connection of its own; at the end it must have succeeded."""

    def run() -> object:
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(run)
        yield done
        done.result(PATIENCE)


def wait_for_waiting(count: int) -> None:
    """Until so many others wait for locks."""
    until = time.monotonic() + PATIENCE
    query = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    while True:
        with connection.cursor() as cursor:
            # Or a transaction sees again what it has seen before.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(query)
            if cursor.fetchone() == (count,):
                return
        assert time.monotonic() < until, f"{count} did not wait"
        time.sleep(0.02)


@contextmanager
def poll_under_way(followed: Followed) -> Iterator[None]:
    """A poll that has the rules, and has written what it read, but is held up before its end."""
    with ExitStack() as stack:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE inventory_skippedobject IN ACCESS EXCLUSIVE MODE")
            done = stack.enter_context(beside(lambda: poll_cluster(followed.cluster.pk).ended))
            wait_for_waiting(1)
            yield
        assert done.result(PATIENCE) == "applied"


def owners() -> list[str | None]:
    teams = (model.objects.values_list("team__slug", flat=True).get() for model in (Namespace, Claim))
    return [*teams, ShareInterval.objects.values_list("team_slug", flat=True).get(ended_at=None)]


def assign(slug: str) -> None:
    """As an operator does it, on the page of a team."""
    client = Client()
    client.force_login(User.objects.get_or_create(username="operator", is_superuser=True)[0])
    team = make_team(slug)
    rows = inline("assignments", {"namespace": "team-a", "cluster": ""})
    form = {"name": slug, "slug": slug, "colour": 0, **rows, **inline("memberships")}
    page = client.post(reverse("admin:inventory_team_change", args=[team.pk]), form)
    assert page.status_code == 302, page.content.decode()


def test_what_is_saved_while_a_poll_writes_decides_afterwards(busy: Followed) -> None:
    busy.store.put(namespace(labels={"team": "vision", "touched": "yes"}))
    with ExitStack() as stack, poll_under_way(busy):
        stack.enter_context(beside(lambda: assign("nlp")))
        wait_for_waiting(2)
    assert owners() == ["nlp", "nlp", "nlp"]
    assert list(differences(busy.cluster)) == []


def test_a_poll_that_comes_while_something_is_saved_goes_by_it(busy: Followed) -> None:
    busy.store.put(namespace(labels={"team": "nlp"}))
    with ExitStack() as stack, changing_teams():
        stack.enter_context(beside(lambda: poll_cluster(busy.cluster.pk)))
        wait_for_waiting(1)
        TeamRule.objects.all().delete()
        TeamRule.objects.create(selector="team in (nlp)", team=make_team("batch"))
    assert owners() == ["batch", "batch", "batch"]
    assert list(differences(busy.cluster)) == []


def test_a_team_that_goes_while_a_poll_gives_it_something_takes_nothing_along(busy: Followed) -> None:
    busy.store.put(namespace(labels={"team": "nlp"}))
    with ExitStack() as stack, poll_under_way(busy):
        team = make_team("nlp")
        stack.enter_context(beside(team.delete))
        wait_for_waiting(2)
    assert owners() == [None, None, ""]
    assert list(differences(busy.cluster)) == []


def test_an_annotation_asked_for_while_a_poll_writes_is_read_with_the_next(busy: Followed) -> None:
    busy.store.put(namespace(annotations={"example.com/owner": "nlp"}))
    with ExitStack() as stack, poll_under_way(busy):
        asked = {"key": "example.com/owner", "source": "annotation"}
        stack.enter_context(beside(lambda: TeamRule.objects.create(**asked)))
        wait_for_waiting(2)
    assert KindState.objects.get(kind="namespaces").layout == 0
    busy.applied()
    assert owners() == ["nlp", "nlp", "nlp"]


def test_the_people_of_the_demo_settle_while_polls_write(busy: Followed) -> None:
    demo_people.settle("a password", "a-token-of-forty-characters-or-so")
    busy.store.put(namespace(labels={"team": "nlp"}))
    with ExitStack() as stack, poll_under_way(busy):
        stack.enter_context(
            beside(lambda: demo_people.settle("another", "another-token-of-forty-characters"))
        )
        wait_for_waiting(2)
    assert owners() == ["nlp", "nlp", "nlp"]


@pytest.mark.parametrize("seed", range(2))
def test_however_saves_and_polls_meet_all_is_as_the_rules_say(busy: Followed, seed: int) -> None:
    """Nobody waits for ever, and the history of the share has neither gaps nor two teams at once."""
    chance = Random(seed)

    def save() -> None:
        for slug in chance.choices(["vision", "nlp", "batch", ""], k=12):
            TeamNamespace.objects.all().delete()
            if slug == "batch":
                TeamRule.objects.create(selector="team", team=make_team(slug)).delete()
            elif slug:
                assign(slug)

    with beside(save) as saved:
        while not saved.done():
            busy.store.put(namespace(labels={"team": chance.choice(["vision", "nlp", "nobody"])}))
            assert poll_cluster(busy.cluster.pk).ended == "applied"
    assert poll_cluster(busy.cluster.pk).ended == "applied"
    assert list(differences(busy.cluster)) == []
    told = list(ShareInterval.objects.order_by("pk").values_list("started_at", "ended_at", "team_slug"))
    assert told[0][0] == GIVEN
    assert told[-1][1] is None
    for (_, ended, before), (started, _, after) in pairwise(told):
        assert (started, before != after) == (ended, True)
