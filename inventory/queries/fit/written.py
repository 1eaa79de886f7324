"""What a text asks: its claims, and its Pods or workloads with the claims that they name."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from inventory.dra.simulator.claims import Claim as Wanted
from inventory.dra.simulator.claims import SpecError, UnknownFieldError
from inventory.dra.simulator.claims import claim as wanted_claim
from inventory.dra.simulator.nodes import NodeSelectorError
from inventory.dra.simulator.pod_rules import PodRules, pod_rules
from inventory.kube.manifests import Manifest, ManifestError, pod_of
from inventory.models import Claim, ClaimTemplate, Cluster, DeviceClass, Namespace
from inventory.queries.fit.questions import Question, Subject, Wait, Waiting, gated, template_spec, wanted
from inventory.queries.fit.unread import unread
from inventory.viewer import Viewer

# Pods, workloads and claims in one text: each is a search of its own.
MOST_SUBJECTS = 32
# Claims of one Pod; each is looked for.
_MOST_USES = 64
_CLAIMS = {"ResourceClaim": "resourceclaims", "ResourceClaimTemplate": "resourceclaimtemplates"}
# The name of a class as a resource where it has no other (ResourceDeviceClassPrefix).
_IMPLICIT = "deviceclass.resource.kubernetes.io/"


class _Use(msgspec.Struct, frozen=True, rename="camel"):
    """An entry of a Pod's `spec.resourceClaims`."""

    name: str
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class _Needs(msgspec.Struct):
    """The claims of one Pod, as a question has them."""

    claims: list[Wanted] = []
    unmade: list[Wanted] = []
    allocated: dict[str, Mapping[str, Any]] = {}
    replaced: dict[int, str] = {}


def of_manifests(
    cluster: Cluster, objects: Sequence[Manifest], namespace: str, *, viewer: Viewer
) -> list[Question]:
    """Of each Pod or workload with its claims, and of each claim that no Pod of the text uses.

    What a Pod names and the text lacks is looked for in the cluster, as far as the viewer may see it. Raises
    ManifestError.
    """
    written = _Written(cluster, objects, namespace, viewer)
    pods = [(one, pod) for one in objects if (pod := pod_of(one)) is not None]
    _limited(len(pods))
    questions = [written.of_pod(one, pod) for one, pod in pods]
    questions += [
        written.of_claim(one) for one in objects if one.kind in _CLAIMS and id(one) not in written.used
    ]
    if not questions:
        kinds = ", ".join(sorted({one.kind for one in objects}))
        raise ManifestError(f"expected claims, claim templates, Pods or workloads; found {kinds}")
    _limited(len(questions))
    return questions


def _limited(subjects: int) -> None:
    if subjects > MOST_SUBJECTS:
        raise ManifestError(f"{subjects} Pods and claims; at most {MOST_SUBJECTS} can be asked about at once")


