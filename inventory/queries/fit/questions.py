"""What is asked: the claims that one Pod still needs, and the nodes that it may go to."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inventory.dra.simulator.claims import Claim as Wanted
from inventory.dra.simulator.claims import claim as wanted_claim
from inventory.dra.simulator.pod_rules import PodRules, pod_rules
from inventory.kube.manifests import Manifest, pod_of
from inventory.models import Claim, ClaimTemplate, Cluster, Namespace, Pod, PodClaim
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
    """`rules` is None where no Pod is known. `allocated` claims of the Pod are not placed again."""

    subject: Subject
    claims: tuple[Wanted, ...]
    rules: PodRules | None = None
    wait: Wait | None = None
    allocated: tuple[str, ...] = ()


def of_claim(claim: Claim) -> Question:
    """For the first of its Pods that has no node yet; its other claims go with it.

    Raises SpecError, UnknownFieldError and NodeSelectorError.
    """
    pods = Pod.objects.filter(pod_claims__claim=claim).select_related("namespace", "node")
    waiting = pods.filter(node=None, deleted_at=None).exclude(phase__in=FINISHED)
    if claim.state == Claim.State.PENDING and (pod := waiting.order_by("name").first()) is not None:
        return of_pod(pod)
    subject = Subject("ResourceClaim", claim.namespace.name, claim.name)
    if claim.state != Claim.State.PENDING:
        return Question(subject, (), wait=Wait(Waiting.NOTHING, (claim.name,)), allocated=(claim.name,))
    return Question(subject, (_wanted(claim),), wait=Wait(Waiting.CONSUMER, (claim.name,)))


def of_pod(pod: Pod) -> Question:
    """All claims that it has not got yet, in the order of its spec.

    Raises SpecError, UnknownFieldError and NodeSelectorError.
    """
    uses = list(PodClaim.objects.filter(pod=pod).select_related("claim__namespace").order_by("position"))
    found = [use.claim for use in uses if use.claim is not None]
    allocated = [one for one in found if "allocated" in one.state]
    missing = [use for use in uses if use.claim is None]
    claims = [_wanted(one) for one in found if "allocated" not in one.state]
    claims += _unmade(pod, missing)
    rules = pod_rules(
        {**pod.node_rules, "nodeName": pod.node.name if pod.node else ""},
        {one.name: one.node_selector for one in allocated if one.node_selector},
    )
    return Question(
        Subject("Pod", pod.namespace.name, pod.name),
        tuple(claims),
        rules,
        _wait(missing) if missing else None if claims else Wait(Waiting.NOTHING),
        tuple(one.name for one in allocated),
    )


def _wanted(claim: Claim) -> Wanted:
    return wanted_claim(claim.namespace.name, claim.name, claim.spec)


def _wait(missing: Sequence[PodClaim]) -> Wait:
    return Wait(Waiting.CLAIM, tuple(use.template_name or use.claim_name or use.name for use in missing))


def _unmade(pod: Pod, missing: Iterable[PodClaim]) -> list[Wanted]:
    """What the claims would ask for that are still to be made from their templates."""
    names = {use.template_name for use in missing if use.template_name}
    templates = {
        one.name: one for one in ClaimTemplate.objects.filter(namespace=pod.namespace, name__in=names)
    }
    return [
        wanted_claim(pod.namespace.name, use.template_name, _template_spec(templates[use.template_name].spec))
        for use in missing
        if use.template_name in templates
    ]


def _template_spec(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = spec.get("spec")
    return inner if isinstance(inner, dict) else {}


def named(cluster: Cluster, namespace: str, name: str) -> Question:
    """Of the claim of this name, or else the Pod. Raises SubjectError and what `of_claim` raises."""
    claim = Claim.objects.filter(cluster=cluster, namespace__name=namespace, name=name).select_related(
        "namespace"
    )
    if (found := claim.order_by("-created_at").first()) is not None:
        return of_claim(found)
    pods = Pod.objects.filter(cluster=cluster, namespace__name=namespace, name=name)
    if (pod := pods.select_related("namespace", "node").order_by("-created_at").first()) is not None:
        return of_pod(pod)
    raise SubjectError(f"neither a claim nor a Pod {namespace}/{name} is in cluster {cluster.name}")


def of_manifests(cluster: Cluster, objects: Sequence[Manifest], namespace: str) -> list[Question]:
    """Of each Pod or workload with its claims, and of each claim that no Pod of the text uses.

    What a Pod names and the text lacks is looked for in the cluster. Raises SubjectError, SpecError,
    UnknownFieldError and NodeSelectorError.
    """
    written = _Written(cluster, objects, namespace)
    questions = [written.of_pod(one, pod) for one in objects if (pod := pod_of(one)) is not None]
    questions += [
        Question(Subject(one.kind, one.namespace or namespace, one.name), (written.claim(one),))
        for one in objects
        if one.kind in ("ResourceClaim", "ResourceClaimTemplate") and one not in written.used
    ]
    if not questions:
        kinds = ", ".join(sorted({one.kind for one in objects}))
        raise SubjectError(f"expected claims, claim templates, Pods or workloads; found {kinds}")
    return questions


class _Written:
    """The objects of a text, as its Pods refer to them."""

    def __init__(self, cluster: Cluster, objects: Sequence[Manifest], namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace
        self._objects = {(one.kind, one.namespace or namespace, one.name): one for one in objects}
        self.used: list[Manifest] = []

    def claim(self, one: Manifest) -> Wanted:
        spec = one.raw.get("spec")
        if one.kind == "ResourceClaimTemplate" and isinstance(spec, dict):
            spec = spec.get("spec")
        name = one.name or one.kind
        return wanted_claim(one.namespace or self._namespace, name, spec if isinstance(spec, dict) else {})

    def of_pod(self, one: Manifest, pod: Mapping[str, Any]) -> Question:
        spec = pod.get("spec")
        if not isinstance(spec, dict):
            raise SubjectError(f"{one.kind} {one.name}: expected a Pod with a spec")
        namespace = one.namespace or self._namespace
        claims: list[Wanted] = []
        allocated: dict[str, Mapping[str, Any]] = {}
        for entry in spec.get("resourceClaims") or ():
            self._add(namespace, entry, claims, allocated)
        subject = Subject(one.kind, namespace, one.name)
        rules = pod_rules(spec, {name: selector for name, selector in allocated.items() if selector})
        wait = None if claims else Wait(Waiting.NOTHING)
        return Question(subject, tuple(claims), rules, wait, tuple(allocated))

    def _add(
        self,
        namespace: str,
        entry: Any,
        claims: list[Wanted],
        allocated: dict[str, Mapping[str, Any]],
    ) -> None:
        entry = entry if isinstance(entry, dict) else {}
        name, template = entry.get("resourceClaimName"), entry.get("resourceClaimTemplateName")
        kind = "ResourceClaim" if name else "ResourceClaimTemplate"
        found = self._objects.get((kind, namespace, str(name or template)))
        if found is not None:
            self.used.append(found)
            claims.append(self.claim(found))
            return
        if name:
            row = self._row(Claim, namespace, str(name))
            if "allocated" in row.state:
                allocated[row.name] = row.node_selector or {}
            else:
                claims.append(_wanted(row))
            return
        made = self._row(ClaimTemplate, namespace, str(template))
        claims.append(wanted_claim(namespace, made.name, _template_spec(made.spec)))

    def _row(self, model: Any, namespace: str, name: str) -> Any:
        scope = Namespace.objects.filter(cluster=self._cluster, name=namespace)
        rows = model.objects.filter(namespace__in=scope, name=name).select_related("namespace")
        if (row := rows.order_by("pk").last()) is None:
            what = "ResourceClaim" if model is Claim else "ResourceClaimTemplate"
            raise SubjectError(
                f"{what} {namespace}/{name} is neither in the text nor in cluster {self._cluster.name}"
            )
        return row
