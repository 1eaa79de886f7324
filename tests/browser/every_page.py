"""Every page that a reader can open, and how to come to it: for tests of all, and for their pictures."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from playwright.sync_api import Page, expect

from dashboard.pages.packing import packed
from tests.dashboard.pages.manifests import BROKEN, DEPLOYMENT, POD, together

_PLACE = re.compile(r"{(\w+)(?:\.(\w+))?}")
# Tables whose rows stand one below the other on a small screen, with something to the right of it.
CUT = """
[...document.querySelectorAll(".scroll > .stack")]
  .filter((table) => table.scrollWidth > table.parentNode.clientWidth + 1)
  .map((table) => `${table.scrollWidth}: ${table.parentNode.getAttribute("aria-label")}`)
"""
_PREVIEW = 'form[action="/convert/pods/"] button'


class Visit(NamedTuple):
    """`route` is its name in the URL configuration; what is in braces in `path` is looked up.

    `press` is what is clicked there, one after the other, for pages that have no address before.
    """

    name: str
    route: str
    path: str
    press: tuple[str, ...] = ()


# What is looked up: each is the first of a list of the API.
World = Mapping[str, str]

RECORDED: World = {
    "cluster": "clusters/?cluster=lab-1",
    "node": "nodes/?node=gpu-node-2",
    "device": "devices/?node=gpu-node-2&device=hami-gpu-1",
    "pod": "pods/?pod=shared-0",
    "unplaced": "pods/?pod=share-c",
    "claim": "claims/?claim=shared",
    "pending": "claims/?pod=share-c",
    "classic": "pods/?pod=classic-embed",
}

PAGES = (
    Visit("overview", "overview", "/"),
    Visit("changes", "changes", "/changes/?period=week"),
    Visit("cards-wall", "devices", "/devices/?view=wall"),
    Visit("cards-wall-node", "devices", "/devices/?view=wall&at=n{node}"),
    Visit("cards-groups", "devices", "/devices/?view=groups"),
    Visit("cards-bars", "devices", "/devices/?view=bars"),
    Visit("cards-table", "devices", "/devices/?view=table"),
    Visit("devices-others", "devices", "/devices/?show=others"),
    Visit("device", "device", "/devices/{device}/?period=week"),
    Visit("nodes", "nodes", "/nodes/"),
    Visit("node", "node", "/nodes/{node}/?largest=now"),
    Visit("largest", "largest", "/nodes/largest/?cluster={cluster.name}"),
    Visit("pods", "pods", "/pods/"),
    Visit("pod", "pod", "/pods/{pod}/"),
    Visit("pod-waiting", "pod", "/pods/{unplaced}/?fit=now"),
    Visit("claims", "claims", "/claims/"),
    Visit("claim", "claim", "/claims/{claim}/"),
    Visit("claim-pending", "claim", "/claims/{pending}/?fit=now"),
    Visit("waiting", "waiting", "/claims/waiting/?period=week"),
    Visit("teams", "teams", "/teams/"),
    Visit("team", "team", "/teams/nlp/?largest=now"),
    Visit("usage", "usage", "/usage/"),
    Visit("usage-month", "usage_month", "/usage/{month}/"),
    Visit("convert", "convert", "/convert/"),
    Visit("convert-one", "convert", f"/convert/?m={packed(POD)}&cluster={{cluster.name}}"),
    Visit("convert-several", "convert", f"/convert/?m={packed(together(POD, DEPLOYMENT, BROKEN))}"),
    Visit("convert-saved", "saved_conversion", f"/convert/?m={packed(POD)}", ('[formaction$="/saved/"]',)),
    Visit("convert-pods", "conversion_preview", "/pods/{classic}/", (_PREVIEW,)),
    Visit("convert-pod", "conversion_pod", "/pods/{classic}/", (_PREVIEW, ".pods-of th a")),
    Visit("clusters", "clusters", "/clusters/"),
    Visit("cluster", "cluster", "/clusters/{cluster.name}/"),
    Visit("find", "find", "/search?q=gpu"),
    Visit("tokens", "tokens", "/account/tokens/"),
    Visit("sessions", "sessions", "/account/sessions/"),
    Visit("password", "password", "/account/password/"),
    Visit("api", "api-docs", "/api/docs/"),
)
# Of addresses that lead to nothing.
ERRORS = (Visit("not-found", "", "/nowhere/"), Visit("not-understood", "", "/pods/?page=none"))
SIGNED_OUT = Visit("sign-in", "login", "/sign-in/")
# What has an address and is no page of its own.
PARTS = {
    "peek": "the cards of a node, under the wall",
    "device_by_name": "leads to the page of a device",
    "node_by_name": "leads to the page of a node",
    "node_largest": "a part of the page of a node",
    "team_largest": "a part of the page of a team",
    "pod_fit": "a part of the page of a Pod",
    "claim_fit": "a part of the page of a claim",
    "conversion_preview_part": "a part of the page of a preview",
    "convert_download": "a file",
    "saved_conversion_download": "a file",
    "save_conversion": "a form",
    "forget_conversion": "a form",
    "preview_pods": "a form",
    "revoke_token": "a form",
    "end_sessions": "a form",
    "theme": "a form",
    "set_language": "a form",
    "logout": "a form",
}


def visit(page: Page, one: Visit, world: World) -> None:
    """Open it, with everything that is loaded later and every picture drawn."""
    page.goto(_PLACE.sub(lambda found: _looked_up(page, world, found[1], found[2] or "id"), one.path))
    for selector in one.press:
        page.locator(selector).first.click()
        page.wait_for_load_state()
    settle(page)


def settle(page: Page) -> None:
    """Until every picture is drawn and no part is waited for. For a stream that stays open nobody waits."""
    page.wait_for_load_state()
    expect(page.locator("[data-when=loading]:visible, [data-when=busy]:visible")).to_have_count(0)
    for picture in page.locator(".plot:visible").all():
        picture.locator(".main-svg").first.wait_for()


def _looked_up(page: Page, world: World, name: str, field: str) -> str:
    if name == "month":
        return f"{datetime.now(UTC):%Y-%m}"
    answer = page.request.get(f"/api/v1/{world[name]}&limit=1").json()
    found: Sequence[Mapping[str, object]] = answer["results"]
    return str(found[0][field])
