"""The pages as a reader meets them, in Chromium, with the headers of the product."""

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from inventory.models import Device, Node, Pod
from tests.browser.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PATHS = (
    "/",
    "/changes/",
    "/devices/?view=wall",
    "/devices/?view=bars",
    "/devices/?view=table",
    "/devices/?show=others",
    "/nodes/",
    "/nodes/largest/",
    "/pods/",
    "/claims/",
    "/claims/waiting/",
    "/teams/",
    "/teams/nlp/",
    "/convert/",
    "/clusters/",
    "/clusters/lab-1/",
    "/search?q=gpu",
)


def _card() -> int:
    return Device.objects.get(name="hami-gpu-1", node__name="gpu-node-2").pk


def test_signing_in_leads_to_the_overview(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, locale="en")
    page = context.new_page()
    page.goto("/devices/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    sign_in(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    context.close()


def test_a_device_page_has_a_bar_for_each_dimension(page: Page) -> None:
    page.goto(f"/devices/{_card()}/")
    picture = page.locator('[data-figure="dimensions-figure"]')
    expect(picture.locator(".annotation-text", has_text="38 GiB of 80 GiB allocated")).to_be_visible()
    expect(picture.locator(".annotation-text", has_text="100 % of 100 % allocated")).to_be_visible()
    expect(picture.locator("text.bartext", has_text="pod-first-available · vision · 20 GiB")).to_be_visible()
    # Two grey tracks and three shares in each of two dimensions.
    expect(picture.locator("g.point path")).to_have_count(8)


def _waiting() -> str:
    """The page of a Pod that waits for cores."""
    return f"/pods/{Pod.objects.get(name='share-c').pk}/"


def _node() -> str:
    return f"/nodes/{Node.objects.get(name='gpu-node-1').pk}/"


def test_where_a_pod_would_go_is_loaded_after_its_page(page: Page) -> None:
    page.goto(_waiting())
    part = page.get_by_role("region", name="Where it would go now")
    expect(part.get_by_role("table")).to_have_count(2)
    expect(part.get_by_role("rowheader", name="capacity")).to_be_visible()
    # Whoever does not see the page is told as well.
    told = page.locator("[data-later] > [role=status]")
    expect(told).to_contain_text("It would fit on npu-node-1, but the Pod's nodeSelector wants")
    part.get_by_role("link", name="npu-0-0").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("npu-0-0")


def test_the_wait_for_an_answer_is_seen_and_its_failure_leaves_a_link(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, locale="en")
    page = context.new_page()
    sign_in(page)
    held: list[Route] = []
    page.route("**/fit/", lambda route: held.append(route))
    page.goto(_waiting())
    expect(page.get_by_text("Every device is looked at, as the scheduler does it …").last).to_be_visible()
    assert len(held) == 1
    held[0].abort()
    page.get_by_role("link", name="Load it with the page").click()
    expect(page.get_by_role("region", name="Where it would go now").get_by_role("table")).to_have_count(2)
    context.close()


def test_while_another_search_runs_the_script_asks_again(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, locale="en")
    page = context.new_page()
    sign_in(page)
    asked: list[str] = []

    def first_busy(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(status=503, headers={"Retry-After": "1"}, body="busy")
        else:
            route.continue_()

    page.route("**/fit/", first_busy)
    page.goto(_waiting())
    expect(page.get_by_text("Another search is running; this one comes after it …").last).to_be_visible()
    expect(page.get_by_role("region", name="Where it would go now").get_by_role("table")).to_have_count(2)
    assert len(asked) == 2
    context.close()


def test_near_misses_are_drawn_and_named(page: Page) -> None:
    page.goto(f"{_waiting()}?fit=now")
    part = page.get_by_role("region", name="Where it would go now")
    expect(part.get_by_role("heading", name="Nearest misses")).to_be_visible()
    asked = part.get_by_role("img", name="npu-0-0 memory: 16 GiB of 21.0 GiB allocated, 5.0 GiB left")
    expect(asked).to_be_visible()
    # What the request asks of a card on the node that the Pod leaves out.
    ghost = part.locator("svg.bar .ghost:not(.no)").nth(1)
    assert ghost.evaluate("node => getComputedStyle(node).strokeDasharray") == "4px, 3px"
    expect(part.get_by_role("heading", name="What would help")).to_be_visible()


def test_the_largest_that_fits_on_a_node_is_loaded_after_its_page(page: Page) -> None:
    page.goto(_node())
    part = page.get_by_role("region", name="Largest that fits here")
    expect(part.get_by_role("table")).to_be_visible()
    expect(part.get_by_text("memory: 80Gi, cores: 0")).to_be_visible()
    told = page.locator("[data-later] > [role=status]")
    expect(told).to_contain_text("the largest request that one card could still meet")


def test_the_bars_lead_to_nodes_and_devices(page: Page) -> None:
    page.goto("/devices/?view=bars")
    link = page.locator(".plot a", has_text="hami-gpu-1").first
    assert link.evaluate("node => getComputedStyle(node).fill") == "rgb(58, 83, 196)"
    box = link.bounding_box()
    assert box
    # By place: the list of what lies there, which Playwright asks for, leaves out links inside SVG text.
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("heading", level=1)).to_have_text("hami-gpu-1")


def test_a_click_on_the_wall_opens_the_node_in_place(page: Page) -> None:
    page.goto("/devices/?view=wall")
    node = Node.objects.get(name="npu-node-1")
    box = page.locator("#wall .nsewdrag").bounding_box()
    assert box
    # The first band is the Ascend cards; its first column is npu-node-1.
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.click(box["x"] + 8, box["y"] + 8)
    expect(page.locator("#peek h3")).to_have_text("npu-node-1")
    expect(page).to_have_url(re.compile(rf"at=n{node.pk}$"))
    page.reload()
    expect(page.locator("#peek h3")).to_have_text("npu-node-1")
    page.get_by_role("link", name="Open node").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("npu-node-1")


def test_the_wall_is_walked_with_the_keyboard(page: Page) -> None:
    page.goto("/devices/?view=wall")
    heading = page.locator("#peek h3")
    page.locator("#wall").focus()
    page.keyboard.press("ArrowRight")
    expect(heading).to_have_text("npu-node-1")
    page.keyboard.press("ArrowRight")
    expect(heading).to_have_text("npu-node-2")
    page.keyboard.press("ArrowLeft")
    expect(heading).to_have_text("npu-node-1")
    # To the nearest column of the groups below, and back.
    page.keyboard.press("ArrowDown")
    expect(heading).not_to_have_text("npu-node-1")
    page.keyboard.press("ArrowUp")
    expect(heading).to_have_text("npu-node-1")
    page.keyboard.press("Escape")
    expect(page.locator("#peek")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("at="))
    expect(page.locator("#wall")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("npu-node-1")


def test_a_slash_goes_to_the_search_and_a_tab_to_the_content(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Control+/")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Find", exact=True)).to_be_focused()
    page.keyboard.type("e0c18477")
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("link", name="hami-gpu-1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("hami-gpu-1")


def test_the_theme_goes_round_at_once_and_is_kept(page: Page) -> None:
    page.goto(f"/devices/{_card()}/")
    switch = page.locator("#theme button")
    root = page.locator("html")
    expect(switch).to_have_accessible_name("Theme: system; next: light")
    switch.click()
    expect(root).to_have_attribute("data-theme", "light")
    expect(switch).to_have_accessible_name("Theme: light; next: dark")
    switch.click()
    expect(root).to_have_attribute("data-theme", "dark")
    background = page.locator("body").evaluate("node => getComputedStyle(node).backgroundColor")
    assert background == "rgb(15, 18, 22)"
    heading = page.locator(".annotation-text", has_text="38 GiB of 80 GiB")
    assert heading.evaluate("node => getComputedStyle(node).fill") == "rgb(233, 236, 240)"
    expect(switch).to_have_accessible_name("Theme: dark; next: system")
    page.reload()
    expect(root).to_have_attribute("data-theme", "dark")
    expect(switch).to_have_accessible_name("Theme: dark; next: system")
    switch.click()
    expect(root).not_to_have_attribute("data-theme", re.compile(".*"))


def test_the_language_is_switched(page: Page) -> None:
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("总览")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_no_page_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for language in ("en", "zh-hans"):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
        for path in (*PATHS, f"/devices/{_card()}/", f"{_waiting()}?fit=now", f"{_node()}?largest=now"):
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, language)


def test_the_policy_is_strict_and_the_pictures_hold_under_it(page: Page) -> None:
    answer = page.goto(f"/devices/{_card()}/")
    assert answer
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-eval" not in policy
    assert re.search(r"script-src[^;]*unsafe-inline", policy) is None
    for path in ("/devices/?view=wall", "/devices/?view=bars"):
        page.goto(path)
        # Plotly's own style sheet is in force: without it the parts of a picture fall apart.
        assert (
            page.locator(".plot .main-svg").first.evaluate("node => getComputedStyle(node).position")
            == "absolute"
        )
        assert (
            page.locator(".plot .svg-container").evaluate("node => getComputedStyle(node).position")
            == "relative"
        )


def test_a_phone_has_a_menu_with_everything(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    menu = page.locator(".menu")
    menu.locator("summary").click()
    menu.get_by_role("link", name="Claims").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Claims")
    page.locator(".menu summary").click()
    page.keyboard.press("Escape")
    expect(page.locator(".menu[open]")).to_have_count(0)


def test_everything_works_without_a_script(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False, locale="en")
    page = context.new_page()
    sign_in(page)
    for path in (*PATHS, f"/devices/{_card()}/"):
        page.goto(path)
        expect(page.locator("h1")).to_be_visible()
    page.goto("/devices/?view=table")
    page.get_by_label("Product").select_option("Ascend310P3")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("tbody th[scope=rowgroup]")).to_have_count(5)
    page.get_by_role("link", name="Bars").click()
    page.get_by_text("As a table").click()
    expect(page.locator("tbody th[scope=rowgroup]")).to_have_count(5)
    page.get_by_role("button", name="Theme: system; next: light").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.goto(_waiting())
    page.get_by_role("link", name="Ask where it would go").click()
    expect(page.get_by_role("rowheader", name="capacity")).to_be_visible()
    node = Node.objects.get(name="gpu-node-2")
    page.goto(f"/devices/?view=wall&at=n{node.pk}")
    expect(page.locator("#peek h3")).to_have_text("gpu-node-2")
    context.close()
