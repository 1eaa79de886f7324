"""Pods that ask HAMi for cards, and what a cluster has for them."""

from collections.abc import Mapping
from typing import Any

from inventory.hami.surroundings import UNKNOWN, Card, Surroundings, by_driver
from inventory.hami.warnings.rules import warnings
from inventory.hami.warnings.warning import Code, ConversionWarning
from inventory.hami.webhook.configuration import NVIDIA_DRIVER, configured
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.kube.objects import Raw
from inventory.kube.quantity import parse

DEVICES = configured(("nvidia", "hygon", "ascend"))
ASCEND_DRIVER = "ascend.project-hami.io"
HYGON_DRIVER = "dra.hygon.com"
A100 = Card(NVIDIA_DRIVER, "n1", "hami-gpu-0", "NVIDIA A100-SXM4-80GB", "GPU-a", parse("80Gi"))
A100_SMALL = Card(NVIDIA_DRIVER, "n2", "hami-gpu-0", "NVIDIA A100-PCIE-40GB", "GPU-b", parse("40Gi"))
T4 = Card(NVIDIA_DRIVER, "n3", "hami-gpu-0", "Tesla T4", "GPU-c", parse("15Gi"))


def with_cards(*cards: Card) -> Surroundings:
    """A cluster of which nothing else is known."""
    return Surroundings(cards=by_driver(cards))


def container(limits: Mapping[str, Any] | None = None, name: str = "app", **fields: Any) -> Raw:
    return {
        "name": name,
        "image": "registry.example/app:1",
        "resources": {"limits": dict(limits or {})},
        **fields,
    }


def pod_of(*containers: Raw, annotations: Mapping[str, str] | None = None, **spec: Any) -> Raw:
    metadata: Raw = {"namespace": "ml", "name": "p"}
    if annotations is not None:
        metadata["annotations"] = dict(annotations)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**spec, "containers": [*containers]},
    }


def pod(limits: Mapping[str, Any], annotations: Mapping[str, str] | None = None, **spec: Any) -> Raw:
    return pod_of(container(limits), annotations=annotations, **spec)


def warned(
    one: Raw,
    surroundings: Surroundings = UNKNOWN,
    profile: Profile = Profile.V0_2_3,
    devices: Any = DEVICES,
) -> dict[Code, ConversionWarning]:
    """By code; a code that comes twice is there once."""
    found = warnings(one, mutate(one, devices, profile), devices, profile, surroundings)
    return {warning.code: warning for warning in found}


def codes(one: Raw, surroundings: Surroundings = UNKNOWN, profile: Profile = Profile.V0_2_3) -> set[Code]:
    return set(warned(one, surroundings, profile))
