"""Small clusters with what the scheduler looks at, and questions to them."""

from typing import Any

from demo.store import Object, Store
from inventory.models import Cluster, Namespace
from inventory.queries.fit import answers
from inventory.queries.fit.answers import FitRow
from inventory.viewer import EVERYTHING
from tests.inventory.sync.objects import DRA, HAMI, card, named, resource_slice, store


def cluster_of(*objects: Object, cards: int = 2) -> Store:
    """Node-1 with some cards, the class that finds them, and a namespace for the Pods."""
    devices = [card(f"hami-gpu-{number}") for number in range(cards)]
    return store(
        named("v1", "Namespace", "team-a"),
        node("node-1"),
        named(DRA, "DeviceClass", HAMI, spec={"extendedResourceName": "nvidia.com/gpu"}),
        resource_slice(*devices),
        *objects,
    )


def node(name: str, *, labels: dict[str, str] | None = None, **spec: Any) -> Object:
    return named("v1", "Node", name, metadata={"labels": labels or {}}, spec=spec, status={})


def asks(**exactly: Any) -> Object:
    """The spec of a claim with one request."""
    return {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": HAMI, **exactly}}]}}


def wanting(memory: str, name: str = "c", **fields: Any) -> Object:
    spec = asks(capacity={"requests": {"memory": memory, "cores": "10"}})
    return named(DRA, "ResourceClaim", name, "team-a", spec=spec, status={}, **fields)


def template(name: str, **exactly: Any) -> Object:
    return named(DRA, "ResourceClaimTemplate", name, "team-a", spec={"spec": asks(**exactly)})


def waiting_pod(name: str, *uses: dict[str, str], **spec: Any) -> Object:
    """A Pod without a node; a use is a claim's or a template's name, by the field that names it."""
    claims = [{"name": f"use-{position}", **use} for position, use in enumerate(uses)]
    pod_spec = {"containers": [{"name": "app"}], "resourceClaims": claims, **spec}
    return named("v1", "Pod", name, "team-a", spec=pod_spec, status={"phase": "Pending"})


def of(name: str) -> dict[str, str]:
    return {"resourceClaimName": name}


def from_template(name: str) -> dict[str, str]:
    return {"resourceClaimTemplateName": name}


def ask(name: str, cluster: Cluster | None = None) -> FitRow:
    """About the claim or Pod of this name, of the only cluster if none is given."""
    found = cluster or Namespace.objects.get(name="team-a").cluster
    return answers.of_name(found, "team-a", name, viewer=EVERYTHING)


def places(row: FitRow) -> list[str]:
    """`claim: device` of the first node on which it fits."""
    return [f"{one.claim}: {one.device}" for one in row.fits[0].placements]
