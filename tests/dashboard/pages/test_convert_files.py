"""Conversions as files: what is in them, and what is told beside it."""

import html
import re

import pytest
import yaml
from django.test import Client

from dashboard.pages.packing import packed
from inventory.models import SavedConversion
from tests.dashboard.pages.conftest import Get
from tests.dashboard.pages.manifests import (
    BROKEN,
    DEPLOYMENT,
    POD,
    SAME,
    SERVICE,
    at,
    together,
    too_long_for_an_address,
)

pytestmark = pytest.mark.django_db


def test_the_manifests_for_a_repository_are_downloaded(signed_in: Client, get: Get) -> None:
    link = re.search(
        r'href="(/convert/download/[^"]+what=repository)"', get(at(together(DEPLOYMENT, SERVICE)))
    )
    assert link
    answer = signed_in.get(html.unescape(link[1]))
    assert answer["Content-Type"] == "application/yaml; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="converted-repository.yaml"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    kinds = [one["kind"] for one in yaml.safe_load_all(answer.content)]
    assert kinds == ["ResourceClaimTemplate", "Deployment", "Service"]


def test_what_the_webhook_makes_is_downloaded(signed_in: Client) -> None:
    answer = signed_in.get(at(POD, what="webhook").replace("/convert/", "/convert/download/"))
    claim, pod = yaml.safe_load_all(answer.content)
    assert claim["metadata"]["name"] == "team-nlp-embed-0-app-nvidia"
    assert pod["spec"]["resourceClaims"] == [
        {"name": "team-nlp-embed-0-app-nvidia", "resourceClaimName": "team-nlp-embed-0-app-nvidia"}
    ]


def test_what_has_no_address_is_downloaded_by_its_form(signed_in: Client) -> None:
    sent = {"manifest": too_long_for_an_address(together(POD, BROKEN)), "what": "webhook"}
    answer = signed_in.post("/convert/download/", sent)
    text = answer.content.decode()
    assert text.startswith("# error: document 2, line 169: ")
    assert len(list(yaml.safe_load_all(text))) == 2


def test_a_saved_conversion_is_downloaded(signed_in: Client) -> None:
    signed_in.post("/convert/saved/", {"manifest": POD})
    path = f"/convert/saved/{SavedConversion.objects.get().pk}/download/"
    assert b"kind: ResourceClaimTemplate" in signed_in.get(f"{path}?what=repository").content
    assert signed_in.get(f"{path}?what=all").status_code == 400
    assert signed_in.get(path).status_code == 400


def test_what_is_denied_is_left_out_of_both_files_and_told(signed_in: Client) -> None:
    denied = POD.replace("use-gputype: A100", 'use-gpuuuid: ","')
    for what in ("repository", "webhook"):
        text = signed_in.get(
            f"/convert/download/?m={packed(together(denied, SAME))}&what={what}"
        ).content.decode()
        assert text.startswith("# error: Pod team-nlp/embed-0: the webhook denies it: ")
        assert "name: embed-0" not in text
        assert "name: small" in text


def test_text_of_a_manifest_begins_no_line_of_a_file(signed_in: Client) -> None:
    odd = POD.replace("embed-0", '"x\\u2028kind: Secret\\u202e"').replace("8192", "8x")
    text = signed_in.get(f"/convert/download/?m={packed(odd)}&what=webhook").content.decode()
    assert text.startswith("# error: ")
    assert not set("\u2028\u202e") & set(text)
