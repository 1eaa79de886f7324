"""The page of the conversion: what is pasted, shared, saved and downloaded."""

import html
import re
from datetime import timedelta

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from dashboard.pages.packing import packed
from inventory.models import Cluster, SavedConversion
from tests.dashboard.pages.conftest import Get, Serve
from tests.dashboard.pages.manifests import (
    BROKEN,
    DEPLOYMENT,
    POD,
    SAME,
    SERVICE,
    at,
    post,
    together,
    too_long_for_an_address,
)
from tests.factories import make_cluster
from tests.inventory.sync.objects import DRA, HAMI, card, named, resource_slice

pytestmark = pytest.mark.django_db


def test_the_page_asks_for_manifests(read: Get) -> None:
    page = read("/convert/")
    assert "Paste what you deploy today." in page
    assert "0.2.3" in page
    assert "Where each field comes from" not in page


def test_the_page_is_in_the_side_list(get: Get) -> None:
    assert '<a href="/convert/" aria-current="page">Convert' in get("/convert/")


def test_what_is_pasted_is_shown_at_an_address_that_keeps_nothing(signed_in: Client) -> None:
    answer = signed_in.post("/convert/", {"manifest": POD, "profile": "0.2.3", "namespace": "default"})
    assert answer.status_code == 302
    assert answer["Location"] == at(POD)
    assert SavedConversion.objects.count() == 0


def test_only_what_is_not_usual_is_in_the_address(signed_in: Client) -> None:
    make_cluster("lab")
    asked = {
        "manifest": POD,
        "profile": "0.0.1",
        "cluster": "lab",
        "namespace": "ml",
        "vendors": " nvidia , ",
    }
    answer = signed_in.post("/convert/", asked)
    assert answer["Location"] == at(POD, profile="0.0.1", cluster="lab", namespace="ml", vendors="nvidia")


def test_a_pod_is_told_field_by_field(read: Get) -> None:
    page = read(at(POD))
    assert "It is converted, but comes to mean something else: see the warnings." in page
    assert "ResourceClaim team-nlp-embed-0-app-nvidia" in page
    memory = (
        "capacity.requests.memory 8589934592 limits · nvidia.com/gpumem 8192 MiB to bytes, × 1,048,576 same"
    )
    assert memory in page
    assert "capacity.requests.cores left out nothing left out: the driver’s default counts differs" in page
    assert 'productName in ["A100"] annotation · nvidia.com/use-gputype A100' in page


def test_warnings_say_what_was_what_will_be_and_what_to_write(read: Get) -> None:
    page = read(at(POD))
    assert "differs Cores are not written down container app" in page
    assert "HAMi did Counts 0 cores; up to 10 Pods share the card." in page
    assert "DRA does Counts the driver’s default, 100 %." in page
    assert "nvidia.com/gpucores: 0" in page


def test_what_means_the_same_has_no_warning(read: Get) -> None:
    page = read(at(SAME))
    assert "It is converted, and means the same." in page
    assert "None: what is known here comes to mean the same." in page


def test_the_difference_is_told_to_those_who_do_not_see_signs(get: Get) -> None:
    page = get(at(POD))
    assert '<del><i class="vh">removed: </i>- ' in page
    assert '<ins><i class="vh">added: </i>+ kind: ResourceClaim' in page


def test_without_a_cluster_nothing_is_said_of_room_nor_of_age(read: Get) -> None:
    make_cluster("lab", error_reason="refused", error_message="connection refused")
    page = read(at(POD))
    assert "Choose a cluster to see where it would go." in page
    assert "connection refused" not in page
    assert "As of" not in page


def test_against_a_cluster_it_is_told_where_it_would_go(recorded_cluster: Cluster, read: Get) -> None:
    page = read(at(SAME, cluster="lab-1"))
    assert "It fits now on" in page
    assert "As of" in page


def test_a_type_that_no_card_of_the_cluster_has_never_fits(recorded_cluster: Cluster, read: Get) -> None:
    page = read(at(POD, cluster="lab-1"))
    assert "never fits The card type is matched whole, not in part" in page
    assert "NVIDIA A100" in page
    assert "no room" in page


