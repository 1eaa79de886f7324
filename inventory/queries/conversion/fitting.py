"""Whether what a conversion makes would be placed now, by the simulator. Nothing is written to a cluster."""

from collections.abc import Mapping
from time import monotonic
from typing import NamedTuple

import msgspec

from inventory.hami.previews import PodPreview
from inventory.kube.manifests import Manifest, ManifestError
from inventory.models import Cluster, Quota
from inventory.queries.conversion.rows import Searched
from inventory.queries.fit import answers
from inventory.queries.fit.answers import FitRow, NodeFitRow
from inventory.viewer import Viewer

# Many Pods ask the same; what is asked for the first time has this long altogether.
SECONDS = 10
# What of a Pod decides where it may go, beside its claims.
_RULES = ("nodeName", "nodeSelector", "affinity", "tolerations", "schedulingGates")
_ENCODER = msgspec.json.Encoder(decimal_format="number")


class Found(NamedTuple):
    searched: Searched
    fit: FitRow | None = None
    problem: str | None = None


class Fitting:
    """Of one run over one cluster, inside of a snapshot; None: no cluster was named."""

    def __init__(self, cluster: Cluster | None, *, viewer: Viewer) -> None:
        self._cluster, self._viewer = cluster, viewer
        self._until = monotonic() + SECONDS
        self._found: dict[bytes, tuple[Found, tuple[str, ...]]] = {}
        # Elsewhere a namespace makes no difference.
        self._with_quotas = frozenset[str]()
        if cluster is not None:
            rows = Quota.objects.visible_to(viewer).filter(cluster=cluster).order_by()
            self._with_quotas = frozenset(rows.values_list("namespace__name", flat=True))

    def of(self, preview: PodPreview) -> Found:
        mutation = preview.mutation
        if not mutation.claims or mutation.failure is not None:
            return Found(Searched.NOT_CREATED)
        if self._cluster is None:
            return Found(Searched.NO_CLUSTER)
        names = tuple(claim.name for claim in mutation.claims)
        key = self._key(preview)
        if key not in self._found:
            if monotonic() >= self._until:
                return Found(Searched.NO_TIME)
            self._found[key] = self._search(self._cluster, preview), names
        found, asked = self._found[key]
        if found.fit is None:
            return found
        renamed = dict(zip(asked, names, strict=True))
        namespace = mutation.claims[0].namespace
        return found._replace(fit=_renamed(found.fit, namespace, _name(preview), renamed))

    def _search(self, cluster: Cluster, preview: PodPreview) -> Found:
        pod, claims = preview.mutation.pod, preview.mutation.claims
        namespace = claims[0].namespace
        objects = [Manifest(one.kind, one.namespace, one.name, one.raw) for one in claims]
        try:
            (row,) = answers.of_manifests(
                cluster,
                [*objects, Manifest("Pod", namespace, _name(preview), pod)],
                namespace,
                viewer=self._viewer,
            )
        except ManifestError as error:
            return Found(Searched.NOT_POSSIBLE, problem=str(error))
        return Found(Searched.YES, row)

    def _key(self, preview: PodPreview) -> bytes:
        """The same for Pods that ask for the same."""
        mutation, spec = preview.mutation, preview.mutation.pod.get("spec") or {}
        own = {claim.name for claim in mutation.claims}
        rules = [spec.get(name) for name in _RULES]
        others = [one for one in spec.get("resourceClaims") or () if one.get("name") not in own]
        specs = [claim.raw.get("spec") for claim in mutation.claims]
        namespace = mutation.claims[0].namespace
        # Claims that it names besides are of its namespace, too.
        matters = bool(others) or namespace in self._with_quotas
        return _ENCODER.encode((namespace if matters else "", specs, rules, others))


def _name(preview: PodPreview) -> str:
    metadata = preview.pod.get("metadata") or {}
    return str(metadata.get("name") or metadata.get("generateName") or "")


def _renamed(row: FitRow, namespace: str, name: str, claims: Mapping[str, str]) -> FitRow:
    """The same answer to a Pod whose claims have other names."""
    if (row.namespace, row.name) == (namespace, name):
        return row
    return msgspec.structs.replace(
        row,
        namespace=namespace,
        name=name,
        claims=tuple(claims.get(one, one) for one in row.claims),
        fits=tuple(_placed(one, claims) for one in row.fits),
        elsewhere=tuple(_placed(one, claims) for one in row.elsewhere),
        requests=tuple(
            msgspec.structs.replace(one, claim=claims.get(one.claim, one.claim)) for one in row.requests
        ),
    )


def _placed(node: NodeFitRow, claims: Mapping[str, str]) -> NodeFitRow:
    placements = tuple(
        msgspec.structs.replace(one, claim=claims.get(one.claim, one.claim)) for one in node.placements
    )
    return msgspec.structs.replace(node, placements=placements)
