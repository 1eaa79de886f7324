import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.claiming import Need, claimed, label
from tests.inventory.hami.pods import container

SPEC = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "c"}}]}}
GPU, MEMORY = "nvidia.com/gpu", "nvidia.com/gpumem"
LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"


def need(container: str = "app", index: int = 0, suffix: str = "nvidia") -> Need:
    return Need(container, index, suffix, (GPU, MEMORY), SPEC)


def test_a_name_is_what_it_is_made_of() -> None:
    assert label(("web", "app", "nvidia")) == "web-app-nvidia"


@pytest.mark.parametrize(
    "parts", [("web.v1", "app"), ("Web", "app"), ("w" * 60, "app"), ("-web", "app"), ("名",)]
)
def test_a_name_that_is_changed_has_a_hash(parts: tuple[str, ...]) -> None:
    assert re.search(r"(^|-)[0-9a-f]{8}$", label(parts))


def test_names_that_join_alike_are_told_apart() -> None:
    first = label(("a-b", "c"))

    assert label(("a", "b-c"), {first}) != first
    assert label(("a", "b-c"), {first}) == label(("a", "b-c"), {first})


@given(st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_any_name_is_a_label(parts: list[str]) -> None:
    assert re.fullmatch(LABEL, label(parts))
    assert re.fullmatch(LABEL, label(parts, {label(parts)}))
    assert label(parts, {label(parts)}) != label(parts)


def test_the_claim_takes_the_place_of_the_resources() -> None:
    spec = {"containers": [container({"cpu": "0.5", GPU: 1, MEMORY: 1024})], "restartPolicy": "Never"}
    found = claimed(spec, [need()], ("web",), "ml", ())

    assert found.spec == {
        "containers": [
            {
                "name": "app",
                "image": "registry.example/app:1",
                "resources": {"limits": {"cpu": "0.5"}, "claims": [{"name": "app-nvidia"}]},
            }
        ],
        "restartPolicy": "Never",
        "resourceClaims": [{"name": "app-nvidia", "resourceClaimTemplateName": "web-app-nvidia"}],
    }
    assert found.templates == (
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "web-app-nvidia", "namespace": "ml"},
            "spec": {"spec": SPEC},
        },
    )


def test_a_container_without_a_need_stays_as_it_is() -> None:
    spec = {"containers": [container({GPU: 1}), container({"cpu": 1}, "side")]}

    assert claimed(spec, [need()], ("web",), "ml", ()).spec["containers"][1] == spec["containers"][1]


def test_a_section_of_which_nothing_is_left_goes() -> None:
    spec = {
        "containers": [{"name": "app", "resources": {"limits": {GPU: 1}, "requests": {GPU: 1, MEMORY: 1}}}]
    }
    (one,) = claimed(spec, [need()], ("web",), "", ()).spec["containers"]

    assert one == {"name": "app", "resources": {"claims": [{"name": "app-nvidia"}]}}


def test_claims_that_are_there_stay() -> None:
    resources = {"limits": {GPU: 1}, "claims": [{"name": "net"}]}
    own = {"name": "app-nvidia", "resourceClaimName": "mine"}
    spec = {"containers": [{"name": "app", "resources": resources}], "resourceClaims": [own]}
    found = claimed(spec, [need()], ("web",), "", ())
    local = found.spec["resourceClaims"][1]["name"]

    assert found.spec["resourceClaims"][0] == own
    assert local != "app-nvidia"
    assert found.spec["containers"][0]["resources"]["claims"] == [{"name": "net"}, {"name": local}]


def test_a_name_that_is_taken_is_not_used_again() -> None:
    spec = {"containers": [container({GPU: 1})]}
    (template,) = claimed(spec, [need()], ("web",), "", {"web-app-nvidia"}).templates

    assert template["metadata"]["name"].startswith("web-app-nvidia-")


def test_without_a_need_everything_stays() -> None:
    spec = {"containers": [container({"cpu": 1})]}

    assert claimed(spec, [], ("web",), "", ()).spec is spec
