"""Whole workloads: templates of claims, and the workload with Pods that use them, for a repository.

This is ours. The webhook sees Pods one by one and makes a claim for each; here the templates are named after
the workload, hold for every Pod of it, and stay when the webhook goes. So the label by which the webhook
recognises its own Pods is left out, and amounts stay as they were written.
"""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inventory.hami.as_written import as_written
from inventory.hami.asked import annotations, mapping, text
from inventory.hami.claiming import Claimed, Need, claimed, label
from inventory.hami.converted import ConvertedClaim, Mutation
from inventory.hami.pod_places import JOB, POD, VOLCANO_JOB, Place, at, kind_of, places, put
from inventory.hami.proposals import Proposals, proposals
from inventory.hami.vendors import RESOURCE_NAMES
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.mutate import mutate
from inventory.hami.webhook.names import claim_name
from inventory.hami.webhook.profiles import Profile
from inventory.hami.webhook.reading import PodError
from inventory.kube.objects import Raw

_DEFAULT_NAMESPACE = "default"
# What cannot be changed once it is there.
_MADE_ANEW = (POD, JOB, VOLCANO_JOB)


class Note(StrEnum):
    # Of a kind whose Pods are not known, and HAMi's names are in it.
    UNKNOWN_KIND = "unknown-kind"
    NOTHING_TO_CONVERT = "nothing-to-convert"
    # Where the Pod should be is something else.
    NO_POD = "no-pod"
    # It has to be deleted and created again.
    MADE_ANEW = "made-anew"
    # It belongs to something else, which is what to convert.
    OWNED = "owned"
    # The webhook's handler of Volcano Jobs names the template otherwise, the same for every Job.
    VOLCANO_NAME = "volcano-name"
    # That handler does not read the annotations that choose cards.
    VOLCANO_ANNOTATIONS = "volcano-annotations"


class Remark(msgspec.Struct, frozen=True):
    """`field` is the path in the workload, empty for all of it; `text` what it is about there."""

    note: Note
    field: str = ""
    text: str = ""


class Part(msgspec.Struct, frozen=True):
    """One Pod of a workload: `pod` as the webhook would see it, with what the webhook makes of it.

    `path` is where it is in the workload: paths in the Pod go on from there. Only a Volcano Job has tasks.
    """

    path: str
    task: str
    pod: Raw
    mutation: Mutation
    # For what the webhook does not convert.
    proposals: Proposals


class Workload(msgspec.Struct, frozen=True):
    """`raw` is the workload with its claims; the same as before where there is nothing to convert."""

    before: Raw
    raw: Raw
    templates: tuple[Raw, ...]
    parts: tuple[Part, ...]
    remarks: tuple[Remark, ...]

    def manifests(self) -> tuple[Raw, ...]:
        """What to apply, in this order."""
        return *self.templates, self.raw


def workload(
    document: Raw,
    devices: Sequence[DraDevice],
    *,
    namespace: str = _DEFAULT_NAMESPACE,
    taken: Collection[str] = (),
    propose: bool = False,
) -> Workload:
    """`namespace` is that of a workload which names none; `taken` are names of templates in it already.

    `propose` puts our proposals into it as well. Raises PodError.
    """
    before = as_written(document)
    found = places(before)
    if found is None:
        return Workload(before, before, (), (), tuple(_of_unknown_kind(before)))
    making = _Making(before, devices, namespace, taken, propose=propose)
    for place in found:
        making.add(place)
    return making.made(tuple(_owners(document)))


