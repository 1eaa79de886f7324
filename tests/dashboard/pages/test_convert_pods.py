"""The conversion of Pods that were read: recorded, counted, and told one by one."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from demo.store import Object
from inventory.models import ConversionPreview, HamiPod
from tests.dashboard.pages.conftest import Get, Serve
from tests.inventory.sync.objects import DRA, HAMI, card, named, pod, resource_slice

GPU, MEMORY, CORES = "nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"


def _hami(name: str, limits: dict[str, str]) -> Object:
    container = {"name": "app", "resources": {"limits": limits}}
    return pod(name, (), status={"phase": "Pending"}, spec={"containers": [container]})


def _pods() -> list[Object]:
    """With a card on which they would fit."""
    part = {GPU: "1", MEMORY: "1024", CORES: "10"}
    attributes = {"type": {"string": "hami-gpu"}, "productName": {"string": "NVIDIA L4"}}
    return [
        named("v1", "Node", "node-1", status={}),
        named(DRA, "DeviceClass", HAMI, spec={}),
        resource_slice(card(attributes=attributes)),
        _hami("same", part),
        _hami("differs", {GPU: "1", MEMORY: "1024"}),
        _hami("with.dot", part),
    ]


def _record(user: User) -> ConversionPreview:
    return ConversionPreview.record(user, HamiPod.objects.order_by("name"))


@pytest.fixture
def preview(serve: Serve, operator: User) -> ConversionPreview:
    serve(*_pods())
    return _record(operator)


def test_the_page_leaves_the_conversion_to_a_script_or_a_link(preview: ConversionPreview, get: Get) -> None:
    page = get(f"/convert/pods/{preview.pk}/?profile=0.0.1")
    assert f'data-later="/convert/pods/{preview.pk}/part/?profile=0.0.1"' in page
    assert 'href="?profile=0.0.1&amp;now=1"' in page
    assert "3 objects" not in page


def test_the_part_and_the_page_have_the_same_answer(preview: ConversionPreview, read: Get) -> None:
    told = "3 objects: 1 converted, 1 with warnings, 1 refused."
    assert told in read(f"/convert/pods/{preview.pk}/part/")
    page = read(f"/convert/pods/{preview.pk}/?now=1")
    assert told in page
    assert "Looked at by operator" in page


def test_the_gravest_come_first(preview: ConversionPreview, get: Get) -> None:
    names = re.findall(r'<a class="wrap" href="[^"]+">([^<]+)</a>', get(f"/convert/pods/{preview.pk}/part/"))
    assert names == ["with.dot", "differs", "same"]


def test_pods_are_chosen_by_what_they_come_to(preview: ConversionPreview, get: Get) -> None:
    page = get(f"/convert/pods/{preview.pk}/part/?outcome=converted")
    assert re.findall(r'<a class="wrap" href="[^"]+">([^<]+)</a>', page) == ["same"]
    assert "There is no such Pod." in get(f"/convert/pods/{preview.pk}/part/?outcome=unchanged")


def test_each_pod_is_told_on_a_page_of_its_own(preview: ConversionPreview, get: Get, read: Get) -> None:
    part = get(f"/convert/pods/{preview.pk}/part/?profile=later")
    links = re.findall(r'<a class="wrap" href="([^"]+)">([^<]+)</a>', part)
    for link, name in links:
        page = read(link)
        assert "nvidia.com/gpumem" in page, name
        assert f"team-a-{name}-app-nvidia" in page, name
        assert "of other parts of the Pod nothing is kept here" in page, name


def test_pods_that_are_gone_since_are_named(serve: Serve, operator: User, read: Get) -> None:
    serve(*_pods())
    preview = _record(operator)
    HamiPod.objects.filter(name="differs").delete()
    page = read(f"/convert/pods/{preview.pk}/part/")
    assert "1 Pod is gone since, or asks HAMi for nothing any more: lab team-a/differs" in page
    number = [one[2] for one in preview.pods].index("differs") + 1
    read(f"/convert/pods/{preview.pk}/{number}/", 404)


def test_many_pods_are_shown_in_pages(serve: Serve, operator: User, get: Get) -> None:
    serve(*(_hami(f"p-{number:03}", {GPU: "1", MEMORY: "1024"}) for number in range(60)))
    preview = _record(operator)
    first = get(f"/convert/pods/{preview.pk}/part/?profile=0.2.3")
    assert first.count("<tr>") == 51
    assert 'href="?profile=0.2.3&amp;page=2"' in first
    assert get(f"/convert/pods/{preview.pk}/part/?page=2").count("<tr>") == 11


def test_another_operator_looks_in_his_own_name(preview: ConversionPreview, client: Client) -> None:
    client.force_login(User.objects.create_superuser("reader"))
    page = client.get(f"/convert/pods/{preview.pk}/?now=1").content.decode()
    assert "Somebody else looked at these Pods" in page
    assert "with.dot" not in page
    for path in (f"/convert/pods/{preview.pk}/part/", f"/convert/pods/{preview.pk}/1/"):
        assert client.get(path).status_code == 404
    answer = client.post("/convert/pods/", {"record": preview.pk})
    own = ConversionPreview.objects.exclude(pk=preview.pk).get()
    assert answer["Location"] == f"/convert/pods/{own.pk}/"
    assert (own.username, sorted(own.pods)) == ("reader", sorted(preview.pods))
    assert client.get(f"/convert/pods/{own.pk}/part/").status_code == 200


def test_the_page_of_a_pod_leads_to_its_conversion(serve: Serve, signed_in: Client, get: Get) -> None:
    serve(*_pods())
    found = HamiPod.objects.get(name="same")
    assert f'<input type="hidden" name="pod" value="{found.pk}">' in get(f"/pods/{found.pk}/")
    answer = signed_in.post("/convert/pods/", {"pod": found.pk})
    preview = ConversionPreview.objects.get()
    assert answer["Location"] == f"/convert/pods/{preview.pk}/"
    assert preview.username == "operator"
    assert [one[:3] for one in preview.pods] == [["lab", "team-a", "same"]]


@pytest.mark.parametrize(
    "sent", [{}, {"pod": "0"}, {"pod": "x"}, {"pod": "9" * 30}, {"record": "x"}, {"record": str(uuid4())}]
)
def test_what_cannot_be_looked_at_is_not_recorded(signed_in: Client, sent: dict[str, str]) -> None:
    assert signed_in.post("/convert/pods/", sent).status_code == 404
    assert ConversionPreview.objects.count() == 0


def test_what_is_not_there_is_not_found(preview: ConversionPreview, get: Get) -> None:
    for path in (f"/convert/pods/{uuid4()}/", f"/convert/pods/{uuid4()}/part/", "/convert/pods/none/"):
        get(path, 404)
    for number in (0, 4, 10**30):
        get(f"/convert/pods/{preview.pk}/{number}/", 404)


@pytest.mark.parametrize("asked", ["profile=9", "outcome=9", "page=x"])
def test_what_is_not_understood_is_told(preview: ConversionPreview, get: Get, asked: str) -> None:
    get(f"/convert/pods/{preview.pk}/part/?{asked}", 400)
    get(f"/convert/pods/{preview.pk}/?now=1&{asked}", 400)


def test_pods_of_a_cluster_that_is_gone_are_gone(serve: Serve, operator: User, read: Get) -> None:
    cluster = serve(*_pods())
    preview = _record(operator)
    cluster.delete()
    assert "3 Pods are gone since" in read(f"/convert/pods/{preview.pk}/?now=1")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_record_is_told_in_every_language(
    preview: ConversionPreview, signed_in: Client, language: str
) -> None:
    signed_in.cookies["django_language"] = language
    for path in ("", "?now=1", "part/", "1/", "2/", "3/"):
        answer = signed_in.get(f"/convert/pods/{preview.pk}/{path}")
        assert answer.status_code == 200, path


def test_who_looks_later_is_recorded_anew(preview: ConversionPreview, signed_in: Client) -> None:
    ConversionPreview.objects.update(created_at=timezone.now() - timedelta(minutes=16))
    for path in ("", "part/", "1/"):
        before = ConversionPreview.objects.count()
        answer = signed_in.get(f"/convert/pods/{preview.pk}/{path}?profile=0.0.1")
        newest = ConversionPreview.objects.first()
        assert newest is not None
        assert answer["Location"] == f"/convert/pods/{newest.pk}/{path}?profile=0.0.1"
        assert (ConversionPreview.objects.count(), newest.pods) == (before + 1, preview.pods)
        assert signed_in.get(answer["Location"]).status_code == 200
