"""An API server that goes wrong, followed by beat and a worker as in production.

Whatever it was: afterwards the rows are what the API server holds, and the history of shares is whole.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from dashboard.supervisor.broker import server_binary
from demo import generated
from demo.churn import Churn
from demo.faults import (
    BookmarksOnly,
    CutWatch,
    DuplicateEvents,
    ExpireContinue,
    ExpireWatch,
    Hang,
    Refuse,
)
from tests.drills.conftest import QUEUE, Site, database_on, eventually, kill, sites, wait_until_equal
from tests.drills.faults import ALWAYS, EndWatch, Forbid
from tests.drills.past import past_faults
from tests.drills.reader import history_faults, untold
from tests.inventory.sync.objects import IN_PAGES, claim
from tests.services.broker import own_broker

pytestmark = pytest.mark.timeout(240)

# More claims than a page of a list has, also after some have gone.
_CLAIMS = 640
_OPTIONS = {"bookmark_seconds": 0.5}
_POLLING = {"SLICEBOARD_POLL_SECONDS": "2"}
# What every poll begins with.
_ANY = "/apis/resource.k8s.io"
_ERROR = "SELECT error_reason FROM inventory_cluster WHERE error_reason <> ''"


class Followed:
    """A cluster that lives by steps, and the site that follows it."""

    def __init__(self, site: Site, churn: Churn) -> None:
        self.site, self._churn = site, churn
        self.worker = site.start_worker("--pool", "solo", environment=_POLLING)
        site.start_beat(environment=_POLLING)
        self.equal()
        self._since = site.server.store.revision

    @property
    def server(self) -> Any:
        return self.site.server

    def live(self, steps: int = 40) -> None:
        for _ in range(steps):
            self._churn.step()

    def equal(self) -> None:
        wait_until_equal(self.site, send_polls=False)
        assert history_faults(self.site.rows) == []
        assert past_faults(self.site.rows) == []

    def nothing_is_untold(self) -> None:
        assert untold(self.server.store.changes_after(self._since), self.site.rows) == []

    def something_may_be_untold(self) -> None:
        """What happened up to now is in no event any more."""
        self._since = self.server.store.revision

    def state(self, kind: str) -> tuple[Any, ...]:
        sql = f"SELECT state, error_reason FROM inventory_kindstate WHERE kind = '{kind}'"  # noqa: S608
        return self.site.rows(sql)[0]

    def meets(self, reason: str) -> None:
        eventually(lambda: self.site.rows(_ERROR) == [(reason,)], f"the error {reason}")


# In one process each: it takes long to begin.
_BOTH = [
    pytest.param(name, marks=pytest.mark.xdist_group(f"API server, {name}"))
    for name in ("embedded", "production")
]


@pytest.fixture(scope="module", params=_BOTH)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    """One for all: what one fault leaves behind, the next one meets."""
    folder = tmp_path_factory.mktemp("apiserver")
    with ExitStack() as stack:
        if request.param == "embedded":
            binary, database = server_binary(), f"sqlite:///{folder / 'drill.sqlite3'}"
        else:
            binary = Path(request.getfixturevalue("redis_binary"))
            database = stack.enter_context(database_on(request.getfixturevalue("postgresql")))
        broker = stack.enter_context(own_broker(binary))
        held = generated.cluster(64, _CLAIMS, seed=1, managed_fields=False)
        make = stack.enter_context(sites(folder))
        site = make(database, broker.url, held, queue=QUEUE, **_OPTIONS)
        yield Followed(site, Churn(held, 7))


@pytest.fixture
def followed(made: Followed) -> Iterator[Followed]:
    made.equal()
    yield made
    made.server.faults.clear()


def test_an_api_server_that_was_down_is_followed_again(followed: Followed) -> None:
    followed.server.stop()
    followed.live()
    followed.meets("unreachable")
    followed.site.bring_up(**_OPTIONS)
    followed.equal()
    followed.nothing_is_untold()


def test_an_api_server_that_does_not_answer_in_time_is_asked_again(followed: Followed) -> None:
    opened = Event()
    followed.server.faults.inject(_ANY, Hang(opened))
    followed.live()
    followed.meets("timeout")
    opened.set()
    followed.equal()
    followed.nothing_is_untold()


def test_an_api_server_that_asks_for_patience_is_not_asked_before(followed: Followed) -> None:
    followed.server.faults.inject(_ANY, Refuse(429, retry_after=8))
    followed.live()
    followed.meets("throttled")
    asked = followed.server.requests.count("*")
    (left,) = followed.site.rows("SELECT retry_at FROM inventory_cluster")[0]
    retry_at = datetime.fromisoformat(left) if isinstance(left, str) else left
    eventually(lambda: followed.server.requests.count("*") > asked, "another request")
    # SQLite keeps UTC without saying so.
    assert datetime.now(UTC) >= retry_at.replace(tzinfo=retry_at.tzinfo or UTC)
    followed.equal()
    followed.nothing_is_untold()


def test_a_kind_that_fails_is_told_and_the_others_go_on(followed: Followed) -> None:
    followed.server.faults.inject("*/pods", Refuse(500), times=ALWAYS)
    followed.live()
    eventually(lambda: followed.state("pods")[0] == "failed", "that Pods cannot be read")
    claims = "SELECT count(*) FROM inventory_claim"
    plural = followed.site.number("SELECT max(id) FROM inventory_claim")
    followed.live(200)
    eventually(
        lambda: followed.site.number("SELECT max(id) FROM inventory_claim") > plural, "another claim's row"
    )
    assert followed.site.number(claims) > 0
    followed.server.faults.clear()
    followed.equal()
    followed.nothing_is_untold()


def test_a_kind_that_may_not_be_read_is_told_and_taken_up_when_granted(followed: Followed) -> None:
    followed.server.faults.inject("*/resourceclaims", Forbid(), times=ALWAYS)
    followed.live()
    eventually(lambda: followed.state("resourceclaims")[0] == "forbidden", "that claims may not be read")
    before = followed.site.number("SELECT count(*) FROM inventory_share")
    assert before > 0
    followed.server.faults.clear()
    followed.equal()
    followed.nothing_is_untold()


@pytest.mark.parametrize("after", [0, 3])
def test_a_watch_that_breaks_off_in_the_middle_of_a_line_goes_on(followed: Followed, after: int) -> None:
    for kind in ("resourceclaims", "pods", "resourceslices"):
        followed.server.faults.inject(f"*/{kind}", CutWatch(after))
    for _ in range(4):
        followed.live()
        time.sleep(0.3)
    followed.equal()
    followed.nothing_is_untold()


def test_events_that_come_twice_count_once(followed: Followed) -> None:
    followed.server.faults.inject("*", DuplicateEvents(), times=30)
    for _ in range(4):
        followed.live()
        time.sleep(0.5)
    followed.equal()
    followed.nothing_is_untold()


def test_a_watch_that_ends_at_once_again_and_again_still_tells(followed: Followed) -> None:
    followed.server.faults.inject("*/resourceclaims", EndWatch(), times=40)
    for _ in range(4):
        followed.live()
        time.sleep(0.3)
    followed.server.faults.clear()
    followed.equal()
    followed.nothing_is_untold()


def test_a_streaming_list_that_expires_starts_over(followed: Followed) -> None:
    followed.server.faults.inject("*/resourceclaims", ExpireWatch(), times=3)
    followed.live()
    lists = "SELECT lists_total FROM inventory_kindstate WHERE kind = 'resourceclaims'"
    before = followed.site.number(lists)
    eventually(lambda: followed.site.number(lists) > before, "a whole list")
    followed.something_may_be_untold()
    followed.equal()


def test_a_list_that_expires_between_its_pages_starts_over(followed: Followed) -> None:
    # More than a page has, however many have gone in other drills.
    for number in range(600):
        followed.server.store.put(claim(f"waiting-{number}"))
    followed.server.stop()
    followed.site.bring_up(version=IN_PAGES, **_OPTIONS)
    # A poll that outlives the restart still believes in streaming lists.
    eventually(lambda: followed.server.requests.count("/version") > 0, "a poll that asks who it is")
    lists = "SELECT lists_total FROM inventory_kindstate WHERE kind = 'resourceclaims'"
    before = followed.site.number(lists)
    followed.server.faults.inject("*/resourceclaims", ExpireWatch())
    followed.server.faults.inject("*/resourceclaims", ExpireContinue())
    followed.live()
    eventually(lambda: followed.site.number(lists) > before, "a whole list")
    continued = [one for one in followed.server.requests.last("*/resourceclaims") if "continue" in one.query]
    assert len(continued) > 1
    followed.something_may_be_untold()
    followed.equal()
    followed.server.stop()
    followed.site.bring_up(**_OPTIONS)


def test_a_history_that_was_compacted_while_nobody_followed_is_made_up_by_a_list(followed: Followed) -> None:
    kill(followed.worker)
    followed.live(300)
    followed.server.store.compact()
    followed.site.let_leases_run_out()
    followed.worker = followed.site.start_worker("--pool", "solo", environment=_POLLING)
    followed.something_may_be_untold()
    followed.equal()


def test_events_that_were_lost_are_found_by_the_comparison(followed: Followed) -> None:
    for kind in ("resourceclaims", "pods"):
        followed.server.faults.inject(f"*/{kind}", BookmarksOnly(), times=ALWAYS)
    # The watches from before end first.
    asked = [followed.server.requests.count(f"*/{kind}") for kind in ("resourceclaims", "pods")]
    eventually(
        lambda: all(
            followed.server.requests.count(f"*/{kind}") > before
            for kind, before in zip(("resourceclaims", "pods"), asked, strict=True)
        ),
        "other watches",
    )
    followed.live(200)
    cursor = "SELECT resource_version FROM inventory_kindstate WHERE kind = 'resourceclaims'"
    revision = followed.server.store.revision
    eventually(lambda: int(followed.site.rows(cursor)[0][0] or 0) >= revision, "a bookmark")
    followed.server.faults.clear()
    followed.site.send("compare_cluster")
    found = "SELECT coalesce(differences, 0) FROM inventory_cluster"
    eventually(lambda: followed.site.number(found) > 0, "a comparison that finds differences")
    followed.something_may_be_untold()
    followed.equal()
    followed.site.send("compare_cluster")
    eventually(lambda: followed.site.number(found) == 0, "a comparison that finds none")