class _Making:
    """The workload while its Pods are changed, one after the other."""

    def __init__(
        self,
        before: Raw,
        devices: Sequence[DraDevice],
        namespace: str,
        taken: Collection[str],
        *,
        propose: bool,
    ) -> None:
        metadata = mapping(before.get("metadata"))
        self._before, self._raw, self._devices, self._propose = before, before, devices, propose
        self._written = text(metadata.get("namespace"))
        self._namespace = self._written or namespace
        named = text(metadata.get("name")) or text(metadata.get("generateName")).rstrip("-")
        self._name = named or text(before.get("kind")).lower()
        self._taken = set(taken)
        self._templates: list[Raw] = []
        self._parts: list[Part] = []
        self._remarks: list[Remark] = []

    def add(self, place: Place) -> None:
        """Raises PodError."""
        template = at(self._before, place.keys)
        if not isinstance(template, dict) or not isinstance(template.get("spec"), dict):
            self._remarks.append(Remark(Note.NO_POD, place.path))
            return
        owner = (self._name, place.task) if place.task else (self._name,)
        part = self._part(place, template, owner)
        own = claimed(part.pod["spec"], self._needs(part), owner, self._written, self._taken)
        self._raw = put(self._raw, (*place.keys, "spec"), own.spec)
        self._parts.append(part)
        self._templates += own.templates
        self._taken |= {template["metadata"]["name"] for template in own.templates}
        if place.task:
            self._remarks += _beside_webhook(part, own, self._namespace)

    def _part(self, place: Place, template: Raw, owner: Sequence[str]) -> Part:
        """The Pod has a name that the names of claims can be made of; nobody sees those. Raises PodError."""
        metadata = {
            **mapping(template.get("metadata")), "name": label(owner), "namespace": self._namespace,
        }  # fmt: skip
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
        try:
            mutation = mutate(pod, self._devices, Profile.TEMPLATE, dry_run=True)
        except PodError as error:
            raise PodError(
                f"{place.path}.{error.field}" if place.keys else error.field, error.told
            ) from error
        return Part(place.path, place.task, pod, mutation, proposals(pod, self._devices))

    def _needs(self, part: Part) -> list[Need]:
        needs = [need_of(claim) for claim in part.mutation.claims]
        if self._propose and part.mutation.failure is None:
            needs += [one.need for one in part.proposals.claims]
        return needs

    def made(self, owners: tuple[Remark, ...]) -> Workload:
        remarks = (*self._of_all(owners), *self._remarks)
        return Workload(self._before, self._raw, tuple(self._templates), tuple(self._parts), remarks)

    def _of_all(self, owners: tuple[Remark, ...]) -> Iterator[Remark]:
        if self._templates:
            yield from owners
            if kind_of(self._before) in _MADE_ANEW:
                yield Remark(Note.MADE_ANEW)
        elif not self._parts and not self._remarks:
            yield Remark(Note.NO_POD)
        # A Pod that the webhook denies has something to convert.
        elif self._parts and all(part.mutation.failure is None for part in self._parts):
            yield Remark(Note.NOTHING_TO_CONVERT)


def need_of(claim: ConvertedClaim) -> Need:
    """What the webhook would claim for a container."""
    spec = claim.raw["spec"]
    inner = spec["spec"] if claim.kind == "ResourceClaimTemplate" else spec
    names = tuple(name for name in claim.device.names() if name)
    return Need(claim.container, claim.container_index, claim.device.suffix, names, inner)


def _owners(document: Raw) -> Iterator[Remark]:
    found = mapping(document.get("metadata")).get("ownerReferences")
    for owner in map(mapping, found if isinstance(found, list) else ()):
        if owner.get("controller") is True:
            named = f"{text(owner.get('kind'))} {text(owner.get('name'))}"
            yield Remark(Note.OWNED, "metadata.ownerReferences", named)


def _beside_webhook(part: Part, own: Claimed, namespace: str) -> Iterator[Remark]:
    """Where the webhook's own handler of Volcano Jobs does otherwise. Proposals come after its claims."""
    for claim, template in zip(part.mutation.claims, own.templates, strict=False):
        theirs = claim_name(namespace, part.task, claim.container, claim.device.suffix)
        if theirs != template["metadata"]["name"]:
            place = f"{part.path}.spec.containers[{claim.container_index}]"
            yield Remark(Note.VOLCANO_NAME, place, theirs)
    used = {claim.device for claim in part.mutation.claims}
    given = annotations(part.pod)
    for name in sorted({name for device in used for name in msgspec.structs.astuple(device.annotations)}):
        if name in given:
            yield Remark(Note.VOLCANO_ANNOTATIONS, f"{part.path}.metadata.annotations", name)


def _of_unknown_kind(document: Raw) -> Iterator[Remark]:
    place = next(_places_of_names(document, ""), "")
    yield Remark(Note.UNKNOWN_KIND, place) if place else Remark(Note.NOTHING_TO_CONVERT)


def _places_of_names(value: Any, path: str) -> Iterator[str]:
    """Where HAMi's names are keys, which they are in resources only."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in RESOURCE_NAMES:
                yield path
            yield from _places_of_names(inner, f"{path}.{key}".removeprefix("."))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _places_of_names(inner, f"{path}[{index}]")
