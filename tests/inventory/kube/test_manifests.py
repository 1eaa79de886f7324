from decimal import Decimal
from typing import Any

import pytest

from inventory.kube.manifests import ManifestError, manifests, object_of, pod_of

CLAIM = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: half, namespace: team-a}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
"""


def requests(spec: dict[str, Any]) -> Any:
    return spec["devices"]["requests"]


def test_each_document_is_an_object_in_its_order() -> None:
    found = manifests(f"# asked\n---\n{CLAIM}---\n---\nkind: Pod\nmetadata: {{generateName: train-}}\n")
    assert [(one.kind, one.namespace, one.name) for one in found] == [
        ("ResourceClaim", "team-a", "half"),
        ("Pod", "", "train-"),
    ]


def test_json_is_read_as_well() -> None:
    (found,) = manifests('{"kind": "Pod", "metadata": {"name": "p"}, "spec": {}}')
    assert (found.kind, found.name) == ("Pod", "p")


def test_the_items_of_a_list_are_objects_of_their_own() -> None:
    text = "kind: PodList\nitems:\n- kind: Pod\n  metadata: {name: a}\n- kind: Pod\n  metadata: {name: b}\n"
    assert [one.name for one in manifests(text)] == ["a", "b"]


def test_what_yaml_takes_for_dates_and_numbers_reaches_an_api_server_as_json() -> None:
    (found,) = manifests("kind: Pod\nspec: {1: 2026-11-29, amount: 0.1, ready: yes}")
    assert found.raw["spec"] == {"1": "2026-11-29", "amount": Decimal("0.1"), "ready": True}


def test_a_number_keeps_all_its_digits() -> None:
    (found,) = manifests('{"kind": "Pod", "spec": 8589934592}')
    assert found.raw["spec"] == 8589934592


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
def test_older_versions_of_claims_are_lifted_to_v1(version: str, kind: str) -> None:
    exactly = {"deviceClassName": "gpu", "count": 2}
    request = {"name": "gpu", **(exactly if version == "v1beta1" else {"exactly": exactly})}
    spec: dict[str, Any] = {"devices": {"requests": [request]}}
    if kind == "ResourceClaimTemplate":
        spec = {"spec": spec}
    lifted = object_of({"apiVersion": f"resource.k8s.io/{version}", "kind": kind, "spec": spec}).raw["spec"]
    inner = lifted["spec"] if kind == "ResourceClaimTemplate" else lifted
    assert requests(inner)[0]["exactly"]["count"] == 2


@pytest.mark.parametrize("written", ["", "v1", "resource.k8s.io/v1alpha3", "gpu.example.com/v1"])
def test_a_claim_of_a_version_that_is_not_known_is_refused(written: str) -> None:
    with pytest.raises(ManifestError, match=r"expected one of resource.k8s.io/v1"):
        object_of({"apiVersion": written, "kind": "ResourceClaim"})


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("Deployment", ["spec", "template"]),
        ("StatefulSet", ["spec", "template"]),
        ("DaemonSet", ["spec", "template"]),
        ("Job", ["spec", "template"]),
        ("CronJob", ["spec", "jobTemplate", "spec", "template"]),
    ],
)
def test_a_workload_has_the_pod_that_it_makes(kind: str, path: list[str]) -> None:
    raw: dict[str, Any] = {"spec": {"nodeName": "n"}}
    for key in reversed(path):
        raw = {key: raw}
    assert pod_of(object_of({"kind": kind, **raw})) == {"spec": {"nodeName": "n"}}


def test_a_workload_without_a_template_and_other_kinds_have_none() -> None:
    assert pod_of(object_of({"kind": "Job", "spec": "x"})) is None
    assert pod_of(object_of({"kind": "ConfigMap"})) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no object in it"),
        ("---\n---\n", "no object in it"),
        ("kind: [Pod]", "document 1: expected an object with a kind"),
        ("kind: Pod\n---\n[]", "document 2: expected an object with a kind"),
        ("kind: Pod\nmetadata: {name: [a]}", "document 1: metadata.name and .namespace: expected texts"),
        ("a: 'b", "line 1: found unexpected end of stream"),
        ("a: &x 1\nb: *x", "line 2: YAML aliases are not read"),
        ("kind: Pod\nx: " + "9" * 5_000, "line 2: a number of 5,000 characters"),
        ('kind: Pod\nx: "\\0"', "document 1: NUL characters"),
        ("kind: Pod\nx: " + "[" * 150 + "]" * 150, "more than 100 levels are not read"),
        ("kind: PodList\nitems: [{kind: Pod, metadata: {name: 7}}]", "document 1, item 1: metadata.name"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ManifestError) as caught:
        manifests(text)
    assert told in str(caught.value)


def test_the_longest_text_is_a_mebibyte_in_utf_8() -> None:
    assert manifests(CLAIM + "#" * (1024 * 1024 - len(CLAIM)))
    with pytest.raises(ManifestError, match="longer than 1024 KiB"):
        manifests("#" + "é" * (512 * 1024))
