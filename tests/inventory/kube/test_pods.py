from typing import Any

import msgspec
import pytest

from inventory.kube.objects import Pod
from inventory.kube.pods import concerns_devices


def pod(status: dict[str, Any] | None = None, **spec: Any) -> Pod:
    return msgspec.convert({"metadata": {"name": "train"}, "spec": spec, "status": status or {}}, Pod)


def container(**resources: Any) -> dict[str, Any]:
    return {"name": "main", "resources": resources}


def test_a_pod_that_names_a_claim_concerns_devices() -> None:
    assert concerns_devices(pod(resourceClaims=[{"name": "gpu", "resourceClaimName": "shared"}]))


def test_a_pod_that_got_a_claim_for_an_extended_resource_concerns_devices() -> None:
    assert concerns_devices(
        pod({"extendedResourceClaimStatus": {"resourceClaimName": "train-extended-resources-x"}})
    )


@pytest.mark.parametrize("where", ["limits", "requests"])
@pytest.mark.parametrize("containers", ["containers", "initContainers"])
def test_a_pod_that_asks_for_a_known_resource_concerns_devices(containers: str, where: str) -> None:
    spec: dict[str, Any] = {containers: [container(), container(**{where: {"nvidia.com/gpu": "1"}})]}
    asking = pod(**spec)

    assert concerns_devices(asking, {"nvidia.com/gpu"})
    assert not concerns_devices(asking)


def test_any_other_pod_does_not() -> None:
    assert not concerns_devices(pod(containers=[{"name": "web"}, container(limits=None)]), {"nvidia.com/gpu"})
    assert not concerns_devices(pod())
