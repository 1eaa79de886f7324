"""Which Pods concern Sliceboard."""

from collections.abc import Container

from inventory.kube import objects


def concerns_devices(pod: objects.Pod, resources: Container[str] = frozenset()) -> bool:
    """It holds or awaits claims, or asks for one of the extended `resources`."""
    if pod.spec.resource_claims:
        return True
    if pod.status is not None and pod.status.extended_resource_claim_status is not None:
        return True
    return _asks_for_any(pod, resources)


def _asks_for_any(pod: objects.Pod, resources: Container[str]) -> bool:
    """Whether a container, init containers included, names one of the resources in its limits or requests."""
    return any(
        name in resources
        for containers in (pod.spec.containers, pod.spec.init_containers)
        for container in containers or ()
        if (asked := container.resources) is not None
        for amounts in (asked.limits, asked.requests)
        for name in amounts or ()
    )
