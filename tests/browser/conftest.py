import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from inventory.models import HamiPod, Namespace
from tests.browser.signing_in import PASSWORD, sign_in
from tests.factories import make_pod
from tests.reading import read_recorded_cluster

# What comes does so within moments, unless much else is done beside.
expect.set_options(timeout=20_000)

# Playwright runs a loop in the thread of the test; what is asked of the database here is not asked in it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@pytest.fixture
def site(live_server: LiveServer, tmp_path: Path) -> str:
    """The address of a dashboard that shows the recorded cluster."""
    read_recorded_cluster(tmp_path)
    User.objects.create_superuser("operator", password=PASSWORD)
    url: str = live_server.url
    return url


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    """A signed-in page at desk size, on which no script may fail and nothing may be refused."""
    context = browser.new_context(base_url=site, viewport={"width": 1440, "height": 900}, locale="en")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    sign_in(page)
    yield page
    context.close()
    assert faults == []


@pytest.fixture
def classic(site: str) -> list[HamiPod]:
    """Pods of HAMi in the recorded cluster, which has none."""
    limits = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": "8192"}
    containers = [{"name": "app", "image": "registry.example/app:1", "resources": {"limits": limits}}]
    for name, namespace in (("classic-embed", "team-nlp"), ("classic-rank", "team-vision")):
        manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"namespace": namespace, "name": name},
            "spec": {"containers": containers},
        }
        make_pod(
            name,
            namespace=Namespace.objects.get(name=namespace),
            hami_resources={"app": limits},
            hami_manifest=manifest,
        )
    return list(HamiPod.objects.order_by("namespace__name", "name"))