def test_a_cluster_that_is_stale_says_so(read: Get) -> None:
    make_cluster("lab", observed_at=timezone.now() - timedelta(hours=3))
    assert "stale since" in read(at(POD, cluster="lab"))


def test_several_objects_are_listed_and_the_gravest_is_told(read: Get) -> None:
    page = read(at(together(SAME, SERVICE, POD, DEPLOYMENT)))
    assert "4 objects: 1 converted, 2 with warnings, 1 unchanged." in page
    assert re.search(r"embed-0 Pod · team-nlp .* with warnings", page)
    assert "Where each field comes from ResourceClaim team-nlp-embed-0-app-nvidia" in page


def test_another_object_is_told_where_it_is_asked_for(get: Get, read: Get) -> None:
    manifest = together(SAME, SERVICE, POD, DEPLOYMENT)
    link = re.search(
        r'<a class="wrap" href="([^"]+)">serve</a><div class="small dim">Deployment', get(at(manifest))
    )
    assert link
    page = read(f"/convert/{html.unescape(link[1]).partition('#')[0]}")
    assert "capacity.requests.memory 8589934592 limits · huawei.com/Ascend310P-memory 8192" in page


def test_a_workload_is_made_ready_for_a_repository(get: Get) -> None:
    page = get(at(DEPLOYMENT))
    assert "For a repository" in page
    assert "resourceClaimTemplateName: serve-web-ascend310p" in page
    assert "kind: ResourceClaimTemplate" in page


@pytest.mark.parametrize("number", ["0", "2", "9999999"])
def test_an_object_that_is_not_there_is_not_found(get: Get, number: str) -> None:
    get(at(POD, at=number), 404)


def test_documents_that_cannot_be_read_are_named_and_the_others_told(read: Get) -> None:
    page = read(at(together(BROKEN, POD, "just: text\n")))
    assert "Not readable" in page
    assert "document 1, line" in page
    assert "document 3, line" in page
    assert "team-nlp-embed-0-app-nvidia" in page


def test_where_nothing_can_be_read_that_is_told(read: Get) -> None:
    page = read(at(BROKEN))
    assert "1 object: 1 not readable." in page


def test_the_webhook_refuses_in_its_own_words(read: Get) -> None:
    page = read(at(POD.replace("use-gputype: A100", "use-gputype: ' , '")))
    assert "The webhook refuses the Pod with 500:" in page
    assert 'annotation nvidia.com/use-gputype has no usable value: " , "' in page
    assert "No claim would be made of it, so there is nothing to place." in page


def test_kubernetes_refuses_in_its_own_words(read: Get) -> None:
    page = read(at(POD.replace("name: embed-0", "name: embed.0")))
    assert "Kubernetes refuses Pod team-nlp/embed.0:" in page


def test_another_vendor_gets_a_proposal_that_is_marked_as_ours(read: Get) -> None:
    amd = SAME.replace("nvidia.com/gpu: 1", "amd.com/gpu: 1").replace("nvidia.com/gpumem", "amd.com/gpumem")
    page = read(at(amd.replace("        nvidia.com/gpucores: 30\n", "")))
    assert "Other ways ours no webhook makes these claims" in page
    assert "gpu.amd.com" in page
    assert "Nothing in it is converted, but it does not go on as before: see the warnings." in page


def test_a_percentage_is_told_for_each_model(recorded_cluster: Cluster, read: Get) -> None:
    half = SAME.replace("nvidia.com/gpumem: 8192", "nvidia.com/gpumem-percentage: 50")
    page = read(at(half, cluster="lab-1"))
    assert "Container app: 50" in page
    assert "40960" in page
    assert "There is room for its claims, but the Pod does not run all the same" in page
    assert "Not all that it rests on has been read yet" not in page


