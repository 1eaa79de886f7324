"""What is asked: the claims that one Pod still needs, and the nodes that it may go to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inventory.dra.simulator.claims import Claim as Wanted
from inventory.dra.simulator.claims import claim as wanted_claim
from inventory.dra.simulator.pod_rules import PodRules, pod_rules
from inventory.models import Claim, ClaimTemplate, Cluster, Pod, PodClaim
from inventory.models.pods import FINISHED


class SubjectError(ValueError):
    """There is nothing to ask about; the message says what was looked for."""


class Subject(msgspec.Struct, frozen=True):
    """Who asks: a Pod, or a claim without one."""

    kind: str
    namespace: str
    name: str


class Waiting(StrEnum):
    """What has to happen before the scheduler looks for devices at all."""

    # A claim is allocated only once a Pod that uses it is scheduled.
    CONSUMER = "consumer"
    # The controller has not made the claim of a template yet.
    CLAIM = "claim"
    # The Pod has scheduling gates: the scheduler does not look at it.
    GATES = "gates"
    # A claim is being deleted: no Pod gets it any more.
    DELETION = "deletion"
    # Its namespace has no quota left for the claim.
    QUOTA = "quota"
    # Nothing is left to do: everything is allocated.
    NOTHING = "nothing"


class Wait(msgspec.Struct, frozen=True):
    """`names` are the claims, templates or quotas that it hangs on; `detail` says more of a quota."""

    waiting: Waiting
    names: tuple[str, ...] = ()
    detail: str = ""


class Question(msgspec.Struct, frozen=True):
    """`rules` is None where no Pod is known. `allocated` claims of the Pod are not placed again.

    `unmade` are those of the claims that are not in the cluster yet.
    """

    subject: Subject
    claims: tuple[Wanted, ...]
    rules: PodRules | None = None
    wait: Wait | None = None
    allocated: tuple[str, ...] = ()
    unmade: tuple[Wanted, ...] = ()


def of_claim(claim: Claim) -> Question:
    """For the first of its Pods that has no node yet; its other claims go with it.

    Raises SpecError, UnknownFieldError and NodeSelectorError.
    """
    if claim.deleted_at is not None:
        subject = Subject("ResourceClaim", claim.namespace.name, claim.name)
        return Question(subject, (), wait=Wait(Waiting.DELETION, (claim.name,)))
    pods = Pod.objects.filter(pod_claims__claim=claim).select_related("namespace", "node")
    waiting = pods.filter(node=None, deleted_at=None).exclude(phase__in=FINISHED)
    if claim.state == Claim.State.PENDING and (pod := waiting.order_by("name").first()) is not None:
        return of_pod(pod)
    subject = Subject("ResourceClaim", claim.namespace.name, claim.name)
    if claim.state != Claim.State.PENDING:
        return Question(subject, (), wait=Wait(Waiting.NOTHING, (claim.name,)), allocated=(claim.name,))
    return Question(subject, (wanted(claim),), wait=Wait(Waiting.CONSUMER, (claim.name,)))


def of_pod(pod: Pod) -> Question:
    """All claims that it has not got yet, in the order of its spec.

    Raises SpecError, UnknownFieldError and NodeSelectorError.
    """
    uses = list(PodClaim.objects.filter(pod=pod).select_related("claim__namespace").order_by("position"))
    found = [use.claim for use in uses if use.claim is not None]
    subject = Subject("Pod", pod.namespace.name, pod.name)
    if doomed := tuple(one.name for one in found if one.deleted_at is not None):
        return Question(subject, (), wait=Wait(Waiting.DELETION, doomed))
    allocated = [one for one in found if "allocated" in one.state]
    missing = [use for use in uses if use.claim is None]
    unmade = _unmade(pod, missing)
    needed = (
        unmade.get(use.pk) if use.claim is None else wanted(use.claim)
        for use in uses
        if use.claim is None or "allocated" not in use.claim.state
    )
    claims = tuple(one for one in needed if one is not None)
    rules = pod_rules(
        {**pod.node_rules, "nodeName": pod.node.name if pod.node else ""},
        {one.name: one.node_selector for one in allocated if one.node_selector},
    )
    gates = tuple(_gates(pod.node_rules.get("schedulingGates")))
    wait = Wait(Waiting.GATES, gates) if gates else None if claims else Wait(Waiting.NOTHING)
    return Question(
        subject,
        claims,
        rules,
        _wait(missing) if missing else wait,
        tuple(one.name for one in allocated),
        tuple(unmade.values()),
    )


def _gates(listed: Any) -> Iterator[str]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            yield str(one.get("name", ""))


def wanted(claim: Claim) -> Wanted:
    return wanted_claim(claim.namespace.name, claim.name, claim.spec)


def _wait(missing: Sequence[PodClaim]) -> Wait:
    return Wait(Waiting.CLAIM, tuple(use.template_name or use.claim_name or use.name for use in missing))


def _unmade(pod: Pod, missing: Iterable[PodClaim]) -> dict[int, Wanted]:
    """What the claims would ask for that are still to be made from their templates, by the Pod's use."""
    names = {use.template_name for use in missing if use.template_name}
    templates = {
        one.name: one for one in ClaimTemplate.objects.filter(namespace=pod.namespace, name__in=names)
    }
    return {
        use.pk: wanted_claim(
            pod.namespace.name, use.template_name, template_spec(templates[use.template_name].spec)
        )
        for use in missing
        if use.template_name in templates
    }


def template_spec(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = spec.get("spec")
    return inner if isinstance(inner, dict) else {}


def named(cluster: Cluster, namespace: str, name: str) -> Claim | Pod:
    """The claim of this name, or else the Pod. Raises SubjectError."""
    where = {"cluster": cluster, "namespace__name": namespace, "name": name}
    claims = Claim.objects.filter(**where).select_related("cluster", "namespace")
    if (claim := claims.order_by("-created_at").first()) is not None:
        return claim
    pods = Pod.objects.filter(**where).select_related("cluster", "namespace", "node")
    if (pod := pods.order_by("-created_at").first()) is not None:
        return pod
    raise SubjectError(f"neither a claim nor a Pod {namespace}/{name} is in cluster {cluster.name}")
