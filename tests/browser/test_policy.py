"""The Content-Security-Policy in a browser: no page breaks it, and pictures keep their shape under it."""

import pytest
from playwright.sync_api import Browser, Page, Route

from inventory.models import HamiPod
from tests.browser.every_page import PAGES, RECORDED, SIGNED_OUT, visit
from tests.browser.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]

_LISTEN = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.refused.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
"""
# Rules of Plotly's own style sheet, which a script fills into an element that is empty when it is put in.
_SHAPE = {
    ".svg-container": ("position", "relative"),
    ".main-svg": ("position", "absolute"),
    ".svg-container > .main-svg ~ .main-svg": ("pointer-events", "none"),
    ".plotly svg, svg.main-svg": ("overflow", "hidden"),
}
_STYLE = "(node, name) => getComputedStyle(node).getPropertyValue(name)"
_EMPTY = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


def _lost(page: Page) -> list[str]:
    """What pictures have lost of their shape."""
    return [
        selector
        for selector, (name, expected) in _SHAPE.items()
        for picture in page.locator(".plot.js-plotly-plot").all()
        for part in picture.locator(selector).all()
        if part.evaluate(_STYLE, name) != expected
    ]


def test_no_page_breaks_the_policy_and_every_picture_keeps_its_shape(
    page: Page, classic: list[HamiPod]
) -> None:
    page.context.add_init_script(_LISTEN)
    drawn = 0
    for one in PAGES:
        visit(page, one, RECORDED)
        assert page.evaluate("window.refused") == [], one.name
        assert _lost(page) == [], one.name
        drawn += page.locator(".plot.js-plotly-plot").count()
    assert drawn > 8


def test_the_page_to_sign_in_breaks_no_policy(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site)
    context.add_init_script(_LISTEN)
    page = context.new_page()
    visit(page, SIGNED_OUT, RECORDED)
    assert page.evaluate("window.refused") == []
    context.close()


def test_a_picture_without_its_style_sheet_would_be_found(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site)
    page = context.new_page()
    sign_in(page)

    def stricter(route: Route) -> None:
        answer = route.fetch()
        policy = answer.headers["content-security-policy"].replace(_EMPTY, "")
        route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": policy})

    page.route("**/devices/*", stricter)
    page.goto("/devices/?view=bars")
    page.locator(".plot .main-svg").first.wait_for(state="attached")
    assert _lost(page) != []
    context.close()


def test_a_refusal_would_be_found(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site)
    context.add_init_script(_LISTEN)
    page = context.new_page()
    page.goto("/sign-in/")
    page.evaluate("document.head.insertAdjacentHTML('beforeend', '<style>p { color: red }</style>')")
    page.wait_for_function("window.refused.length > 0")
    context.close()


_SCRIPTS = {
    "an element": "document.body.append(Object.assign(document.createElement('script'), {text: CODE}))",
    "an attribute": "const p = document.createElement('p'); p.setAttribute('onclick', CODE); p.click()",
    "an address": "location.href = `javascript:${CODE}`",
    "a text": "eval(CODE)",
    "a function of text": "new Function(CODE)()",
}


@pytest.mark.parametrize("kind", _SCRIPTS)
def test_no_script_runs_that_is_no_file_of_ours(browser: Browser, site: str, kind: str) -> None:
    context = browser.new_context(base_url=site)
    context.add_init_script(_LISTEN)
    page = context.new_page()
    page.goto("/sign-in/")
    # As a task of the page: what Playwright evaluates itself may evaluate more.
    page.evaluate(f"setTimeout(() => {{ const CODE = 'window.ran = true'; {_SCRIPTS[kind]} }})")
    page.wait_for_function("window.refused.length > 0")
    assert page.evaluate("window.refused[0]").startswith("script-src")
    assert not page.evaluate("'ran' in window")
    context.close()
