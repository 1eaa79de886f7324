"""Usage in Chromium: pictures with their gaps, tables without a script, phones and paper."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from inventory.models import Team
from tests.browser.signing_in import sign_in
from tests.factories import make_cluster
from tests.past import make_coverage, make_held, make_published

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MARCH = "/usage/?from=2026-03-01&to=2026-03-08&step=day"
QUARTER = {"memory": "20Gi", "cores": "10"}


@pytest.fixture
def past(site: str) -> None:
    """Two teams on one card; two days in the middle were not read."""
    User.objects.filter(username="operator").update(is_superuser=True)
    cluster = make_cluster("past")
    make_coverage(0, 72, cluster=cluster)
    make_coverage(120, 240, cluster=cluster)
    make_published(cluster=cluster)
    for number, slug in enumerate(("green", "blue")):
        Team.objects.create(slug=slug, name=slug.title(), colour=number + 1)
        make_held(
            start=6 * number, end=168, cluster=cluster, team_slug=slug, namespace=slug, consumed=QUARTER
        )


def test_the_area_breaks_off_where_nothing_was_read(past: None, page: Page) -> None:
    page.goto(f"{MARCH}&cluster=past")
    picture = page.locator("[data-figure=area-figure]")
    expect(picture.locator(".scatterlayer path.js-fill")).to_have_count(4)
    expect(picture.locator(".shapelayer path")).to_have_count(1)
    expect(picture.get_by_text("not read")).to_be_visible()
    heat = page.locator("[data-figure=heat-figure]")
    expect(heat.locator(".heatmaplayer image")).to_be_visible()
    page.get_by_text("As a table").first.click()
    expect(page.get_by_role("row", name="2026-03-04 not read")).to_be_visible()


_RANGE = "document.querySelector('[data-figure=area-figure]').layout.xaxis.range.map(String)"


def test_the_area_is_looked_at_closer_and_stays_so_when_it_is_drawn_anew(past: None, page: Page) -> None:
    page.goto(f"{MARCH}&cluster=past")
    expect(page.get_by_text("Drag across the picture")).to_be_visible()
    whole = page.evaluate(_RANGE)
    assert whole == ["2026-03-01", "2026-03-08"]
    plot = page.locator("[data-figure=area-figure] .nsewdrag")
    box = plot.bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 10, middle, steps=5)
    page.mouse.up()
    page.wait_for_function(f"{_RANGE}[0] > '2026-03-04'")
    closer = page.evaluate(_RANGE)
    # A refresh draws with the range of the server, and so does another theme.
    page.evaluate("""() => {
      const data = document.getElementById('area-figure');
      data.textContent = data.textContent.replace('"height"', ' "height"');
      document.dispatchEvent(new Event('sliceboard:refreshed'));
    }""")
    assert page.evaluate(_RANGE) == closer
    page.locator("#theme button").click()
    assert page.evaluate(_RANGE) == closer
    plot.dblclick()
    page.wait_for_function(f"{_RANGE}[0] === '2026-03-01'")
    assert page.evaluate(_RANGE) == whole


def test_a_period_is_asked_for_by_the_form(past: None, page: Page) -> None:
    page.goto(MARCH)
    page.get_by_label("From", exact=True).fill("2026-03-06")
    page.locator("select[name=group_by]").select_option("namespace")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".head .dim")).to_have_text("2026-03-06 to 2026-03-07")
    assert "group_by=namespace" in page.url
    page.get_by_role("link", name="Report of March 2026").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Report of March 2026")


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_no_page_of_usage_is_wider_than_the_screen(past: None, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for language in ("en", "zh-hans"):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
        for path in (MARCH, f"{MARCH}&group_by=workload", "/usage/2026-03/"):
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, language)


def test_on_paper_a_report_is_its_tables(past: None, page: Page) -> None:
    page.goto("/usage/2026-03/")
    page.emulate_media(media="print")
    expect(page.locator(".side")).to_be_hidden()
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.get_by_role("table").first).to_be_visible()


def test_all_of_it_is_there_without_a_script(past: None, browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False, locale="en")
    page = context.new_page()
    sign_in(page)
    page.goto(MARCH)
    expect(page.get_by_role("cell", name="2,400 GiB·h").first).to_be_visible()
    page.get_by_text("As a table").first.click()
    expect(page.get_by_role("row", name="2026-03-04 not read")).to_be_visible()
    context.close()
