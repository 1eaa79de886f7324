"""axe finds nothing either where little is known, little may be seen, or something has gone wrong."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.test import RequestFactory
from django.utils import timezone
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from dashboard.api.problems import server_error
from inventory.models import Cluster, KindState, Membership, Team
from tests.browser import axe
from tests.browser.every_page import PAGES, RECORDED, Visit
from tests.browser.signing_in import PASSWORD, sign_in
from tests.factories import make_cluster

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]

# Lists, sums and pictures of each kind: they are there whatever is known.
_NAMES = ("overview", "cards-wall", "cards-table", "nodes", "pods", "claims", "teams", "usage", "clusters")
_OF_DATA = [one for one in PAGES if one.name in _NAMES]
_OF_MEMBER = [one for one in PAGES if one.name in ("device", "node", "team", "cluster")]


def _nothing() -> None:
    """No cluster is declared."""


def _never_read() -> None:
    make_cluster("lab-1", observed_at=None, attempted_at=None)


@pytest.mark.parametrize("arrange", [_nothing, _never_read])
def test_axe_finds_nothing_where_nothing_was_read(
    browser: Browser, live_server: LiveServer, arrange: Callable[[], None]
) -> None:
    arrange()
    User.objects.create_superuser("operator", password=PASSWORD)
    page = _signed_in(browser, live_server.url, "operator")
    assert axe.faults(page, _OF_DATA, RECORDED) == {}
    page.context.close()


def test_axe_finds_nothing_where_what_was_read_is_old_and_not_all_of_it_may_be_read(
    browser: Browser, site: str
) -> None:
    Cluster.objects.update(
        observed_at=timezone.now() - timedelta(days=2),
        error_reason="Unreachable",
        error_message="connection refused",
        error_at=timezone.now(),
    )
    KindState.objects.filter(kind="pods").update(
        state="forbidden", error_reason="forbidden", error_message="pods is forbidden: grant list on pods"
    )
    page = _signed_in(browser, site, "operator")
    of_cluster = [one for one in PAGES if one.name == "cluster"]
    assert axe.faults(page, [*_OF_DATA, *of_cluster], RECORDED) == {}
    page.context.close()


def test_axe_finds_nothing_where_names_are_withheld(browser: Browser, site: str) -> None:
    _make_member()
    page = _signed_in(browser, site, "member")
    assert axe.faults(page, [*_OF_DATA, *_OF_MEMBER], RECORDED) == {}
    page.context.close()


def test_axe_finds_nothing_at_the_chip_in_any_of_its_states(browser: Browser, site: str) -> None:
    page = _signed_in(browser, site, "operator")
    page.goto("/clusters/")
    page.locator("#live:visible").wait_for()
    states = page.locator("#live [data-state]").evaluate_all("all => all.map((one) => one.dataset.state)")
    assert len(states) == 7
    for state in states:
        page.evaluate(
            """(state) => document.querySelectorAll("#live [data-state]").forEach(
                (one) => { one.hidden = one.dataset.state !== state; })""",
            state,
        )
        assert axe.faults_of_themes(page) == [], state
    page.context.close()


def test_axe_finds_nothing_on_the_pages_of_what_is_not_allowed_or_failed(browser: Browser, site: str) -> None:
    _make_member()
    page = _signed_in(browser, site, "member")
    assert axe.faults(page, [Visit("not-allowed", "", "/admin/login/")], RECORDED) == {}
    page.route("**/fault/", lambda route: route.fulfill(status=500, content_type="text/html", body=_fault()))
    assert axe.faults(page, [Visit("fault", "", "/fault/")], RECORDED) == {}
    page.context.close()


def test_axe_finds_nothing_on_the_page_for_who_is_held_back(browser: Browser, site: str) -> None:
    AccessAttempt.objects.create(
        username="operator",
        ip_address="127.0.0.1",
        failures_since_start=settings.AXES_FAILURE_LIMIT,
        attempt_time=timezone.now(),
    )
    page = browser.new_context(base_url=site, locale="en").new_page()
    page.goto("/sign-in/")
    page.locator("#id_username").fill("operator")
    page.locator("#id_password").fill("a guess")
    with page.expect_response(lambda answer: answer.status == 429):
        page.locator("form.sign-in button").click()
    page.wait_for_load_state()
    assert axe.faults_of_themes(page) == []
    page.context.close()


def _make_member() -> None:
    member = User.objects.create_user("member", password=PASSWORD)
    Membership.objects.create(user=member, team=Team.objects.get(slug="nlp"), role="member")


def _signed_in(browser: Browser, site: str, user: str) -> Page:
    page = browser.new_context(base_url=site, locale="en").new_page()
    sign_in(page, user)
    return page


def _fault() -> str:
    """The page that tells of a fault of the server; none is known that a browser could cause."""
    return server_error(RequestFactory().get("/fault/")).content.decode()
