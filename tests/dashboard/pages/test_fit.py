"""Why a claim or Pod is pending, on its page and as the part of it that is loaded later."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from demo.store import Object
from inventory.dra.simulator.explanation import Verdict
from inventory.models import Claim, Cluster, KindState, Pod
from inventory.queries.fit import answers
from inventory.viewer import EVERYTHING
from tests.dashboard.pages.conftest import Get, Serve
from tests.factories import make_claim
from tests.inventory.sync.objects import DRA, HAMI, card, claim, named, pod, resource_slice, result


def _node(name: str = "node-1", **labels: str) -> Object:
    return named("v1", "Node", name, metadata={"labels": labels}, status={})


def _class(expression: str = f"device.driver == '{HAMI}'") -> Object:
    return named(DRA, "DeviceClass", HAMI, spec={"selectors": [{"cel": {"expression": expression}}]})


def _waiting(**spec: Any) -> Object:
    found = pod(node="", status={"phase": "Pending"})
    found["spec"].update(spec)
    return found


def _of_pod(name: str) -> str:
    return f"/pods/{Pod.objects.get(name=name).pk}/fit/"


def _of_claim(name: str) -> str:
    return f"/claims/{Claim.objects.get(name=name).pk}/fit/"


@pytest.mark.parametrize(
    ("name", "verdict", "told"),
    [
        ("share-c", "fits on other nodes", "50 % of cores needed, at most 0 % left"),
        ("wrong-node", "fits on other nodes", "kubernetes.io/hostname=npu-node-1"),
        ("too-big", "no room", "90 GiB of memory cannot be asked of them"),
        ("nic", "no room", "1 of 2 devices found on one node"),
        ("incomplete-pool", "pool not usable", "1 of 2 slices of generation 3 are published"),
        ("cel-error", "selector error", "CEL runtime error: no such key: nosuch"),
        ("all-of-incomplete", "scheduler error", "is currently being updated"),
        ("over-quota", "fits, but waits", "a quota keeps its claim from being made"),
        ("missing-claim", "claim not made", "Not made yet: does-not-exist"),
        ("fabric-wait", "nothing to allocate", "Devices are not what it waits for."),
    ],
)
def test_a_recorded_pod_is_told_why_it_waits(
    recorded_cluster: Cluster, read: Get, name: str, verdict: str, told: str
) -> None:
    part = read(_of_pod(name))
    assert verdict in part
    assert told in part


def test_no_recorded_pod_that_the_scheduler_refused_is_told_that_it_fits(recorded_cluster: Cluster) -> None:
    refused = Pod.objects.filter(node=None, pod_claims__isnull=False).exclude(scheduling_message="")
    for one in refused.distinct():
        answer = answers.of_pod(one.pk, viewer=EVERYTHING)
        assert answer is not None
        assert answer.verdict != Verdict.FITS, one.name


def test_a_recorded_claim_that_no_pod_uses_is_told_where_it_would_fit(
    recorded_cluster: Cluster, read: Get
) -> None:
    part = read(_of_claim("idle"))
    assert "It would fit on 2 nodes, but no Pod uses it yet." in part
    assert "gpu-node-1" in part


def test_the_page_leaves_the_question_to_a_script_or_a_link(recorded_cluster: Cluster, get: Get) -> None:
    claim_id = Claim.objects.get(name__startswith="share-c").pk
    page = get(f"/claims/{claim_id}/")
    assert f'data-later="/claims/{claim_id}/fit/"' in page
    assert 'href="?fit=now#fit"' in page
    assert "the nearest first" not in page


def test_the_link_gives_the_page_with_the_answer_inside(recorded_cluster: Cluster, get: Get) -> None:
    for path in (
        f"/claims/{Claim.objects.get(name__startswith='share-c').pk}/",
        f"/pods/{Pod.objects.get(name='share-c').pk}/",
    ):
        page = get(f"{path}?fit=now")
        assert "the nearest first" in page
        assert "0/9 nodes are available: 1 cannot allocate all claims" in page
        assert "data-later" not in page
        assert f'href="/api/v1{path}"' in page


def test_what_is_allocated_or_runs_is_not_asked_about(recorded_cluster: Cluster, get: Get) -> None:
    for path in (
        f"/claims/{Claim.objects.get(name='shared').pk}/",
        f"/pods/{Pod.objects.get(name='shared-0').pk}/",
        f"/pods/{Pod.objects.get(name='dcgm-exporter').pk}/",
    ):
        assert 'id="fit"' not in get(path)


def test_an_example_leads_to_its_device(recorded_cluster: Cluster, get: Get, signed_in: Client) -> None:
    part = get(_of_pod("share-c"))
    link = "/devices/named/?cluster=lab-1&driver=ascend.project-hami.io&pool=npu-node-2&device=npu-0-0"
    assert f'<a href="{escape(link)}">npu-0-0</a>' in part
    response = signed_in.get(link, follow=True)
    assert response.status_code == 200
    assert "<h1>npu-0-0</h1>" in response.content.decode()
    get("/devices/named/?cluster=lab-1&driver=x&pool=y&device=z", 404)


def test_amounts_have_their_exact_value_beside(recorded_cluster: Cluster, get: Get) -> None:
    part = get(_of_pod("mig-full-0"))
    assert "of copy-engines needed, at most 6 left" in part
    assert '<code class="wrap">kubernetes.io/hostname=npu-node-2</code>' in get(_of_pod("share-c"))


def test_a_claim_that_fits_is_told_where_and_what_it_would_get(serve: Serve, read: Get) -> None:
    serve(_node(), _class(), resource_slice(card()), claim(), _waiting())
    part = read(_of_pod("p"))
    assert "It fits now on 1 node. " in part
    assert "Only devices and the Pod's node rules are looked at here." in part
    assert "node-1 gpu → hami-gpu-0 , NVIDIA L4, 24 GiB memory, 100 % cores" in part


def test_a_class_that_is_missing_is_told(serve: Serve, read: Get) -> None:
    serve(_node(), resource_slice(card()), claim(), _waiting())
    part = read(_of_pod("p"))
    assert "class missing" in part
    assert f"could not retrieve device class {HAMI}" in part


def test_a_tainted_card_is_a_near_miss(serve: Serve, read: Get) -> None:
    taint = {"key": "broken", "value": "fan", "effect": "NoSchedule"}
    serve(_node(), _class(), resource_slice(card(taints=[taint])), claim(), _waiting())
    assert "Nearest miss, 1 device: tainted broken=fan:NoSchedule , not tolerated." in read(_of_pod("p"))


def test_a_full_card_is_told_with_its_numbers(serve: Serve, get: Get) -> None:
    held = claim("held", result(consumedCapacity={"memory": "20Gi", "cores": "10"}))
    serve(_node(), _class(), resource_slice(card()), held, claim(), _waiting())
    part = get(_of_pod("p"))
    assert "24 GiB</span> of memory needed, at most" in part
    assert 'title="4Gi = 4,294,967,296 B">4 GiB</span> left' in part


def test_what_cannot_be_evaluated_is_told_and_not_guessed(serve: Serve, read: Get) -> None:
    unknown = claim()
    unknown["spec"]["devices"]["requests"][0]["exactly"]["allocationMode"] = "Half"
    serve(_node(), _class(), resource_slice(card()), unknown, _waiting())
    part = read(_of_pod("p"))
    assert "cannot simulate" in part
    assert "allocationMode Half is not known here" in part


@pytest.mark.django_db
def test_where_nothing_was_read_nothing_is_known(read: Get) -> None:
    waits = make_claim("c", state=Claim.State.PENDING)
    part = read(f"/claims/{waits.pk}/fit/")
    assert "What the scheduler would do cannot be told here." in part
    assert "never read from cluster lab: resourceslices, resourceclaims, deviceclasses" in part


def test_the_answer_says_how_old_and_how_whole_its_own_kinds_are(
    recorded_cluster: Cluster, read: Get
) -> None:
    path = f"/claims/{Claim.objects.get(name__startswith='share-c').pk}/"
    KindState.objects.filter(kind="nodes").update(
        succeeded_at=timezone.now().replace(year=2020), state=KindState.State.FAILED
    )
    part = read(f"{path}fit/")
    assert "As of 2020" in part
    assert "stale" in part
    assert "reading failed for nodes" in part
    # The page rests on it only where the answer is inside.
    assert "As of 2020" not in read(path)
    assert read(f"{path}?fit=now").count("As of 2020") == 2


def test_an_answer_is_not_called_old_while_it_is_fresh(recorded_cluster: Cluster, read: Get) -> None:
    part = read(_of_pod("share-c"))
    assert "As of 20" in part
    assert "stale" not in part


def test_a_claim_is_answered_for_the_pod_that_is_named_with_its_other_claims(serve: Serve, read: Get) -> None:
    waits = pod(claims=("c", "d"), node="", status={"phase": "Pending"})
    serve(_node(), _class(), resource_slice(card(), card("b")), claim("c"), claim("d"), waits)
    part = read(_of_claim("c"))
    assert "Answered for Pod p , which waits for it. Its claims are placed together: c , d ." in part
    assert "Its claims are placed together: c , d ." in read(_of_pod("p"))
    assert "Answered for" not in read(_of_pod("p"))


def test_of_several_pods_that_wait_for_a_claim_all_are_named(serve: Serve, read: Get) -> None:
    gated = pod("q", node="", status={"phase": "Pending"})
    gated["spec"]["schedulingGates"] = [{"name": "later"}]
    serve(_node(), _class(), resource_slice(card()), claim(), _waiting(), gated)
    part = read(_of_claim("c"))
    assert "Answered for Pod p , which comes off best of the 2 Pods that wait for it." in part
    assert "The others: q : fits, but waits" in part


def test_a_claim_that_waits_for_a_pod_says_what_makes_it_allocated(
    recorded_cluster: Cluster, read: Get
) -> None:
    assert "a claim is allocated when a Pod that uses it is scheduled" in read(_of_claim("idle"))


def test_near_misses_are_drawn_with_what_is_asked(recorded_cluster: Cluster, get: Get, read: Get) -> None:
    part = get(_of_pod("share-c"))
    assert "npu-0-0 cores: 100 % of 100 % allocated, 0 % left; 50 % asked" in part
    # All that is asked is shown, not only what is short.
    assert re.search(r"npu-0-0 memory: 16 GiB of 21\.0 GiB allocated, 5\.0 GiB left; [\d.]+ GiB asked", part)
    # On the node that the Pod leaves out it would do.
    assert 'class="ghost"' in part
    assert "fits, wrong node" in part
    assert "Nearest misses" not in read(_of_pod("cel-error"))


def test_what_would_help_is_what_the_answer_shows(recorded_cluster: Cluster, read: Get) -> None:
    part = read(_of_pod("share-c"))
    assert "What would help" in part
    assert "Take kubernetes.io/hostname=npu-node-2 out of the Pod's nodeSelector" in part
    assert "The devices are free on npu-node-1" in part
    assert (
        "Wait for one of share-a , share-b to end Each alone would leave enough cores on npu-0-0 , which"
        in part
    )
    for name in ("cel-error", "over-quota", "missing-claim"):
        assert "What would help" not in read(_of_pod(name))


def test_an_answer_is_never_kept_by_a_browser(recorded_cluster: Cluster, signed_in: Client) -> None:
    assert "no-store" in signed_in.get(_of_pod("share-c"))["Cache-Control"]


def test_english_of_other_programs_is_marked_as_such(recorded_cluster: Cluster, signed_in: Client) -> None:
    signed_in.cookies["django_language"] = "zh-hans"
    part = signed_in.get(_of_pod("cel-error")).content.decode()
    assert '<code class="wrap" lang="en">' in part
    part = signed_in.get(_of_pod("too-big")).content.decode()
    assert '<span lang="en">the largest that may be asked for is' in part


def test_text_of_a_cluster_is_never_markup(serve: Serve, get: Get) -> None:
    hostile = "<script>alert(1)</script>{why}"
    unwanted = card(attributes={"kind": {"string": hostile}, "productName": {"string": hostile}})
    asked = claim()
    expression = (
        f"device.attributes['{HAMI}'].kind == '<i>x</i>' || device.attributes['{HAMI}'].kind == 'a{{b}}'"
    )
    asked["spec"]["devices"]["requests"][0]["exactly"]["selectors"] = [{"cel": {"expression": expression}}]
    tainted = card("gpu-<b>1</b>", taints=[{"key": hostile, "value": hostile, "effect": "NoSchedule"}])
    serve(
        _node(),
        _node("node-2"),
        _class(),
        resource_slice(unwanted),
        resource_slice(tainted, name="s2", pool="p/<i>q</i>"),
        asked,
        _waiting(nodeSelector={"<b>k</b>": hostile}),
    )
    for part in (get(_of_pod("p")), get(f"/pods/{Pod.objects.get().pk}/?fit=now")):
        assert "<script>alert" not in part
        assert "<b>k" not in part
        assert "<i>" not in part
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{why}" in get(_of_pod("p"))


def test_an_answer_takes_as_many_queries_for_many_devices_as_for_few(serve: Serve, signed_in: Client) -> None:
    def queries(cluster: str, cards: int) -> int:
        devices = [card(f"hami-gpu-{number}") for number in range(cards)]
        shares = [result(one["name"], consumedCapacity={"memory": "1Gi", "cores": "1"}) for one in devices]
        served = serve(
            _node(),
            _class(),
            resource_slice(*devices),
            *(claim(f"held-{first}", *shares[first : first + 32]) for first in range(0, cards, 32)),
            claim(),
            _waiting(),
            name=cluster,
        )
        path = f"/pods/{Pod.objects.get(cluster=served).pk}/fit/"
        with CaptureQueriesContext(connection) as asked:
            assert signed_in.get(path).status_code == 200
        return len(asked)

    few = queries("few", 2)
    assert queries("many", 60) == few
    assert few <= 45


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_answer_is_sound_in_every_language(
    recorded_cluster: Cluster, signed_in: Client, language: str
) -> None:
    signed_in.cookies["django_language"] = language
    waiting = Pod.objects.filter(node=None, pod_claims__isnull=False).distinct()
    for one in waiting:
        part = signed_in.get(f"/pods/{one.pk}/fit/").content.decode()
        assert part.count("<section") == part.count("</section>") == 1, one.name
        assert part.count("<table") == part.count("<caption"), one.name
        assert ("现在会放到哪里" in part) == (language == "zh-hans"), one.name


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/pods/1/fit/", "/claims/1/fit/"])
def test_what_never_was_is_not_found(get: Get, path: str) -> None:
    get(path, 404)


@pytest.mark.django_db
def test_the_answer_is_for_those_who_are_signed_in(client: Client) -> None:
    assert client.get("/claims/1/fit/").status_code == 302
