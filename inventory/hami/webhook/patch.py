"""What the webhook changes in a Pod for which it made claims."""

from collections.abc import Iterable, Iterator, Sequence

from inventory.hami.converted import POD, ConvertedClaim, Origin, Rule
from inventory.hami.webhook.claims import DRA_LABEL, TEMPLATE
from inventory.hami.webhook.profiles import Behaviour
from inventory.hami.webhook.reading import as_written, at, containers, mapping, sequence
from inventory.kube.objects import Raw

_LISTS = ("limits", "requests")


class Patch:
    """Changes a decoded Pod in place; `origins` says what changed, and why."""

    def __init__(self, pod: Raw, given: Raw, rules: Behaviour) -> None:
        self.pod = pod
        self.origins: list[Origin] = []
        self._given, self._rules = containers(given), rules

    def apply(self, claims: Sequence[ConvertedClaim], reprinted: Iterable[Origin]) -> None:
        """`reprinted` are the quantities that are printed anew; those that are taken away are not told so."""
        removed: list[Origin] = []
        for index in sorted({claim.container_index for claim in claims}):
            of_one = [claim for claim in claims if claim.container_index == index]
            for claim in of_one:
                removed += self._remove(claim)
            self._drop_empty(index)
            self._use(index, of_one)
        self._refer(claims)
        self._label()
        gone = {origin.field for origin in removed}
        self.origins += [*removed, *(origin for origin in reprinted if origin.field not in gone)]

    def _remove(self, claim: ConvertedClaim) -> Iterator[Origin]:
        """The names of the card from limits and requests; one that has no limit stays."""
        given = self._given[claim.container_index]
        resources = self._resources(claim.container_index)
        for name in [name for name in claim.device.names() if name in resources["limits"]]:
            for field, before in zip(_LISTS, (given.limits, given.requests), strict=True):
                if name in before:
                    del resources[field][name]
                    path = at(f"{given.path}.resources.{field}", name)
                    yield Origin(POD, path, "", Rule.REMOVED, path, as_written(before[name]))

    def _drop_empty(self, index: int) -> None:
        resources = self._resources(index)
        for field in _LISTS:
            if not resources.get(field, True):
                del resources[field]

    def _resources(self, index: int) -> Raw:
        found: Raw = self.pod["spec"]["containers"][index]["resources"]
        return found

    def _use(self, index: int, claims: Sequence[ConvertedClaim]) -> None:
        resources = self._resources(index)
        path = f"spec.containers[{index}].resources.claims"
        used = list(sequence(resources.get("claims"), path)) if self._rules.appends_claims else []
        for claim in claims:
            self.origins.append(Origin(POD, f"{path}[{len(used)}].name", claim.name, Rule.NAMED))
            used.append({"name": claim.name})
        resources["claims"] = used

    def _refer(self, claims: Sequence[ConvertedClaim]) -> None:
        path = "spec.resourceClaims"
        referred = list(sequence(self.pod["spec"].get("resourceClaims"), path))
        for claim in claims:
            key = "resourceClaimTemplateName" if claim.kind == TEMPLATE else "resourceClaimName"
            place = f"{path}[{len(referred)}]"
            self.origins += [Origin(POD, f"{place}.{one}", claim.name, Rule.NAMED) for one in ("name", key)]
            referred.append({"name": claim.name, key: claim.name})
        self.pod["spec"]["resourceClaims"] = referred

    def _label(self) -> None:
        metadata = mapping(self.pod.get("metadata"), "metadata")
        labels = mapping(metadata.get("labels"), "metadata.labels")
        self.pod["metadata"] = {**metadata, "labels": {**labels, DRA_LABEL: "true"}}
        self.origins.append(Origin(POD, at("metadata.labels", DRA_LABEL), "true", Rule.CONFIGURED))
