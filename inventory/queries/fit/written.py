"""What a text asks: its claims, and its Pods or workloads with the claims that they name."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from inventory.dra.simulator.claims import Claim as Wanted
from inventory.dra.simulator.claims import SpecError, UnknownFieldError
from inventory.dra.simulator.claims import claim as wanted_claim
from inventory.dra.simulator.nodes import NodeSelectorError
from inventory.dra.simulator.pod_rules import pod_rules
from inventory.kube.manifests import Manifest, ManifestError, pod_of
from inventory.models import Claim, ClaimTemplate, Cluster, Namespace
from inventory.queries.fit.questions import Question, Subject, Wait, Waiting, template_spec, wanted

# Pods, workloads and claims in one text: each is a search of its own.
MOST_SUBJECTS = 32
_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")


class _Use(msgspec.Struct, frozen=True, rename="camel"):
    """An entry of a Pod's `spec.resourceClaims`."""

    name: str
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


def of_manifests(cluster: Cluster, objects: Sequence[Manifest], namespace: str) -> list[Question]:
    """Of each Pod or workload with its claims, and of each claim that no Pod of the text uses.

    What a Pod names and the text lacks is looked for in the cluster. Raises ManifestError.
    """
    written = _Written(cluster, objects, namespace)
    questions = [written.of_pod(one, pod) for one in objects if (pod := pod_of(one)) is not None]
    questions += [
        written.of_claim(one) for one in objects if one.kind in _CLAIMS and id(one) not in written.used
    ]
    if not questions:
        kinds = ", ".join(sorted({one.kind for one in objects}))
        raise ManifestError(f"expected claims, claim templates, Pods or workloads; found {kinds}")
    if len(questions) > MOST_SUBJECTS:
        raise ManifestError(
            f"{len(questions)} Pods and claims; at most {MOST_SUBJECTS} can be asked about at once"
        )
    return questions


class _Written:
    """The objects of a text, as its Pods refer to them. `used` has the identities of those that Pods name."""

    def __init__(self, cluster: Cluster, objects: Sequence[Manifest], namespace: str) -> None:
        self._cluster, self._namespace = cluster, namespace
        self._objects = {(one.kind, one.namespace or namespace, one.name): one for one in objects}
        self.used: set[int] = set()

    def of_claim(self, one: Manifest) -> Question:
        asked = self._asked(one)
        return Question(self._subject(one), (asked,), unmade=(asked,) if self._is_unmade(one) else ())

    def of_pod(self, one: Manifest, pod: Mapping[str, Any]) -> Question:
        subject = self._subject(one)
        spec = pod.get("spec")
        if not isinstance(spec, dict):
            raise ManifestError(f"{_told(subject)}: expected a Pod with a spec")
        claims: list[Wanted] = []
        unmade: list[Wanted] = []
        allocated: dict[str, Mapping[str, Any]] = {}
        for use in _uses(subject, spec):
            self._add(subject, use, claims, unmade, allocated)
        try:
            rules = pod_rules(spec, {name: selector for name, selector in allocated.items() if selector})
        except NodeSelectorError as error:
            raise ManifestError(f"{_told(subject)}: {error}") from error
        wait = None if claims else Wait(Waiting.NOTHING)
        return Question(subject, tuple(claims), rules, wait, tuple(allocated), tuple(unmade))

    def _add(
        self,
        subject: Subject,
        use: _Use,
        claims: list[Wanted],
        unmade: list[Wanted],
        allocated: dict[str, Mapping[str, Any]],
    ) -> None:
        """The claim of one use: of the text, or else of the cluster."""
        kind, name = _reference(subject, use)
        found = self._objects.get((kind, subject.namespace, name))
        if found is not None:
            self.used.add(id(found))
            asked = self._asked(found)
            made = not self._is_unmade(found)
        elif kind == "ResourceClaim":
            row = self._row(subject, Claim, kind, name)
            if "allocated" in row.state:
                allocated[row.name] = row.node_selector or {}
                return
            asked, made = wanted(row), True
        else:
            template = self._row(subject, ClaimTemplate, kind, name)
            asked, made = wanted_claim(subject.namespace, name, template_spec(template.spec)), False
        claims.append(asked)
        if not made:
            unmade.append(asked)

    def _subject(self, one: Manifest) -> Subject:
        return Subject(one.kind, one.namespace or self._namespace, one.name)

    def _asked(self, one: Manifest) -> Wanted:
        subject, spec = self._subject(one), one.raw.get("spec")
        if one.kind == "ResourceClaimTemplate" and isinstance(spec, dict):
            spec = spec.get("spec")
        if not isinstance(spec, dict):
            raise ManifestError(f"{_told(subject)}: expected a claim with a spec")
        try:
            return wanted_claim(subject.namespace, subject.name or one.kind, spec)
        except (SpecError, UnknownFieldError) as error:
            raise ManifestError(f"{_told(subject)}: {error}") from error

    def _is_unmade(self, one: Manifest) -> bool:
        """A template stands for a claim that comes; a claim of the text may be one of the cluster."""
        subject = self._subject(one)
        known = Claim.objects.filter(
            cluster=self._cluster, namespace__name=subject.namespace, name=subject.name
        )
        return one.kind == "ResourceClaimTemplate" or not known.exists()

    def _row(self, subject: Subject, model: Any, kind: str, name: str) -> Any:
        scope = Namespace.objects.filter(cluster=self._cluster, name=subject.namespace)
        rows = model.objects.filter(namespace__in=scope, name=name).select_related("namespace")
        if (row := rows.order_by("pk").last()) is None:
            raise ManifestError(
                f"{_told(subject)}: {kind} {subject.namespace}/{name} is neither in the text "
                f"nor in cluster {self._cluster.name}"
            )
        return row


def _told(subject: Subject) -> str:
    return f"{subject.kind} {subject.namespace}/{subject.name}" if subject.name else subject.kind


def _uses(subject: Subject, spec: Mapping[str, Any]) -> list[_Use]:
    try:
        return msgspec.convert(spec.get("resourceClaims") or [], list[_Use])
    except msgspec.ValidationError as error:
        told = str(error).replace("`$", "`")
        raise ManifestError(f"{_told(subject)}: spec.resourceClaims: {told}") from error


def _reference(subject: Subject, use: _Use) -> tuple[str, str]:
    """The kind and name of what a use names."""
    given = [name for name in (use.resource_claim_name, use.resource_claim_template_name) if name]
    if len(given) != 1:
        raise ManifestError(
            f"{_told(subject)}: spec.resourceClaims[{use.name}]: expected either resourceClaimName "
            "or resourceClaimTemplateName"
        )
    return ("ResourceClaim" if use.resource_claim_name else "ResourceClaimTemplate"), given[0]
