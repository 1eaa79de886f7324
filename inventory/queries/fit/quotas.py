"""Whether the native ResourceQuotas of a namespace let a claim be made (pkg/quota/v1/evaluator/core/
resource_claims.go): they count claims and devices by class from the spec, never memory or cores."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from inventory.dra.simulator.claims import MOST_RESULTS, Claim, Request
from inventory.kube.quantity import Quantity, QuantityError, parse
from inventory.models import Cluster, Quota

_CLAIMS = "count/resourceclaims.resource.k8s.io"
_DEVICES = ".deviceclass.resource.k8s.io/devices"


class Refusal(msgspec.Struct, frozen=True):
    """A quota that has not enough left."""

    quota: str
    key: str
    need: Quantity
    used: Quantity
    hard: Quantity

    def __str__(self) -> str:
        return f"{self.quota}: {self.key}: {self.need} needed, {self.used} of {self.hard} used"


def refusing(cluster: Cluster, namespace: str, claims: Sequence[Claim]) -> list[Refusal]:
    """The quotas that refuse these claims."""
    needs = _needs(claims)
    rows = Quota.objects.filter(cluster=cluster, namespace__name=namespace).order_by("name")
    return [
        refusal
        for name, hard, used in rows.values_list("name", "hard", "used")
        for refusal in _of(name, hard, used, needs)
    ]


def _needs(claims: Sequence[Claim]) -> Counter[str]:
    needs: Counter[str] = Counter({_CLAIMS: len(claims)})
    for claim in claims:
        for alternatives in claim.requests:
            for name, devices in _most_by_class(alternatives).items():
                needs[name + _DEVICES] += devices
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
