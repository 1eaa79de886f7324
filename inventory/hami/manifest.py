"""What is kept of a Pod that asks for HAMi resources: what HAMi reads of its manifest.

The images are kept besides, without which Kubernetes takes no Pod.

Environments, commands and volumes stay in the cluster; where it was placed is in other columns.
"""

from typing import Any

import msgspec

from inventory.hami.vendors import RESOURCE_NAMES
from inventory.kube.objects import Container, Pod, Raw

# Of the annotations by which a Pod chooses its card, and in which HAMi keeps its books. Two vendors write
# them under another domain than their resources.
_DOMAINS = frozenset({"hami.io", "mthreads.ai", "baidu.com"}) | {
    name.partition("/")[0] for name in RESOURCE_NAMES
}


def kept(pod: Pod) -> Raw:
    """A manifest in the shape of a Pod, empty where it asks for nothing of HAMi.

    `nvidia.com/gpu` is a name of HAMi's, but a device class may answer to it, too.
    """
    spec, metadata = pod.spec, pod.metadata
    containers, init_containers = _containers(spec.containers), _containers(spec.init_containers)
    if not any(_asks(one, pod.by_claim()) for one in (*containers, *init_containers)):
        return {}
    annotations = {
        name: value
        for name, value in (metadata.annotations or {}).items()
        if name.partition("/")[0] in _DOMAINS
    }
    return _written(
        apiVersion="v1",
        kind="Pod",
        metadata=_written(
            namespace=metadata.namespace,
            name=metadata.name,
            labels=metadata.labels,
            annotations=annotations,
        ),
        spec=_written(
            schedulerName=spec.scheduler_name,
            runtimeClassName=spec.runtime_class_name,
            nodeSelector=spec.node_selector,
            affinity=spec.affinity,
            tolerations=spec.tolerations,
            resourceClaims=msgspec.to_builtins(spec.resource_claims),
            initContainers=init_containers,
            containers=containers,
        ),
    )


def _containers(containers: list[Container] | None) -> list[Raw]:
    return [
        _written(name=container.name, image=container.image, resources=_amounts(container))
        for container in containers or ()
    ]


def _amounts(container: Container) -> Raw:
    if (resources := container.resources) is None:
        return {}
    return _written(
        limits=_texts(resources.limits),
        requests=_texts(resources.requests),
        claims=msgspec.to_builtins(resources.claims),
    )


def _texts(amounts: dict[str, Any] | None) -> dict[str, str]:
    return {name: str(amount) for name, amount in (amounts or {}).items()}


def _asks(container: Raw, by_claim: frozenset[tuple[str, str]]) -> bool:
    """What a claim gives it already is no matter of HAMi's."""
    resources, name = container.get("resources", {}), container["name"]
    asked = {one for part in ("limits", "requests") for one in resources.get(part, ())}
    return any(one in RESOURCE_NAMES and (name, one) not in by_claim for one in asked)


def _written(**fields: Any) -> Raw:
    return {name: value for name, value in fields.items() if value}
