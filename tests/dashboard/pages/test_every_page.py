"""What holds of every page, on the recorded cluster."""

import re
from datetime import UTC, datetime
from html import unescape
from itertools import pairwise

import pytest
from django.test import Client

from dashboard.pages.packing import packed
from inventory.models import Claim, Cluster, Device, Node, Pod
from tests.dashboard.pages.conftest import Get
from tests.dashboard.pages.manifests import BROKEN, DEPLOYMENT, POD, together
from tests.factories import (
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_node,
    make_pod,
    make_share,
)

LISTS = (
    "/",
    "/changes/",
    "/devices/?view=wall",
    "/devices/?view=bars",
    "/devices/?view=table",
    "/devices/?show=others",
    "/nodes/",
    "/nodes/largest/",
    "/pods/",
    "/claims/",
    "/claims/waiting/",
    "/teams/",
    "/usage/",
    f"/usage/{datetime.now(UTC):%Y-%m}/",
    "/convert/",
    "/clusters/",
    "/search?q=a",
)


def _details() -> list[str]:
    node = Node.objects.get(name="gpu-node-2")
    mig = Device.objects.filter(name__contains="mig").order_by("pk")[0]
    held = Device.objects.get(name="hami-gpu-1", node=node)
    other = Device.objects.filter(accelerator=False).order_by("pk")[0]
    claims = [Claim.objects.get(name="shared"), Claim.objects.filter(state="pending").order_by("pk")[0]]
    pods = [
        Pod.objects.get(name="shared-0"),
        Pod.objects.get(name="share-c"),
        Pod.objects.get(name="dcgm-exporter"),
    ]
    return [
        *(f"/devices/{device.pk}/" for device in (mig, held, other)),
        f"/devices/at/n{node.pk}/",
        f"/devices/?view=wall&at=n{node.pk}",
        f"/nodes/{node.pk}/",
        *(f"/claims/{claim.pk}/" for claim in claims),
        f"/claims/{claims[-1].pk}/?fit=now",
        *(f"/pods/{pod.pk}/" for pod in pods),
        f"/pods/{pods[1].pk}/?fit=now",
        "/clusters/lab-1/",
        "/teams/nlp/",
        *(f"/convert/?m={packed(text)}&cluster=lab-1" for text in (POD, together(POD, DEPLOYMENT, BROKEN))),
    ]


def test_every_page_answers_and_is_sound_markup(recorded_cluster: Cluster, get: Get) -> None:
    for path in [*LISTS, *_details()]:
        page = get(path)
        assert "TemplateSyntaxError" not in page
        if "/at/" in path:
            continue
        assert page.count("<h1>") == 1, path
        assert '<main id="main"' in page, path
        assert not re.search(r"<(?!svg)[a-z]+[^>]* style=", page), path
        assert not re.search(r"<script(?![^>]*(src=|application/json))", page), path
        assert not re.search(r" on[a-z]+=", page), path
        assert _heading_levels_skip_nothing(page), path
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids)), path


def _heading_levels_skip_nothing(page: str) -> bool:
    """Below the title; the places in the side list are headings of their own."""
    main = page[page.index("<main") :]
    levels = [int(level) for level in re.findall(r"<h([1-6])", main)]
    return all(after - before <= 1 for before, after in pairwise(levels))


def test_no_cache_keeps_a_page_for_others(recorded_cluster: Cluster, signed_in: Client) -> None:
    for path in [*LISTS, *_details(), "/pods/?page=x"]:
        response = signed_in.get(path)
        assert {"private", "no-cache"} <= set(response["Cache-Control"].split(", ")), path
        assert "Cookie" in response["Vary"], path


def test_every_picture_is_beside_a_table(recorded_cluster: Cluster, get: Get) -> None:
    for path in [*LISTS, *_details()]:
        page = get(path)
        if 'class="plot"' in page:
            assert "<table" in page, path
            assert re.search(r'class="plot"[^>]*aria-label="[^"]{20,}"', page), path


def test_every_head_that_sorts_leads_to_a_page(recorded_cluster: Cluster, get: Get) -> None:
    heads = re.compile(r'<th scope="col"[^>]*><a href="([^"]*)"')
    sorting = {path: heads.findall(get(path)) for path in LISTS}
    assert len([path for path, found in sorting.items() if found]) >= 4
    for path, found in sorting.items():
        for query in map(unescape, found):
            assert "aria-sort" in get(path.split("?")[0] + query), query


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_page_answers_in_every_language(
    recorded_cluster: Cluster, signed_in: Client, language: str
) -> None:
    signed_in.cookies["django_language"] = language
    for path in [*LISTS, *_details()]:
        assert signed_in.get(path).status_code == 200, path
    expected = {"en": 'lang="en"', "zh-hans": 'lang="zh-Hans"'}[language]
    assert expected in signed_in.get("/").content.decode()


@pytest.mark.django_db
def test_text_of_a_cluster_is_never_markup(get: Get) -> None:
    hostile = "<script>alert(1)</script>"
    node = make_node(hostile)
    device = make_device(
        hostile, node=node, product=hostile, uuid=hostile, attributes={hostile: {"string": hostile}}
    )
    make_balance(device, "memory", "80Gi", "10")
    claim = make_claim(hostile, namespace=make_namespace(hostile))
    make_share(device, claim, consumed={"memory": "10"})
    pod = make_pod(hostile, uses=claim, node=node, labels={hostile: hostile})
    paths = [f"/devices/{device.pk}/", f"/claims/{claim.pk}/", f"/pods/{pod.pk}/", f"/nodes/{node.pk}/"]
    for path in [*LISTS, *paths, "/search?q=%3Cscript%3E"]:
        assert hostile not in get(path), path
