"""Whom a question is about: a cluster, a claim or Pod by its name, and the Pods that wait for a claim."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal

import msgspec

from inventory.models import Claim, Cluster, Pod, PodClaim
from inventory.models.pods import FINISHED
from inventory.viewer import Viewer

Kind = Literal["ResourceClaim", "Pod"]
# No more Pods can use one claim (ResourceClaimReservedForMaxSize).
MOST_PODS = 256
_CLUSTERS_NAMED = 20


class SubjectError(ValueError):
    """There is nothing to ask about; the message says what was looked for."""


class ClusterChoiceError(ValueError):
    """It is not clear which cluster is meant; the message says which there are."""


def cluster_named(name: str | None) -> Cluster:
    """The cluster of this name; without one, the only cluster. Raises ClusterChoiceError."""
    found = list(Cluster.objects.filter(name=name) if name is not None else Cluster.objects.all()[:2])
    if len(found) == 1:
        return found[0]
    known = list(Cluster.objects.values_list("name", flat=True)[: _CLUSTERS_NAMED + 1])
    if not known:
        raise ClusterChoiceError("no cluster is kept yet")
    told = ", ".join([*known[:_CLUSTERS_NAMED], *(["…"] if len(known) > _CLUSTERS_NAMED else [])])
    wrong = "there are several clusters, name one" if name is None else f"there is no cluster {name}"
    raise ClusterChoiceError(f"{wrong}; known: {told}")


def named(
    cluster: Cluster, namespace: str, name: str, kind: Kind | None = None, *, viewer: Viewer
) -> Claim | Pod:
    """Of the kind; without one, the claim of this name or else the Pod. Raises SubjectError.

    What the viewer may not see is not there.
    """
    where = {"cluster": cluster, "namespace__name": namespace, "name": name}
    if kind != "Pod":
        claims = Claim.objects.visible_to(viewer).filter(**where).select_related("cluster", "namespace")
        if (claim := claims.order_by("-created_at").first()) is not None:
            return claim
    if kind != "ResourceClaim":
        pods = Pod.objects.visible_to(viewer).filter(**where).select_related("cluster", "namespace", "node")
        if (pod := pods.order_by("-created_at").first()) is not None:
            return pod
    sought = "neither a claim nor a Pod" if kind is None else f"no {kind}"
    raise SubjectError(f"{sought} {namespace}/{name} is in cluster {cluster.name}")


class Waiters(msgspec.Struct, frozen=True):
    """The Pods that wait for a claim, `pods` in all: those that ask the same together, the first by name.

    Only those that the viewer may see.
    """

    pods: int
    alike: tuple[tuple[Pod, ...], ...]


def waiters(claim: Claim, most: int, *, viewer: Viewer) -> Waiters:
    """Of no more than the `most` kinds of Pods that ask something different."""
    if claim.state != Claim.State.PENDING or claim.deleted_at is not None:
        return Waiters(0, ())
    users = PodClaim.objects.filter(claim=claim).values("pod")
    pods = Pod.objects.visible_to(viewer).filter(pk__in=users, node=None, deleted_at=None)
    pods = pods.exclude(phase__in=FINISHED)
    found = list(
        pods.order_by("name")
        .select_related("cluster", "namespace", "node")
        .prefetch_related("pod_claims")[: MOST_PODS + 1]
    )
    count = len(found) if len(found) <= MOST_PODS else pods.count()
    return Waiters(count, tuple(islice(_alike(found[:MOST_PODS]), most)))


def _alike(pods: Sequence[Pod]) -> Iterable[tuple[Pod, ...]]:
    groups: defaultdict[bytes, list[Pod]] = defaultdict(list)
    for pod in pods:
        groups[_asked(pod)].append(pod)
    return map(tuple, groups.values())


def _asked(pod: Pod) -> bytes:
    """What of a Pod decides where it goes: its rules, and its claims in their order."""
    uses = sorted(pod.pod_claims.all(), key=lambda use: (use.position, use.pk))
    claims = [(use.claim_id, "" if use.claim_id else use.template_name or use.claim_name) for use in uses]
    return msgspec.json.encode((pod.node_rules, claims), order="sorted")
