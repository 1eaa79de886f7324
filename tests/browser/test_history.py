"""Pictures of the past, in Chromium."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from inventory.models import Cluster, Coverage, Device, ShareInterval, TeamQuota
from tests.looking_back import make_held, make_read, make_used

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HOUR = timedelta(hours=1)


def _card() -> Device:
    return Device.objects.select_related("pool", "node", "cluster").get(
        name="hami-gpu-1", node__name="gpu-node-2"
    )


def _remember() -> Device:
    """Three shares in two days, of which half a day was not read."""
    now, card = timezone.now(), _card()
    cluster = Cluster.objects.get()
    Coverage.objects.all().delete()
    ShareInterval.objects.all().delete()
    make_read(cluster, now - 48 * HOUR, now - 20 * HOUR)
    make_read(cluster, now - 8 * HOUR, now)
    cluster.device_intervals.update(started_at=now - 48 * HOUR)
    for start, end, team in ((40, 30, "nlp"), (35, 25, "vision"), (7, 2, "nlp")):
        held = make_held(card, now - start * HOUR, now - end * HOUR, team=team, consumed={"memory": "8Gi"})
        make_used(held, f"{team}-{start}")
    return card


def test_a_timeline_has_a_bar_for_each_share_and_for_what_was_not_read(page: Page) -> None:
    card = _remember()
    page.goto(f"/devices/{card.pk}/?period=week")
    picture = page.locator('[data-figure="timeline-figure"]')
    expect(picture.locator("text.bartext", has_text="nlp-40")).to_be_visible()
    # Before the record, the break, and three shares.
    expect(picture.locator("g.point path")).to_have_count(5)
    page.get_by_role("link", name="24 h").click()
    expect(page).to_have_url(f"{page.url.partition('/devices/')[0]}/devices/{card.pk}/?period=day#timeline")
    expect(picture.locator("text.bartext", has_text="nlp-7 · nlp")).to_be_visible()


def test_a_trend_breaks_where_nothing_was_read(page: Page) -> None:
    card = _remember()
    team = card.cluster.namespaces.get(name="team-nlp").team
    assert team
    TeamQuota.objects.create(team=team, dimension="memory", quantity="4Gi")
    page.goto("/teams/nlp/?period=week")
    picture = page.locator('[data-figure="trend-0"]')
    expect(picture.locator(".scatterlayer .trace")).to_have_count(2)
    expect(picture.locator(".scatterlayer .trace").first.locator("path.js-line")).to_have_count(2)
    expect(page.get_by_text("over the limit for 15 h")).to_be_visible()


@pytest.mark.parametrize("path", ["/changes/?period=week", "/claims/waiting/?period=week"])
def test_pages_of_the_past_fit_a_phone_in_both_languages(page: Page, path: str) -> None:
    _remember()
    page.set_viewport_size({"width": 390, "height": 844})
    for language in ("en", "zh-hans"):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
