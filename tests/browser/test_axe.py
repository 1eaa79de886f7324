"""axe finds nothing on any page: in English on a desk, in Chinese on a phone, in both themes."""

from hashlib import sha256

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from inventory.models import HamiPod
from tests.browser import axe
from tests.browser.every_page import ERRORS, PAGES, RECORDED, SIGNED_OUT
from tests.browser.signing_in import sign_in

AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
# So many tests, that none takes long.
_PARTS = 4


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("language", "size"), [("en", axe.DESK), ("zh-hans", axe.PHONE)])
@pytest.mark.parametrize("part", range(_PARTS))
def test_axe_finds_nothing_on_any_page(
    page: Page, classic: list[HamiPod], language: str, size: ViewportSize, part: int
) -> None:
    page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
    assert axe.faults(page, PAGES[part::_PARTS], RECORDED, size) == {}


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("language", "size"), [("en", axe.DESK), ("zh-CN", axe.PHONE)])
def test_axe_finds_nothing_on_the_page_to_sign_in_and_on_those_of_errors(
    browser: Browser, site: str, language: str, size: ViewportSize
) -> None:
    context = browser.new_context(base_url=site, locale=language)
    page = context.new_page()
    assert axe.faults(page, [SIGNED_OUT], RECORDED, size) == {}
    sign_in(page)
    assert axe.faults(page, ERRORS, RECORDED, size) == {}
    context.close()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_fault_would_be_found(page: Page) -> None:
    page.goto("/pods/")
    page.locator("h1").evaluate("node => { node.style.color = '#999'; node.id = 'find'; }")
    told = " ".join(axe.violations(page))
    assert "color-contrast" in told
    assert "color-contrast" in " ".join(axe.faults_of_colour(page))


def test_axe_is_the_published_script_with_its_licence() -> None:
    assert sha256(axe.AXE.read_bytes()).hexdigest() == AXE_SHA256
    assert "Mozilla Public License" in axe.AXE.with_name("axe-core-4.14.1.LICENSE.txt").read_text()
