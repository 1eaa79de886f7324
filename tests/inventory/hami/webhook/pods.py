"""Pods as the tests hand them to the webhook."""

from typing import Any

from inventory.hami.converted import Mutation
from inventory.hami.webhook.configuration import VENDORS, configured
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.profiles import Profile
from inventory.kube.objects import Raw

DEVICES = configured(VENDORS)


def container(limits: Raw | None = None, *, name: str = "app", **resources: Any) -> Raw:
    return {"name": name, "image": "app:1", "resources": {"limits": limits or {}, **resources}}


def pod(*containers: Raw, annotations: Raw | None = None, name: str = "p", **spec: Any) -> Raw:
    metadata: Raw = {"namespace": "ml", "name": name}
    if annotations is not None:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": list(containers), **spec},
    }


def converted(given: Raw, profile: Profile = Profile.V0_2_3, **options: Any) -> Mutation:
    return mutate(given, DEVICES, profile, **options)


def exactly(mutation: Mutation, index: int = 0) -> Raw:
    (request,) = mutation.claims[index].raw["spec"]["devices"]["requests"]
    found: Raw = request["exactly"]
    return found


def selectors(mutation: Mutation, index: int = 0) -> list[str]:
    return [one["cel"]["expression"] for one in exactly(mutation, index)["selectors"]]
