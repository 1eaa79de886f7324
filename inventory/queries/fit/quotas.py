"""Whether the native ResourceQuotas of a namespace let a claim be made (pkg/quota/v1/evaluator/core/
resource_claims.go): they count claims and devices by class from the spec, never memory or cores."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from inventory.dra.features import EXTENDED_RESOURCE, FeatureState, state
from inventory.dra.simulator.claims import MOST_RESULTS, Claim, Request
from inventory.kube.discovery import release_of
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Cluster, DeviceClass, Quota
from inventory.queries.features import seen_gates
from inventory.viewer import Viewer

_ON = (FeatureState.SEEN, FeatureState.ON_BY_DEFAULT)

_CLAIMS = "count/resourceclaims.resource.k8s.io"
_DEVICES = ".deviceclass.resource.k8s.io/devices"
# Devices count as extended resources too (DRAExtendedResource), by the class and by the name that it has.
_OF_CLASS = "requests.deviceclass.resource.kubernetes.io/"
_OF_NAME = "requests."


class Refusal(msgspec.Struct, frozen=True):
    """A quota that has not enough left."""

    quota: str
    key: str
    need: Quantity
    used: Quantity
    hard: Quantity

    def __str__(self) -> str:
        return f"{self.quota}: {self.key}: {self.need} needed, {self.used} of {self.hard} used"


def refusing(cluster: Cluster, namespace: str, claims: Sequence[Claim], *, viewer: Viewer) -> list[Refusal]:
    """The quotas that refuse these claims; none in a namespace that the viewer may not see."""
    rows = (
        Quota.objects.visible_to(viewer).filter(cluster=cluster, namespace__name=namespace).order_by("name")
    )
    quotas = list(rows.values_list("name", "hard", "used"))
    if not quotas:
        return []
    devices = _devices(claims)
    needs = Counter({_CLAIMS: len(claims), **{name + _DEVICES: count for name, count in devices.items()}})
    if any(key.startswith(_OF_NAME) for _, hard, _ in quotas for key in hard):
        needs += _extended(cluster, devices)
    return [refusal for name, hard, used in quotas for refusal in _of(name, hard, used, needs)]


def _devices(claims: Sequence[Claim]) -> Counter[str]:
    """How many they ask for, by class."""
    devices: Counter[str] = Counter()
    for claim in claims:
        for alternatives in claim.requests:
            devices.update(_most_by_class(alternatives))
    return devices


def _extended(cluster: Cluster, devices: Counter[str]) -> Counter[str]:
    """The same devices as extended resources, where the cluster has these."""
    if state(EXTENDED_RESOURCE, release_of(cluster.server_version), seen_gates(cluster)) not in _ON:
        return Counter()
    needs = Counter({_OF_CLASS + name: count for name, count in devices.items()})
    classes = DeviceClass.objects.filter(cluster=cluster, name__in=devices).exclude(extended_resource_name="")
    for name, extended in classes.values_list("name", "extended_resource_name"):
        needs[_OF_NAME + extended] += devices[name]
    return needs


def _most_by_class(alternatives: Sequence[Request]) -> dict[str, int]:
    """Of a firstAvailable the most of each class, since any of them may be taken; all devices count as 32."""
    most: dict[str, int] = {}
    for one in alternatives:
        count = MOST_RESULTS if one.everything else one.count
        most[one.device_class] = max(most.get(one.device_class, 0), count)
    return most


def _of(
    quota: str, hard: dict[str, object], used: dict[str, object], needs: Counter[str]
) -> Iterator[Refusal]:
    for key, need in needs.items():
        if key not in hard:
            continue
        try:
            limit, so_far = parse(str(hard[key])), parse(str(used.get(key, "0")))
        except QuantityError:
            continue
        if so_far + Quantity.of(need) > limit:
            yield Refusal(quota, key, Quantity.of(need), so_far, limit)
