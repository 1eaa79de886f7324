"""The pictures of the README, taken of a running dashboard.

    python -m tests.browser.screenshots --base-url http://localhost:8000 --out docs/images

The user and the password come from DEMO_USER and DEMO_PASSWORD.
"""

import argparse
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.signing_in import sign_in


class Picture(NamedTuple):
    """`click` selects a link to follow first, so that the number of no row needs to be known."""

    name: str
    path: str
    click: str = ""
    width: int = 1440
    height: int = 900
    theme: str = "light"


PICTURES = (
    Picture("overview", "/", height=1100),
    Picture("overview-dark", "/", height=1100, theme="dark"),
    Picture("cards", "/devices/?view=bars", height=1000),
    Picture("wall", "/devices/?view=wall"),
    Picture("device", "/devices/?view=table&state=partly_allocated&state=full", click="tbody th a"),
    Picture("claims", "/claims/?state=pending"),
    Picture("phone", "/", width=390, height=844),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="path of the browser")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=arguments.chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for picture in PICTURES:
            take(browser, arguments.base_url, picture, arguments.out / f"{picture.name}.png")
        browser.close()


def take(browser: Browser, base_url: str, picture: Picture, path: Path) -> None:
    context = browser.new_context(
        base_url=base_url,
        locale="en",
        color_scheme="dark" if picture.theme == "dark" else "light",
        viewport={"width": picture.width, "height": picture.height},
    )
    page = context.new_page()
    sign_in(page, os.environ.get("DEMO_USER", "operator"), os.environ["DEMO_PASSWORD"])
    page.goto(picture.path)
    if picture.click:
        page.locator(picture.click).first.click()
    settle(page)
    page.screenshot(path=path)
    context.close()


def settle(page: Page) -> None:
    """Until every picture of the page is drawn."""
    page.wait_for_load_state("networkidle")
    for picture in page.locator(".plot").all():
        picture.locator(".main-svg").first.wait_for()


if __name__ == "__main__":
    main()