def test_the_webhook_may_be_configured_otherwise(read: Get) -> None:
    config = "nvidia:\n  resourceCountName: example.com/gpu\n"
    renamed = SAME.replace("nvidia.com/gpu: 1", "example.com/gpu: 1")
    page = read(at(renamed, config=packed(config)))
    assert "limits · example.com/gpu 1" in page


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("profile=9", "there is no profile 9"),
        ("cluster=nowhere", "There is no cluster “nowhere”."),
        ("cluster=a%00b", "a name has no null character"),
        ("namespace=Not_One", "A namespace has small letters"),
        ("vendors=acme", "unsupported device vendor"),
        (f"config={packed('vendor: nvidia')}", "config field vendor was removed"),
        (f"config={packed('{')}", "config"),
        ("config=!", "it is damaged"),
        ("at=x", "is not the number of a Pod in it"),
        ("page=x", "is not the number of a page"),
    ],
)
def test_an_address_that_is_not_understood_is_told(read: Get, asked: str, told: str) -> None:
    assert told in read(f"/convert/?m={packed(POD)}&{asked}", 400)


@pytest.mark.parametrize("text", ["!", "AAAA", "%00", "%ed%a0%80", packed("a" * 2_000_000)])
def test_an_address_that_is_damaged_or_a_bomb_is_told(read: Get, text: str) -> None:
    assert "This address was not understood" in read(f"/convert/?m={text}", 400)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"profile": "9"}, "there is no profile 9"),
        ({"cluster": "nowhere"}, "There is no cluster “nowhere”."),
        ({"cluster": "a\x00b"}, "A name has no null character."),
        ({"namespace": "Not_One"}, "A namespace has small letters"),
        ({"vendors": "nvidia,nvidia"}, "duplicate device vendor"),
        ({"config": "vendors: [acme]"}, "unsupported device vendor"),
    ],
)
def test_what_is_wrong_in_the_form_is_told_above_it_and_the_form_stays(
    signed_in: Client, fields: dict[str, str], told: str
) -> None:
    page = html.unescape(post(signed_in, POD, 400, **fields))
    assert 'role="alert"' in page
    assert told in page
    assert "nvidia.com/gpumem: 8192" in page


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        ("", "Paste a manifest, or choose a file."),
        (" \n\t", "Paste a manifest, or choose a file."),
        ("kind: Pod\x00", "A manifest has no null character."),
    ],
)
def test_a_form_without_a_manifest_is_told(signed_in: Client, manifest: str, told: str) -> None:
    assert told in post(signed_in, manifest, 400)


def test_line_ends_of_browsers_are_no_part_of_a_manifest(signed_in: Client) -> None:
    assert signed_in.post("/convert/", {"manifest": POD.replace("\n", "\r\n")})["Location"] == at(POD)


def test_a_file_takes_the_place_of_what_is_written(signed_in: Client) -> None:
    file = SimpleUploadedFile("pod.yaml", b"\xef\xbb\xbf" + POD.encode())
    answer = signed_in.post("/convert/", {"manifest": "kind: Other", "file": file})
    assert answer["Location"] == at(POD)


def test_a_file_that_is_no_text_is_told(signed_in: Client) -> None:
    file = SimpleUploadedFile("pod.yaml", bytes(range(256)) * 16)
    assert "null character" in post(signed_in, "", 400, file=file)


def test_what_is_too_long_for_an_address_is_shown_at_once_and_kept_nowhere(signed_in: Client) -> None:
    page = post(signed_in, too_long_for_an_address())
    assert "team-nlp-embed-0-app-nvidia" in page
    assert "This is too long for an address." in page
    assert "nvidia.com/gpumem: 8192" in page
    assert SavedConversion.objects.count() == 0


def test_of_several_objects_without_an_address_the_form_leads_to_each(signed_in: Client) -> None:
    manifest = too_long_for_an_address(together(POD, SAME))
    assert (
        '<button class="link" form="ask" formaction="/convert/#details" name="at" value="2">small</button>'
        in post(signed_in, manifest)
    )
    assert "default-small-app-nvidia" in post(signed_in, manifest, at="2")
    post(signed_in, manifest, 404, at="3")


@pytest.mark.parametrize("size", [1024 * 1024 + 1, 5_000_000, 12_000_000])
def test_a_paste_that_is_too_long_is_told(signed_in: Client, size: int) -> None:
    for path in ("/convert/", "/convert/saved/", "/convert/download/"):
        answer = signed_in.post(path, {"manifest": "#" * size, "what": "webhook"})
        page = answer.content.decode()
        assert answer.status_code in (400, 413), path
        assert 'role="alert"' in page
        assert "KiB" in page


