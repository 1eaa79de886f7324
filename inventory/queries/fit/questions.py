"""What is asked: the claims that one Pod still needs, and the nodes that it may go to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inventory.dra.simulator.claims import Claim as Wanted
from inventory.dra.simulator.claims import claim as wanted_claim
from inventory.dra.simulator.pod_rules import PodRules, pod_rules
from inventory.models import Claim, ClaimTemplate, Pod, PodClaim
from inventory.models.pods import FINISHED
from inventory.models.visibility import is_visible
from inventory.viewer import Viewer

# Stands for the name of a claim that the viewer may not see, though a Pod that he sees uses it.
WITHHELD = "(another team's claim)"
# Of a Pod that the kubelet has not started.
_NOT_STARTED = ("", "Pending")


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
    # The Pod came with its node: the scheduler never looks at it, and nobody else allocates.
    BYPASSED = "bypassed"
    # A claim is being deleted: no Pod gets it any more.
    DELETION = "deletion"
    # Its namespace has no quota left for the claim.
    QUOTA = "quota"
    # Nothing is left to do: everything is allocated, or the Pod has ended.
    NOTHING = "nothing"


class Wait(msgspec.Struct, frozen=True):
    """`names` are the claims, templates, gates, quotas or Pods that it hangs on.

    `detail` says more of a quota, and the node of a Pod that bypasses the scheduler.
    """

    waiting: Waiting
    names: tuple[str, ...] = ()
    detail: str = ""


class Question(msgspec.Struct, frozen=True):
    """`rules` is None where no Pod is known. `allocated` claims of the Pod are not placed again.

    `unmade` are those of the claims that are not in the cluster yet, `unknown` the names of those of which
    not even a template is. `replaced` are claims of the cluster, by their number, that are asked about anew:
    what they hold is free then.
    """

    subject: Subject
    claims: tuple[Wanted, ...]
    rules: PodRules | None = None
    wait: Wait | None = None
    allocated: tuple[str, ...] = ()
    unmade: tuple[Wanted, ...] = ()
    unknown: tuple[str, ...] = ()
    replaced: Mapping[int, str] = {}


def of_claim(claim: Claim, *, viewer: Viewer) -> Question:
    """Of one for which no Pod waits. Raises SpecError and UnknownFieldError."""
    subject = Subject("ResourceClaim", claim.namespace.name, claim.name)
    if claim.deleted_at is not None:
        return Question(subject, (), wait=Wait(Waiting.DELETION, (claim.name,)))
    if claim.state != Claim.State.PENDING:
        return Question(subject, (), wait=Wait(Waiting.NOTHING, (claim.name,)), allocated=(claim.name,))
    return Question(subject, (wanted(claim),), wait=_of_its_pods(claim, viewer))


def _of_its_pods(claim: Claim, viewer: Viewer) -> Wait:
    pods = Pod.objects.visible_to(viewer)
    pods = pods.filter(pk__in=PodClaim.objects.filter(claim=claim).values("pod"), deleted_at=None)
    placed = pods.exclude(node=None).filter(phase__in=_NOT_STARTED).order_by("name")
    found = list(placed.values_list("name", "node__name"))
    if not found:
        return Wait(Waiting.CONSUMER, (claim.name,))
    nodes = sorted({node for _, node in found})
    return Wait(Waiting.BYPASSED, tuple(name for name, _ in found), ", ".join(nodes))


def of_pod(pod: Pod, *, viewer: Viewer) -> Question:
    """All claims that it has not got yet, in the order of its spec.

    Raises SpecError, UnknownFieldError and NodeSelectorError.
    """
    subject = Subject("Pod", pod.namespace.name, pod.name)
    if _is_over(pod):
        return Question(subject, (), wait=Wait(Waiting.NOTHING))
    uses = list(PodClaim.objects.filter(pod=pod).select_related("claim__namespace").order_by("position"))
    found = [use.claim for use in uses if use.claim is not None]
    if doomed := tuple(_shown(one, viewer) for one in found if one.deleted_at is not None):
        return Question(subject, (), wait=Wait(Waiting.DELETION, doomed))
    allocated = [one for one in found if "allocated" in one.state]
    missing = [use for use in uses if use.claim is None]
    unmade = _unmade(pod, missing)
    needed = (
        unmade.get(use.pk) if use.claim is None else _wanted_of_pod(use.claim, viewer)
        for use in uses
        if use.claim is None or "allocated" not in use.claim.state
    )
    claims = tuple(one for one in needed if one is not None)
    node = pod.node.name if pod.node else ""
    return Question(
        subject,
        claims,
        pod_rules(
            {**pod.node_rules, "nodeName": node},
            {_shown(one, viewer): one.node_selector for one in allocated if one.node_selector},
        ),
        _wait(pod, node, missing) if claims or missing else gated(pod.node_rules) or Wait(Waiting.NOTHING),
        tuple(_shown(one, viewer) for one in allocated),
        tuple(unmade.values()),
        tuple(_name(use) for use in missing if use.pk not in unmade),
    )


def _is_over(pod: Pod) -> bool:
    """It needs no device any more, or has what it needs: the kubelet starts no Pod without its claims."""
    runs = pod.node is not None and pod.phase not in _NOT_STARTED
    return runs or pod.phase in FINISHED or pod.deleted_at is not None


def _wait(pod: Pod, node: str, missing: Sequence[PodClaim]) -> Wait | None:
    if node:
        return Wait(Waiting.BYPASSED, (pod.name,), node)
    if missing:
        return Wait(Waiting.CLAIM, tuple(map(_name, missing)))
    return gated(pod.node_rules)


def gated(spec: Mapping[str, Any]) -> Wait | None:
    """For the gates of a Pod's spec to be taken away."""
    gates = tuple(_gates(spec.get("schedulingGates")))
    return Wait(Waiting.GATES, gates) if gates else None


def _gates(listed: Any) -> Iterator[str]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            yield str(one.get("name", ""))


def wanted(claim: Claim) -> Wanted:
    return wanted_claim(claim.namespace.name, claim.name, claim.spec)


def _wanted_of_pod(claim: Claim, viewer: Viewer) -> Wanted:
    return wanted_claim(claim.namespace.name, _shown(claim, viewer), claim.spec)


def _shown(claim: Claim, viewer: Viewer) -> str:
    return claim.name if is_visible(claim, viewer) else WITHHELD


def _name(use: PodClaim) -> str:
    """Of the claim or template that it waits for."""
    return use.template_name or use.claim_name or use.name


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
