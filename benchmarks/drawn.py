"""When the pictures of pages are there, in a real browser: from the last byte of the page to the drawing."""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.test import Client

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
_REPEATED = 3
# A picture is there when Plotly's drawing is in its place; two frames later a person sees it.
_WATCH = """
    new MutationObserver(() => {
        const places = [...document.querySelectorAll("[data-figure], #wall")];
        const there = places.every((one) => one.querySelector(".main-svg"));
        if (!places.length || !there || window.drawnAt) return;
        window.drawnAt = performance.now();
        requestAnimationFrame(() => requestAnimationFrame(() => { window.seenAt = performance.now(); }));
    }).observe(document, { childList: true, subtree: true });
"""
_TOLD = "() => window.seenAt - performance.getEntriesByType('navigation')[0].responseEnd"


def browser_path() -> str | None:
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


def drawn(paths: Mapping[str, str], client: Client, chromium: str) -> dict[str, float]:
    """Seconds, by the names of the pages; those of whoever is signed in with the client."""
    from django.conf import settings
    from playwright.sync_api import sync_playwright

    name = settings.SESSION_COOKIE_NAME
    value = client.cookies[name].value
    with _served() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_ARGUMENTS))
        context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en")
        context.add_cookies([{"name": name, "value": value, "url": site}])
        context.add_init_script(_WATCH)
        page = context.new_page()
        found = {of: _seconds(page, f"{site}{path}") for of, path in paths.items()}
        browser.close()
    return found


def _seconds(page: Any, address: str) -> float:
    """The median after the first time, when scripts come from the cache."""
    found = []
    for _ in range(_REPEATED + 1):
        page.goto(address)
        page.wait_for_function("() => window.seenAt", timeout=60_000)
        found.append(page.evaluate(_TOLD) / 1000)
    return float(statistics.median(found[1:]))


@contextmanager
def _served() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "manage.py", "serve", f"--bind=127.0.0.1:{port}", "--grace=1"]
    environment = {**os.environ, "SLICEBOARD_SECURE_COOKIES": "false"}
    folder = Path(__file__).resolve().parent.parent
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    while True:
        if process.poll() is not None:
            raise SystemExit("the web server ended")
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