def test_a_file_that_is_too_long_is_told(signed_in: Client) -> None:
    file = SimpleUploadedFile("pod.yaml", b"#" * 5_000_000)
    assert signed_in.post("/convert/", {"file": file}).status_code == 413


def test_a_bomb_of_aliases_is_told_at_once(read: Get) -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{after}: &{after} [{','.join([f'*{before}'] * 9)}]\n"
        for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "Not readable" in read(at(together(bomb, POD)))


def test_keys_that_are_given_twice_are_told(read: Get) -> None:
    assert "Not readable" in read(at(f"{POD}kind: Deployment\n"))


def test_text_of_a_manifest_is_never_markup(get: Get, signed_in: Client) -> None:
    hostile = "<script>alert(1)</script>{why}%(x)s"
    manifest = yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": hostile, "annotations": {"nvidia.com/use-gputype": f"</textarea>{hostile}"}},
            "spec": {
                "containers": [
                    {
                        "name": hostile,
                        "image": f"</pre>{hostile}",
                        "resources": {"limits": {"nvidia.com/gpu": 1, "nvidia.com/gpumem": hostile}},
                    },
                    {"name": "b", "resources": {"limits": {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 1}}},
                ]
            },
        }
    )
    good = manifest.replace("nvidia.com/gpumem: <", "nvidia.com/gpucores-of: <")
    for text in (manifest, good, together(manifest, good, hostile)):
        page = get(at(text))
        assert "<script>alert" not in page
        assert page.count("</textarea>") == 2


def test_a_form_of_another_site_is_refused(operator: object) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)  # type: ignore[arg-type]
    for path in ("/convert/", "/convert/saved/", "/convert/download/", "/convert/pods/"):
        assert client.post(path, {"manifest": POD}).status_code == 403, path
    assert SavedConversion.objects.count() == 0


def test_a_form_is_for_those_who_are_signed_in(client: Client) -> None:
    for path in ("/convert/", "/convert/saved/", "/convert/download/", "/convert/pods/"):
        answer = client.post(path, {"manifest": POD})
        assert answer.status_code == 302
        assert answer["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("profile", ["0.2.3", "0.0.1", "later", "template"])
def test_every_profile_is_told_in_every_language(
    recorded_cluster: Cluster, signed_in: Client, language: str, profile: str
) -> None:
    signed_in.cookies["django_language"] = language
    answer = signed_in.get(
        at(together(POD, DEPLOYMENT, SAME, SERVICE, BROKEN), profile=profile, cluster="lab-1")
    )
    page = answer.content.decode()
    assert answer.status_code == 200
    assert ("每个字段的来源" in page) == (language == "zh-hans")
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_a_chosen_pod_of_a_long_table_is_on_its_page(signed_in: Client) -> None:
    manifest = together(*(SAME.replace("small", f"small-{number}") for number in range(120)))
    page = signed_in.post(
        "/convert/", {"manifest": too_long_for_an_address(manifest), "at": "70"}
    ).content.decode()
    assert "51 to 100 of 120" in page
    assert '<tr aria-current="true">' in page
    anew = signed_in.post(
        "/convert/", {"manifest": too_long_for_an_address(manifest), "at": "70", "fresh": "1"}
    )
    assert "1 to 50 of 120" in anew.content.decode()


def test_a_pod_that_fits_nowhere_is_tried_with_what_its_warnings_say(serve: Serve, read: Get) -> None:
    attributes = {"type": {"string": "hami-gpu"}, "productName": {"string": "NVIDIA A100-SXM4-80GB"}}
    serve(
        named("v1", "Node", "node-1", status={}),
        named(DRA, "DeviceClass", HAMI, spec={}),
        resource_slice(card(attributes=attributes)),
    )
    page = read(at(POD, cluster="lab"))
    assert "Where it would go with what the warnings say" in page
    assert "The card type is matched whole, not in part fits 1" in page
