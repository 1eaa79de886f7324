"""Pictures of every page of the demo, for the README and the documents.

    python -m tests.browser.screenshots

starts a demo of its own and writes into docs/images. With `--base-url` it takes them of one that runs
already, with its DEMO_PASSWORD from the environment.
"""

import argparse
import base64
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.every_page import ERRORS, PAGES, SIGNED_OUT, Visit, World, visit
from tests.browser.signing_in import sign_in
from tests.dashboard.running import ROOT, Running

IMAGES = ROOT / "docs/images"
STORY: World = {
    "cluster": "clusters/?cluster=story",
    "node": "nodes/?cluster=story&node=gpu-a100-01",
    "device": "devices/?cluster=story&node=gpu-a100-01&driver=hami-core-gpu.project-hami.io&ordering=-shares",
    "pod": "pods/?cluster=story&state=holding&namespace=team-nlp&ordering=created_at",
    "unplaced": "pods/?cluster=story&pod=too-large",
    "claim": "claims/?cluster=story&namespace=team-nlp&state=allocated,reserved&ordering=created_at",
    "pending": "claims/?cluster=story&claim=too-large",
    "classic": "pods/?cluster=story&pod=classic-embed",
}
_TOKEN = _PASSWORD = "for-pictures-only"
# Until the story has begun, and both clusters are read.
_MOST_SECONDS = 120


class Screen(NamedTuple):
    """`tallest`: a longer page is cut, in pixels, unless it is one that is taken whole."""

    suffix: str
    width: int
    height: int
    tallest: int
    theme: str = "light"


DESK, PHONE = Screen("", 1440, 900, 1400), Screen("-phone", 390, 844, 1400)
DARK = DESK._replace(suffix="-dark", theme="dark")
WHOLE = ("overview",)
IN_THE_DARK = ("overview", "cards-wall", "device", "usage")


class Picture(NamedTuple):
    page: Visit
    screen: Screen

    @property
    def file(self) -> str:
        return f"{self.page.name}{self.screen.suffix}.webp"


PICTURES = [
    Picture(page, screen)
    for page in (SIGNED_OUT, *PAGES, *ERRORS)
    for screen in (DESK, PHONE, DARK)
    if screen is not DARK or page.name in IN_THE_DARK
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", default="", help="of a demo that runs already")
    parser.add_argument("--out", type=Path, default=IMAGES)
    parser.add_argument("--only", nargs="*", help="names of pages")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="path of the browser")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    chosen = [one for one in PICTURES if not arguments.only or one.page.name in arguments.only]
    with _demo(arguments.base_url) as base_url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=arguments.chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for screen in dict.fromkeys(one.screen for one in chosen):
            _take(browser, base_url, screen, [one for one in chosen if one.screen == screen], arguments.out)
        browser.close()


@contextmanager
def _demo(base_url: str) -> Iterator[str]:
    if base_url:
        yield base_url
        return
    with (
        tempfile.TemporaryDirectory() as state,
        Running("demo", Path(state), DEMO_PASSWORD=_PASSWORD, DEMO_TOKEN=_TOKEN) as demo,
    ):
        _wait_until_read(demo)
        yield f"http://127.0.0.1:{demo.port}"


def _wait_until_read(demo: Running) -> None:
    until = time.monotonic() + _MOST_SECONDS
    while not all(one["state"] == "fresh" for one in _list(demo, "clusters/")) or not _list(
        demo, STORY["pending"]
    ):
        if time.monotonic() > until:
            raise TimeoutError(f"the demo was not read within {_MOST_SECONDS} s")
        time.sleep(1)


def _list(demo: Running, query: str) -> list[dict[str, Any]]:
    answer = demo.ask(f"/api/v1/{query}", headers={"Authorization": f"Bearer {_TOKEN}"})
    found: list[dict[str, Any]] = json.loads(answer.body)["results"]
    return found


def _take(browser: Browser, base_url: str, screen: Screen, pictures: list[Picture], folder: Path) -> None:
    context = browser.new_context(
        base_url=base_url,
        locale="en",
        color_scheme="dark" if screen.theme == "dark" else "light",
        reduced_motion="reduce",
        viewport={"width": screen.width, "height": screen.height},
    )
    page = context.new_page()
    for one in pictures:
        if one.page is not SIGNED_OUT and "sessionid" not in {kept["name"] for kept in context.cookies()}:
            sign_in(page, "operator", os.environ.get("DEMO_PASSWORD", _PASSWORD))
        visit(page, one.page, STORY)
        (folder / one.file).write_bytes(_webp(page, screen, whole=one.page.name in WHOLE))
    context.close()


def _webp(page: Page, screen: Screen, *, whole: bool) -> bytes:
    """Of the whole page, up to the tallest that is wanted."""
    full = max(int(page.evaluate("document.documentElement.scrollHeight")), screen.height)
    height = full if whole else min(full, screen.tallest)
    # A page as tall as its picture, so that what sticks to an edge is drawn once.
    page.set_viewport_size({"width": screen.width, "height": height})
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 70})
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    return base64.b64decode(taken["data"])


if __name__ == "__main__":
    main()
