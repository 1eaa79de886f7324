"""What axe-core says of a page. It runs beside the page's own policy, which is not loosened for it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize

from tests.browser.every_page import Visit, World, settle, visit

AXE = Path(__file__).parent / "vendor/axe-core-4.14.1.min.js"
DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
# WCAG 2.2 to the level AA, and what axe calls good practice.
_RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
# What a theme can break: nothing else depends on colours.
_OF_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}


def faults(
    page: Page, pages: Sequence[Visit], world: World, size: ViewportSize = DESK
) -> dict[str, list[str]]:
    """By page, in both themes."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for one in pages:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme="light")
        visit(page, one, world)
        found[one.name] += faults_of_themes(page)
    return {name: told for name, told in found.items() if told}


def faults_of_themes(page: Page) -> list[str]:
    """As the page is now. What does not depend on the theme is looked at once."""
    settle(page)
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    settle(page)
    found += faults_of_colour(page)
    page.emulate_media(color_scheme="light")
    return found


def violations(page: Page) -> list[str]:
    """Each with the rule, what to mend, and where."""
    return _told(_run(page, _RULES))


def faults_of_colour(page: Page) -> list[str]:
    return _told(_run(page, _OF_COLOURS))


@cache
def _script() -> str:
    return AXE.read_text()


def _run(page: Page, options: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(_script())
    found: Sequence[Mapping[str, Any]] = page.evaluate(
        f"axe.run(document, {json.dumps(options)}).then((found) => found.violations)"
    )
    return found


def _told(found: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{one['id']}: {one['help']}: {' '.join(map(str, node['target']))}: {node['html'][:160]}"
        for one in found
        for node in one["nodes"]
    ]
