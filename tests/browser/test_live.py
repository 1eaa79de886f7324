"""Pages that keep themselves new, in Chromium, from the server as it runs in production."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from dashboard.access.models import UserSession
from demo import recorded
from demo.server import ApiServer
from inventory.models import Cluster, Device, Node, Pod
from inventory.models.devices import DeviceState
from inventory.sync.poll import poll_cluster
from tests.browser.signing_in import PASSWORD, sign_in
from tests.inventory.sync.objects import claim, consumer, pod, result
from tests.services.web import Web, running_web

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SHOWN = "document.getElementById('live-data').textContent"


class Lab:
    """The recorded cluster, in which Pods come."""

    def __init__(self, server: ApiServer, cluster: Cluster) -> None:
        self._server, self._cluster = server, cluster

    def read(self) -> None:
        assert poll_cluster(self._cluster.pk).ended == "applied"

    def starts(self, name: str, phase: str = "Running") -> None:
        """A Pod that waits for a claim that is not there."""
        self._server.store.put(pod(name, ("absent",), status={"phase": phase}))
        self.read()

    def allocates(self, device: Device) -> None:
        """A Pod whose claim comes with half of the memory of a card."""
        took = result(
            device.name,
            driver=device.pool.driver,
            pool=device.pool.name,
            consumedCapacity={"memory": "40Gi", "cores": "30"},
        )
        user = pod("pod-that-computes", ("claim-that-came",), node=device.node.name if device.node else "")
        user["metadata"]["uid"] = "6f1c24a5-8e50-4d3b-9a53-0d6b8e4d2f10"
        self._server.store.put(user)
        self._server.store.put(claim("claim-that-came", took, consumers=(consumer(user),)))
        self.read()


@pytest.fixture
def lab(transactional_db: None, tmp_path: Path) -> Iterator[Lab]:
    User.objects.create_superuser("operator", password=PASSWORD)
    with ApiServer(recorded.store(), bookmark_seconds=0.02) as server:
        path = server.kubeconfig(tmp_path / "kubeconfig")
        lab = Lab(server, Cluster.objects.create(name="lab-1", kubeconfig=str(path)))
        lab.read()
        yield lab


@pytest.fixture
def web(lab: Lab, tmp_path: Path) -> Iterator[Web]:
    with running_web(tmp_path, SLICEBOARD_WEB_PROCESSES="1") as web:
        yield web


@contextmanager
def visiting(browser: Browser, web: Web, *expected: str) -> Iterator[Page]:
    """Signed in; no script may fail otherwise than expected."""
    context = browser.new_context(base_url=web.url, viewport={"width": 1440, "height": 900}, locale="en")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    sign_in(page)
    yield page
    context.close()
    assert faults == list(expected)


@pytest.fixture
def page(browser: Browser, web: Web) -> Iterator[Page]:
    with visiting(browser, web) as page:
        yield page


_HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def told_again(page: Page, lab: Lab, name: str) -> None:
    """Something happens, and the page has it."""
    before = page.evaluate(SHOWN)
    lab.starts(name)
    page.wait_for_function(f"before => {SHOWN} !== before", arg=before)


def test_a_page_has_what_is_new_without_being_loaded_again(page: Page, lab: Lab) -> None:
    page.goto("/pods/")
    page.evaluate("window.loadedOnce = true")
    count = page.locator(".side a", has_text="Pods").locator(".n")
    pods = int(count.inner_text())
    lab.starts("pod-that-came")
    expect(page.get_by_role("link", name="pod-that-came")).to_be_visible()
    expect(count).to_have_text(str(pods + 1))
    assert page.evaluate("window.loadedOnce")
    expect(page.locator("#live")).to_have_attribute("data-now", "fresh")


def test_scroll_focus_and_what_is_open_stay(page: Page, lab: Lab) -> None:
    page.goto("/devices/?view=bars")
    page.get_by_text("As a table").click()
    link = page.locator("details.as-table").get_by_role("link", name="hami-gpu-1").first
    link.focus()
    page.evaluate("scrollTo(0, 400)")
    where = page.evaluate("scrollY")
    assert where > 0
    drawn = page.locator(".plot .main-svg").first
    drawn.evaluate("node => node.dataset.same = 'yes'")
    told_again(page, lab, "pod-that-came")
    assert page.evaluate("scrollY") == where
    expect(page.locator("details.as-table")).to_have_attribute("open", "")
    expect(link).to_be_focused()
    expect(drawn).to_have_attribute("data-same", "yes")


@pytest.mark.parametrize("script", ["", "delete Element.prototype.moveBefore"], ids=["moves", "puts-anew"])
def test_a_row_that_moves_takes_the_focus_along(page: Page, lab: Lab, script: str) -> None:
    """Also in browsers in which what is moved loses it; and whichever link of the row it is that has it."""
    page.add_init_script(script)
    lab.starts("pod-that-stays")
    lab.starts("pod-that-moves")
    page.goto("/pods/?namespace=team-a&ordering=phase")
    rows = page.get_by_role("main").get_by_role("row")
    link = rows.filter(has_text="pod-that-moves").get_by_role("link").nth(1)
    where = link.get_attribute("href")
    expect(rows.nth(1)).to_contain_text("pod-that-stays")
    link.focus()
    lab.starts("pod-that-moves", "Pending")
    expect(rows.nth(1)).to_contain_text("pod-that-moves")
    expect(link).to_be_focused()
    expect(link).to_have_attribute("href", str(where))


def test_a_form_that_somebody_fills_in_stays(page: Page, lab: Lab) -> None:
    page.goto("/devices/?view=table")
    page.get_by_label("Product").select_option("Ascend310P3")
    page.get_by_label("At least free").fill("8 GiB")
    page.get_by_label("Find", exact=True).focus()
    told_again(page, lab, "pod-that-came")
    expect(page.get_by_label("Product")).to_have_value("Ascend310P3")
    expect(page.get_by_label("At least free")).to_have_value("8 GiB")


def test_the_node_that_is_open_on_the_wall_stays_open(page: Page, lab: Lab) -> None:
    node = Node.objects.get(name="gpu-node-2")
    page.goto(f"/devices/?view=wall&at=n{node.pk}")
    expect(page.locator("#peek h3")).to_have_text("gpu-node-2")
    told_again(page, lab, "pod-that-came")
    expect(page.locator("#peek h3")).to_have_text("gpu-node-2")
    expect(page).to_have_url(re.compile(rf"at=n{node.pk}$"))
    page.keyboard.press("Escape")
    expect(page.locator("#peek")).to_be_hidden()
    told_again(page, lab, "another-pod-that-came")
    expect(page.locator("#peek")).to_be_hidden()


def _free_card() -> Device:
    return Device.objects.filter(node__name__startswith="gpu", state=DeviceState.FREE).select_related(
        "pool", "node"
    )[0]


_USES = "JSON.stringify(document.getElementById('wall').data[0].z)"
_RING = "JSON.stringify(document.getElementById('wall').layout.shapes)"


def test_a_share_that_comes_is_a_bar_of_its_card(page: Page, lab: Lab) -> None:
    card = _free_card()
    page.goto("/devices/?view=bars")
    bars = page.locator(".plot .point")
    expect(bars.first).to_be_attached()
    before = bars.count()
    lab.allocates(card)
    # Its memory and its cores.
    expect(bars).to_have_count(before + 2)
    page.get_by_text("As a table").click()
    row = page.locator("details.as-table tbody").filter(has=page.locator(f'a[href="/devices/{card.pk}/"]'))
    expect(row).to_contain_text("40 GiB memory 40 GiB")


def test_a_share_that_comes_colours_its_cell_and_leaves_the_place_on_the_wall(page: Page, lab: Lab) -> None:
    card = _free_card()
    page.goto("/devices/?view=wall")
    page.locator("#wall").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#peek h3")).to_have_text("npu-node-2")
    at, ring, uses = (
        page.locator("#wall").get_attribute("data-at"),
        page.evaluate(_RING),
        page.evaluate(_USES),
    )
    lab.allocates(card)
    page.wait_for_function(f"uses => {_USES} !== uses", arg=uses)
    now, then = page.evaluate(_USES), uses
    assert [(old, new) for old, new in zip(_flat(then), _flat(now), strict=True) if old != new] == [(0, 50)]
    assert page.evaluate(_RING) == ring != "[]"
    expect(page.locator("#wall")).to_have_attribute("data-at", str(at))
    expect(page.locator("#wall")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#peek h3")).to_have_text("npu-node-1")


def _flat(rows: str) -> list[int | None]:
    return [use for row in json.loads(rows) for use in row]


@pytest.mark.parametrize("path", ["/?view=wall", "/?view=groups", "/devices/?view=groups"])
def test_the_place_on_a_wall_that_opens_nothing_stays_and_is_said(page: Page, lab: Lab, path: str) -> None:
    card = _free_card()
    page.goto(path)
    said = page.locator("#wall-said")
    page.locator("#wall").focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(said).to_be_empty()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text(re.compile(r"^npu-node-1: \d cards, \d+ % used on average"))
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("npu-node-2: ")
    ring, uses = page.evaluate(_RING), page.evaluate(_USES)
    lab.allocates(card)
    page.wait_for_function(f"uses => {_USES} !== uses", arg=uses)
    assert page.evaluate(_RING) == ring != "[]"
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("npu-node-1: ")


def test_it_can_be_paused_and_that_is_kept(page: Page, lab: Lab) -> None:
    page.goto("/pods/")
    pause = page.get_by_role("button", name="Pause what comes by itself")
    pause.click()
    expect(pause).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#live")).to_contain_text("paused")
    lab.starts("pod-that-came")
    page.goto("/claims/")
    expect(pause).to_have_attribute("aria-pressed", "true")
    page.goto("/pods/")
    lab.starts("another-pod-that-came")
    expect(page.get_by_role("link", name="pod-that-came", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="another-pod-that-came")).to_have_count(0)
    pause.click()
    expect(page.get_by_role("link", name="another-pod-that-came")).to_be_visible()


def test_what_is_paused_in_one_window_is_paused_in_all(page: Page, lab: Lab) -> None:
    page.goto("/pods/")
    other = page.context.new_page()
    other.goto("/claims/")
    page.get_by_role("button", name="Pause what comes by itself").click()
    expect(other.locator("#live")).to_have_attribute("data-now", "paused")
    page.get_by_role("button", name="Pause what comes by itself").click()
    expect(other.locator("#live")).to_have_attribute("data-now", "fresh")


def test_many_windows_leave_connections_to_the_others(page: Page, lab: Lab) -> None:
    """A browser has six to one server, and all of these are seen at once."""
    for _ in range(8):
        window = page.context.new_page()
        window.goto("/pods/")
        expect(window.locator("#live")).to_have_attribute("data-now", "fresh")
    lab.starts("pod-that-came")
    for window in page.context.pages[1:]:
        expect(window.get_by_role("link", name="pod-that-came")).to_be_visible(timeout=60_000)


def test_where_there_is_no_stream_the_page_asks_by_itself(page: Page, lab: Lab) -> None:
    page.route("**/api/v1/stream/**", lambda route: route.abort())
    page.goto("/pods/")
    lab.starts("pod-that-came")
    expect(page.get_by_role("link", name="pod-that-came")).to_be_visible(timeout=60_000)
    expect(page.locator("#live")).to_have_attribute("data-now", "fresh")


def test_windows_that_cannot_agree_on_who_listens_only_ask(page: Page, lab: Lab) -> None:
    """As over plain HTTP: with a stream in each, the sixth window would get no answer at all."""
    page.add_init_script("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })")
    # Not what the page asks for that was open before.
    page.goto("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/pods/")
    lab.starts("pod-that-came")
    expect(page.get_by_role("link", name="pod-that-came")).to_be_visible(timeout=60_000)
    assert [url for url in asked if "/stream/" in url] == []


def test_what_could_not_be_put_into_the_page_is_asked_for_again(browser: Browser, web: Web, lab: Lab) -> None:
    with visiting(browser, web, "once") as page:
        page.goto("/pods/")
        page.evaluate("""() => {
          const morph = Idiomorph.morph;
          Idiomorph.morph = () => { Idiomorph.morph = morph; throw new Error("once"); };
        }""")
        lab.starts("pod-that-came")
        expect(page.get_by_role("link", name="pod-that-came")).to_be_visible(timeout=60_000)


def test_an_answer_that_is_older_than_the_page_says_so(page: Page, lab: Lab) -> None:
    page.goto(f"/pods/{Pod.objects.get(name='share-c').pk}/")
    expect(page.get_by_role("region", name="Where it would go now").get_by_role("table")).to_have_count(2)
    note = page.get_by_text("This answer is older than the page.")
    expect(note).to_be_hidden()
    told_again(page, lab, "pod-that-came")
    expect(note).to_be_visible()
    note.get_by_role("link", name="Ask again").click()
    expect(page.get_by_role("region", name="Where it would go now").get_by_role("table")).to_have_count(2)
    expect(note).to_be_hidden()


def test_what_comes_with_other_files_is_loaded_anew(page: Page, lab: Lab) -> None:
    """As after an upgrade; a page that has just been loaded is left alone for a while."""
    page.goto("/pods/")
    page.evaluate("document.querySelector('link[rel=stylesheet]').href = '/static/of-the-last-release.css'")
    page.evaluate("window.loadedOnce = true")
    told_again(page, lab, "pod-that-came")
    assert page.evaluate("window.loadedOnce")
    page.evaluate("performance.now = () => 3_600_000")
    lab.starts("another-pod-that-came")
    page.wait_for_function("() => !window.loadedOnce")
    expect(page.get_by_role("link", name="another-pod-that-came")).to_be_visible()


def test_a_page_that_nobody_sees_asks_for_nothing_and_catches_up(page: Page, lab: Lab) -> None:
    page.goto("/pods/")
    expect(page.locator("#live")).to_have_attribute("data-now", "fresh")
    page.evaluate(_HIDE, True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    lab.starts("pod-that-came")
    lab.starts("another-pod-that-came")
    assert asked == []
    page.evaluate(_HIDE, False)
    expect(page.get_by_role("link", name="another-pod-that-came")).to_be_visible()


@pytest.mark.timeout(300)
def test_it_turns_stale_by_itself_and_fresh_again(browser: Browser, lab: Lab, tmp_path: Path) -> None:
    with running_web(tmp_path, SLICEBOARD_STALE_SECONDS="20") as web, visiting(browser, web) as page:
        page.goto("/pods/")
        chip = page.locator("#live")
        lab.read()
        expect(chip).to_have_attribute("data-now", "fresh", timeout=60_000)
        expect(chip).to_have_attribute("data-now", "old", timeout=60_000)
        expect(chip).to_contain_text("stale")
        expect(page.get_by_role("main")).to_contain_text(
            re.compile("This page has grown old|stale since"), timeout=30_000
        )
        lab.read()
        expect(chip).to_have_attribute("data-now", "fresh", timeout=60_000)
        expect(page.get_by_role("main").locator(".banner.warn", has_text="stale since")).to_have_count(
            0, timeout=30_000
        )
        expect(page.get_by_text("This page has grown old.")).to_be_hidden(timeout=30_000)


def test_it_says_when_the_server_is_away(page: Page, web: Web) -> None:
    page.goto("/pods/")
    expect(page.locator("#live")).to_have_attribute("data-now", "fresh")
    web.process.ask_to_stop()
    web.process.wait_or_kill(30)
    expect(page.locator("#live")).to_contain_text("not connected", timeout=60_000)


def test_it_says_when_the_session_is_over(page: Page, lab: Lab) -> None:
    page.goto("/pods/")
    expect(page.locator("#live")).to_have_attribute("data-now", "fresh")
    UserSession.objects.all().delete()
    lab.starts("pod-that-came")
    expect(page.locator("#live")).to_contain_text("signed out", timeout=60_000)


def test_a_page_goes_on_where_one_has_signed_in_again_elsewhere(page: Page, lab: Lab) -> None:
    page.goto("/pods/")
    expect(page.locator("#live")).to_have_attribute("data-now", "fresh")
    UserSession.objects.all().delete()
    expect(page.locator("#live")).to_have_attribute("data-now", "out", timeout=60_000)
    sign_in(page.context.new_page())
    page.evaluate(_HIDE, True)
    lab.starts("pod-that-came")
    page.evaluate(_HIDE, False)
    expect(page.get_by_role("link", name="pod-that-came")).to_be_visible()
    expect(page.locator("#live")).to_have_attribute("data-now", "fresh")


def test_what_is_written_on_stays_as_it_is(page: Page) -> None:
    page.goto("/convert/")
    expect(page.locator("#live")).to_have_count(0)
