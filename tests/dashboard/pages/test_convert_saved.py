"""Conversions that are kept, and who may delete them."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from inventory.models import SavedConversion
from tests.dashboard.pages.conftest import Get
from tests.dashboard.pages.manifests import (
    POD,
    post,
    too_long_for_an_address,
)
from tests.factories import make_cluster

pytestmark = pytest.mark.django_db


def test_a_saved_conversion_is_shown_to_who_saved_it_and_to_operators(
    signed_in: Client, client: Client, django_user_model: type
) -> None:
    make_cluster("lab")
    manifest = too_long_for_an_address()
    sent = {
        "manifest": manifest,
        "profile": "0.0.1",
        "cluster": "lab",
        "namespace": "ml",
        "vendors": "nvidia",
    }
    answer = signed_in.post("/convert/saved/", sent)
    kept = SavedConversion.objects.get()
    assert answer["Location"] == f"/convert/saved/{kept.pk}/"
    assert (kept.username, kept.manifest, kept.profile) == ("operator", manifest, "0.0.1")
    reader = django_user_model.objects.create_user("reader")  # type: ignore[attr-defined]
    client.force_login(reader)
    for path in (answer["Location"], f"{answer['Location']}download/?what=webhook"):
        assert client.get(path).status_code == 404
    reader.is_superuser = True
    reader.save()
    page = client.get(answer["Location"]).content.decode()
    assert "<b>Saved by</b>operator" in page
    assert "team-nlp-embed-0-app" in page


def test_a_saved_conversion_outlives_its_cluster_and_its_user(signed_in: Client, read: Get) -> None:
    cluster = make_cluster("lab")
    signed_in.post("/convert/saved/", {"manifest": POD, "cluster": "lab"})
    cluster.delete()
    kept = SavedConversion.objects.get()
    assert "Choose a cluster to see where it would go." in read(f"/convert/saved/{kept.pk}/")


def test_what_nobody_saved_is_not_found(get: Get) -> None:
    get(f"/convert/saved/{uuid4()}/", 404)
    get(f"/convert/saved/{uuid4()}/download/?what=repository", 404)
    get("/convert/saved/none/", 404)


def test_nothing_is_saved_that_is_not_understood(signed_in: Client) -> None:
    post(signed_in, "", 400, path="/convert/saved/")
    post(signed_in, POD, 400, path="/convert/saved/", profile="9")
    post(signed_in, "a\x00b", 400, path="/convert/saved/")
    assert SavedConversion.objects.count() == 0
    assert signed_in.get("/convert/saved/").status_code == 405


def test_only_what_can_be_shown_is_kept_and_whoever_saved_it_deletes_it(
    signed_in: Client,
) -> None:
    many = "---\n".join(["a: 1\n"] * 1001)
    assert signed_in.post("/convert/saved/", {"manifest": many}).status_code == 400
    assert not SavedConversion.objects.exists()
    page = signed_in.post("/convert/saved/", {"manifest": POD})["Location"]
    other = Client()
    other.force_login(User.objects.create_user("other"))
    assert other.post(f"{page}delete/").status_code == 404
    boss = Client()
    boss.force_login(User.objects.create_superuser("boss"))
    assert "Kept until you delete it." not in boss.get(page).content.decode()
    assert boss.post(f"{page}delete/").status_code == 403
    assert "Kept until you delete it." in signed_in.get(page).content.decode()
    assert signed_in.post(f"{page}delete/").status_code == 302
    assert signed_in.get(page).status_code == 404