class _Written:
    """The objects of a text, as its Pods refer to them. `used` has the identities of those that Pods name."""

    def __init__(self, cluster: Cluster, objects: Sequence[Manifest], namespace: str, viewer: Viewer) -> None:
        self._cluster, self._namespace, self._viewer = cluster, namespace, viewer
        self._objects = {(one.kind, one.namespace or namespace, one.name): one for one in objects}
        self.used: set[int] = set()

    def of_claim(self, one: Manifest) -> Question:
        needs = _Needs()
        self._add_written(one, needs)
        wait = None if needs.claims else Wait(Waiting.NOTHING, tuple(needs.allocated))
        return self._question(self._subject(one), needs, None, wait)

    def of_pod(self, one: Manifest, pod: Mapping[str, Any]) -> Question:
        subject = self._subject(one)
        spec = pod.get("spec")
        if not isinstance(spec, dict):
            raise ManifestError(f"{_told(subject)}: expected a Pod with a spec")
        self._refuse_extended(subject, spec)
        needs = _Needs()
        for use in _uses(subject, spec):
            self._add(subject, use, needs)
        try:
            rules = pod_rules(spec, {name: bound for name, bound in needs.allocated.items() if bound})
        except NodeSelectorError as error:
            raise ManifestError(f"{_told(subject)}: {error}") from error
        wait = _wait(subject, rules, spec) if needs.claims else Wait(Waiting.NOTHING)
        return self._question(subject, needs, rules, wait)

    @staticmethod
    def _question(subject: Subject, needs: _Needs, rules: PodRules | None, wait: Wait | None) -> Question:
        return Question(
            subject,
            tuple(needs.claims),
            rules,
            wait,
            tuple(needs.allocated),
            tuple(needs.unmade),
            replaced=needs.replaced,
        )

    def _add(self, subject: Subject, use: _Use, needs: _Needs) -> None:
        """The claim of one use: of the text, or else of the cluster."""
        kind, name = _reference(subject, use)
        found = self._objects.get((kind, subject.namespace, name))
        if found is not None:
            self.used.add(id(found))
            self._add_written(found, needs)
        elif kind == "ResourceClaim":
            row = self._row(subject, Claim, kind, name)
            if row.deleted_at is not None:
                raise ManifestError(f"{_told(subject)}: {kind} {row.name} is being deleted")
            if "allocated" in row.state:
                needs.allocated[row.name] = row.node_selector or {}
            else:
                needs.claims.append(self._of_cluster(subject, row.name, row.spec))
        else:
            template = self._row(subject, ClaimTemplate, kind, name)
            asked = self._of_cluster(subject, name, template_spec(template.spec))
            needs.claims.append(asked)
            needs.unmade.append(asked)

    def _add_written(self, one: Manifest, needs: _Needs) -> None:
        """A claim of the cluster that is allocated as the text has it stays; any other makes room for it."""
        asked, row = self._asked(one), self._made(one)
        if row is not None and "allocated" in row.state:
            if row.deleted_at is None and _asks(row, asked):
                needs.allocated[row.name] = row.node_selector or {}
                return
            needs.replaced[row.pk] = row.name
        needs.claims.append(asked)
        if row is None:
            needs.unmade.append(asked)

    def _refuse_extended(self, subject: Subject, spec: Mapping[str, Any]) -> None:
        """Resources that a class stands for: the scheduler makes a claim for them, node by node."""
        classes = DeviceClass.objects.filter(cluster=self._cluster)
        known = {
            extended or _IMPLICIT + name
            for name, extended in classes.values_list("name", "extended_resource_name")
        }
        known |= {_IMPLICIT + name for name in classes.values_list("name", flat=True)}
        if asked := sorted(known & set(_resources(spec))):
            raise ManifestError(
                f"{_told(subject)}: asks for {', '.join(asked)}, an extended resource that a device class "
                "stands for; where such Pods go is not simulated"
            )

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

    def _of_cluster(self, subject: Subject, name: str, spec: Mapping[str, Any]) -> Wanted:
        try:
            return wanted_claim(subject.namespace, name, spec)
        except (SpecError, UnknownFieldError) as error:
            raise ManifestError(f"{_told(subject)}: its claim {name}: {error}") from error

    def _made(self, one: Manifest) -> Claim | None:
        """The claim of the cluster by this name; a template stands for one that comes."""
        if one.kind == "ResourceClaimTemplate":
            return None
        subject = self._subject(one)
        rows = Claim.objects.visible_to(self._viewer).filter(
            cluster=self._cluster, namespace__name=subject.namespace, name=subject.name
        )
        return rows.select_related("namespace").order_by("pk").last()

    def _row(self, subject: Subject, model: Any, kind: str, name: str) -> Any:
        scope = Namespace.objects.filter(cluster=self._cluster, name=subject.namespace)
        rows = (
            model.objects.visible_to(self._viewer)
            .filter(namespace__in=scope, name=name)
            .select_related("namespace")
        )
        if (row := rows.order_by("pk").last()) is None:
            where = f"{_told(subject)}: {kind} {subject.namespace}/{name}"
            cluster = self._cluster.name
            if any(unread(self._cluster, (_CLAIMS[kind],))):
                raise ManifestError(
                    f"{where} is not in the text, and {_CLAIMS[kind]} of {cluster} cannot be read"
                )
            raise ManifestError(f"{where} is neither in the text nor in cluster {cluster}")
        return row


def _wait(subject: Subject, rules: PodRules, spec: Mapping[str, Any]) -> Wait | None:
    if rules.node_name:
        return Wait(Waiting.BYPASSED, (subject.name,), rules.node_name)
    return gated(spec)


def _asks(claim: Claim, asked: Wanted) -> bool:
    """Whether the claim of the cluster asks for just this."""
    try:
        return wanted(claim) == asked
    except (SpecError, UnknownFieldError):
        return False


def _resources(spec: Mapping[str, Any]) -> Iterator[str]:
    """The names of what its containers ask for."""
    for part in ("initContainers", "containers"):
        listed = spec.get(part)
        for container in listed if isinstance(listed, list) else ():
            resources = container.get("resources") if isinstance(container, dict) else None
            for kind in ("requests", "limits"):
                asked = resources.get(kind) if isinstance(resources, dict) else None
                yield from map(str, asked if isinstance(asked, dict) else ())


def _told(subject: Subject) -> str:
    return f"{subject.kind} {subject.namespace}/{subject.name}" if subject.name else subject.kind


def _uses(subject: Subject, spec: Mapping[str, Any]) -> list[_Use]:
    try:
        uses = msgspec.convert(spec.get("resourceClaims") or [], list[_Use])
    except msgspec.ValidationError as error:
        told = str(error).replace("`$", "`")
        raise ManifestError(f"{_told(subject)}: spec.resourceClaims: {told}") from error
    if len(uses) > _MOST_USES:
        raise ManifestError(f"{_told(subject)}: {len(uses)} claims; at most {_MOST_USES} can be asked about")
    return uses


def _reference(subject: Subject, use: _Use) -> tuple[str, str]:
    """The kind and name of what a use names."""
    given = [name for name in (use.resource_claim_name, use.resource_claim_template_name) if name]
    if len(given) != 1:
        raise ManifestError(
            f"{_told(subject)}: spec.resourceClaims[{use.name}]: expected either resourceClaimName "
            "or resourceClaimTemplateName"
        )
    return ("ResourceClaim" if use.resource_claim_name else "ResourceClaimTemplate"), given[0]
