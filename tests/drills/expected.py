"""What the tables must say of a cluster, worked out from its JSON alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from tests.drills.amounts import amount, fit_one_row
from tests.drills.objects import (
    concerns_devices,
    controller_of,
    device_of,
    devices_of,
    generation_of,
    group_of,
    is_complete,
    is_made_for,
    is_reserved_for,
    place_of,
    results_of,
    state_of,
    status_of,
    uid_of,
)
from tests.drills.served import Object, Served

Key = tuple[Any, ...]
Values = tuple[Any, ...]
Table = dict[Key, Values]
_POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"


class Expected:
    """One table after the other, each by the key that makes its rows different."""

    def __init__(self, served: Served) -> None:
        self._kinds = served.kinds

    def tables(self) -> dict[str, Table]:
        return {
            "claim": self.claims(),
            "share": self.shares(),
            "consumed capacity": self.consumed(),
            "consumer": self.consumers(),
            "Pod": self.pods(),
            "claim of Pod": self.pod_claims(),
            "pool": self.pools(),
            "device": self.devices(),
            "balance": self.balances(),
            **self.places(),
        }

    # Claims

    def claims(self) -> Table:
        return {
            (uid_of(one),): (*place_of(one), state_of(one), one["metadata"]["resourceVersion"])
            for one in self._claims
        }

    def shares(self) -> Table:
        return {
            (uid, position): (
                *device_of(result),
                result["request"],
                result.get("shareID") or "",
                result.get("shareID") is None,
                bool(result.get("adminAccess")),
            )
            for uid, position, result in self._results()
        }

    def consumed(self) -> Table:
        return {
            (uid, position, dimension): (amount(text),)
            for uid, position, result in self._results()
            for dimension, text in (result.get("consumedCapacity") or {}).items()
        }

    def consumers(self) -> Table:
        there = {uid_of(pod) for pod in self._kinds["pods"]}
        return {
            (uid_of(one), position): (
                each.get("apiGroup", ""),
                each["resource"],
                each["name"],
                each.get("uid", ""),
                each.get("uid", "") not in there if each["resource"] == "pods" else None,
            )
            for one in self._claims
            for position, each in enumerate(status_of(one).get("reservedFor") or ())
        }

    # Pods

    def pods(self) -> Table:
        return {
            (uid_of(pod),): (
                *place_of(pod),
                status_of(pod).get("phase", ""),
                pod["spec"].get("nodeName") or "",
            )
            for pod in self._pods
        }

    def pod_claims(self) -> Table:
        return {
            (uid_of(pod), name, claim["metadata"]["name"] if claim else claim_name): (
                uid_of(claim) if claim else "",
                bool(claim) and is_reserved_for(claim, pod),
            )
            for pod in self._pods
            for name, claim_name, claim in self._uses(pod)
        }

    def _uses(self, pod: Object) -> Iterator[tuple[str, str, Object]]:
        """A Pod's claims: the name in the Pod, that of the claim, and the claim if it is there."""
        within, status = pod["metadata"]["namespace"], status_of(pod)
        made = {
            one["name"]: one.get("resourceClaimName") for one in status.get("resourceClaimStatuses") or ()
        }
        for entry in pod["spec"].get("resourceClaims") or ():
            name = entry.get("resourceClaimName") or made.get(entry["name"]) or ""
            claim = self._by_name.get((within, name), {})
            if entry.get("resourceClaimTemplateName") and not is_made_for(claim, pod):
                claim = self._of_gang(pod, entry["name"])
            yield entry["name"], name, claim
        if extended := status.get("extendedResourceClaimStatus"):
            name = extended["resourceClaimName"]
            yield "", name, self._by_name.get((within, name), {})

    def _of_gang(self, pod: Object, name: str) -> Object:
        """The claim that was made for the Pod's group under that name."""
        group, within = group_of(pod), pod["metadata"]["namespace"]
        made = (
            claim
            for claim in self._claims
            if claim["metadata"]["namespace"] == within
            and controller_of(claim)[:2] == ("PodGroup", group)
            and claim["metadata"].get("annotations", {}).get(_POD_CLAIM_NAME) == name
        )
        return next(made, {}) if group else {}

    # Devices

    def pools(self) -> Table:
        named = {device_of(result)[:2]: (None, 0, False) for _, _, result in self._results()}
        return named | {
            pool: (generation_of(slices[0]), len(slices), is_complete(slices))
            for pool, slices in self._newest.items()
        }

    def devices(self) -> Table:
        held = Counter(device_of(result) for _, _, result in self._results() if not result.get("adminAccess"))
        named: Table = {device_of(result): (False, False) for _, _, result in self._results()}
        listed: Table = {
            (*pool, device["name"]): (True, is_complete(slices))
            for pool, slices in self._newest.items()
            for device in devices_of(slices)
        }
        return {key: (*values, held[key]) for key, values in (named | listed).items()}

    def balances(self) -> Table:
        """Total, allocated, remaining of each device in each dimension; None is not known."""
        capacities: dict[Key, dict[str, Any]] = {
            (*pool, device["name"]): device.get("capacity") or {}
            for pool, slices in self._newest.items()
            for device in devices_of(slices)
        }
        counted = [result for _, _, result in self._results() if not result.get("adminAccess")]
        whole = {device_of(result) for result in counted if result.get("shareID") is None}
        sums = _sums(result for result in counted if result.get("shareID") is not None)
        keys = {(*device, name) for device, capacity in capacities.items() for name in capacity} | sums.keys()
        return {
            key: _balance(
                capacities.get(key[:3], {}).get(key[3]), sums.get(key, Fraction(0)), key[:3] in whole
            )
            for key in keys
        }

    # Places

    def places(self) -> dict[str, Table]:
        return {
            "node": {
                (one["metadata"]["name"],): (uid_of(one), bool((one.get("spec") or {}).get("unschedulable")))
                for one in self._kinds["nodes"]
            },
            "namespace": {
                (one["metadata"]["name"],): (uid_of(one), one["metadata"].get("labels") or {})
                for one in self._kinds["namespaces"]
            },
            "device class": {
                (one["metadata"]["name"],): (uid_of(one),) for one in self._kinds["deviceclasses"]
            },
            "quota": {
                (uid_of(one),): (
                    *place_of(one),
                    status_of(one).get("hard") or {},
                    status_of(one).get("used") or {},
                )
                for one in self._kinds["resourcequotas"]
            },
        }

    @property
    def _claims(self) -> list[Object]:
        return self._kinds["resourceclaims"]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Object]:
        return {place_of(one): one for one in self._claims}

    @cached_property
    def _pods(self) -> list[Object]:
        return [pod for pod in self._kinds["pods"] if concerns_devices(pod)]

    @cached_property
    def _newest(self) -> dict[Key, list[Object]]:
        """The slices of every pool's newest generation."""
        pools: defaultdict[Key, list[Object]] = defaultdict(list)
        for one in self._kinds["resourceslices"]:
            pools[one["spec"]["driver"], one["spec"]["pool"]["name"]].append(one)
        return {
            pool: [one for one in slices if generation_of(one) == max(map(generation_of, slices))]
            for pool, slices in pools.items()
        }

    def _results(self) -> Iterator[tuple[str, int, Object]]:
        for one in self._claims:
            for position, result in enumerate(results_of(one)):
                yield uid_of(one), position, result


def _sums(results: Iterator[Object]) -> dict[Key, Fraction | None]:
    sums: dict[Key, Fraction | None] = {}
    for result in results:
        for dimension, text in (result.get("consumedCapacity") or {}).items():
            key = (*device_of(result), dimension)
            before, taken = sums.get(key, Fraction(0)), amount(text)
            sums[key] = None if before is None or taken is None else before + taken
    return sums


def _balance(capacity: Mapping[str, Any] | None, taken: Fraction | None, whole: bool) -> Values:
    if capacity is None:
        return None, taken, None
    total = amount(capacity["value"])
    if total is None:
        return None, None if whole else taken, None
    if whole:
        return total, total, Fraction(0)
    left = None if taken is None else max(Fraction(0), total - taken)
    return (total, taken, left) if fit_one_row(total, taken, left) else (None, None, None)
