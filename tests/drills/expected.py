"""What the tables must say of a cluster, worked out from its JSON alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from tests.drills.amounts import amount, fit_one_row
from tests.drills.served import Object, Served

Key = tuple[Any, ...]
Values = tuple[Any, ...]
Table = dict[Key, Values]
_DOMAINS_OF_VENDORS = {
    "amd.com",
    "aws.amazon.com",
    "birentech.com",
    "cambricon.com",
    "enflame.com",
    "huawei.com",
    "hygon.com",
    "iluvatar.ai",
    "kunlunxin.com",
    "metax-tech.com",
    "mthreads.com",
    "nvidia.com",
    "vastaitech.com",
}
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
            (_uid(one),): (*_place(one), _state(one), one["metadata"]["resourceVersion"])
            for one in self._claims
        }

    def shares(self) -> Table:
        return {
            (uid, position): (
                *_device(result),
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
        there = {_uid(pod) for pod in self._kinds["pods"]}
        return {
            (_uid(one), position): (
                each.get("apiGroup", ""),
                each["resource"],
                each["name"],
                each.get("uid", ""),
                each.get("uid", "") not in there if each["resource"] == "pods" else None,
            )
            for one in self._claims
            for position, each in enumerate(_status(one).get("reservedFor") or ())
        }

    # Pods

    def pods(self) -> Table:
        return {
            (_uid(pod),): (*_place(pod), _status(pod).get("phase", ""), pod["spec"].get("nodeName") or "")
            for pod in self._pods
        }

    def pod_claims(self) -> Table:
        return {
            (_uid(pod), name, claim["metadata"]["name"] if claim else claim_name): (
                _uid(claim) if claim else "",
                bool(claim) and _is_reserved(claim, pod),
            )
            for pod in self._pods
            for name, claim_name, claim in self._uses(pod)
        }

    def _uses(self, pod: Object) -> Iterator[tuple[str, str, Object]]:
        """A Pod's claims: the name in the Pod, that of the claim, and the claim if it is there."""
        within, status = pod["metadata"]["namespace"], _status(pod)
        made = {
            one["name"]: one.get("resourceClaimName") for one in status.get("resourceClaimStatuses") or ()
        }
        for entry in pod["spec"].get("resourceClaims") or ():
            name = entry.get("resourceClaimName") or made.get(entry["name"]) or ""
            claim = self._by_name.get((within, name), {})
            if entry.get("resourceClaimTemplateName") and not _is_made_for(claim, pod):
                claim = self._of_gang(pod, entry["name"])
            yield entry["name"], name, claim
        if extended := status.get("extendedResourceClaimStatus"):
            name = extended["resourceClaimName"]
            yield "", name, self._by_name.get((within, name), {})

    def _of_gang(self, pod: Object, name: str) -> Object:
        """The claim that was made for the Pod's group under that name."""
        return next(
            (
                claim
                for claim in self._claims
                if claim["metadata"]["namespace"] == pod["metadata"]["namespace"]
                and _group(pod)
                and _controller(claim)[:2] == ("PodGroup", _group(pod))
                and claim["metadata"].get("annotations", {}).get(_POD_CLAIM_NAME) == name
            ),
            {},
        )

    # Devices

    def pools(self) -> Table:
        named = {_device(result)[:2]: (None, 0, False) for _, _, result in self._results()}
        return named | {
            pool: (_generation(slices[0]), len(slices), _is_complete(slices))
            for pool, slices in self._newest.items()
        }

    def devices(self) -> Table:
        held = Counter(_device(result) for _, _, result in self._results() if not result.get("adminAccess"))
        named: Table = {_device(result): (False, False) for _, _, result in self._results()}
        listed: Table = {
            (*pool, device["name"]): (True, _is_complete(slices))
            for pool, slices in self._newest.items()
            for device in _devices(slices)
        }
        return {key: (*values, held[key]) for key, values in (named | listed).items()}

    def balances(self) -> Table:
        """Total, allocated, remaining of each device in each dimension; None is not known."""
        capacities: dict[Key, dict[str, Any]] = {
            (*pool, device["name"]): device.get("capacity") or {}
            for pool, slices in self._newest.items()
            for device in _devices(slices)
        }
        counted = [result for _, _, result in self._results() if not result.get("adminAccess")]
        whole = {_device(result) for result in counted if result.get("shareID") is None}
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
                (one["metadata"]["name"],): (_uid(one), bool((one.get("spec") or {}).get("unschedulable")))
                for one in self._kinds["nodes"]
            },
            "namespace": {
                (one["metadata"]["name"],): (_uid(one), one["metadata"].get("labels") or {})
                for one in self._kinds["namespaces"]
            },
            "device class": {
                (one["metadata"]["name"],): (_uid(one),) for one in self._kinds["deviceclasses"]
            },
            "quota": {
                (_uid(one),): (*_place(one), _status(one).get("hard") or {}, _status(one).get("used") or {})
                for one in self._kinds["resourcequotas"]
            },
        }

    @property
    def _claims(self) -> list[Object]:
        return self._kinds["resourceclaims"]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Object]:
        return {_place(one): one for one in self._claims}

    @cached_property
    def _pods(self) -> list[Object]:
        return [pod for pod in self._kinds["pods"] if _concerns_devices(pod)]

    @cached_property
    def _newest(self) -> dict[Key, list[Object]]:
        """The slices of every pool's newest generation."""
        pools: defaultdict[Key, list[Object]] = defaultdict(list)
        for one in self._kinds["resourceslices"]:
            pools[one["spec"]["driver"], one["spec"]["pool"]["name"]].append(one)
        return {
            pool: [one for one in slices if _generation(one) == max(map(_generation, slices))]
            for pool, slices in pools.items()
        }

    def _results(self) -> Iterator[tuple[str, int, Object]]:
        for one in self._claims:
            allocation = _status(one).get("allocation") or {}
            results = (allocation.get("devices") or {}).get("results") or ()
            for position, result in enumerate(results):
                yield _uid(one), position, result


def _uid(obj: Object) -> str:
    return str(obj["metadata"]["uid"])


def _place(obj: Object) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def _status(obj: Object) -> Object:
    return obj.get("status") or {}


def _device(result: Object) -> Key:
    return result["driver"], result["pool"], result["device"]


def _generation(one: Object) -> int:
    return int(one["spec"]["pool"].get("generation", 0))


def _devices(slices: list[Object]) -> list[Object]:
    return [device for one in slices for device in one["spec"].get("devices") or ()]


def _state(claim: Object) -> str:
    """The column STATE of `kubectl get resourceclaims`."""
    allocated = bool(_status(claim).get("allocation"))
    said = {
        "deleted": "deletionTimestamp" in claim["metadata"],
        "allocated": allocated,
        "reserved": allocated and bool(_status(claim).get("reservedFor")),
    }
    return ",".join(word for word, holds in said.items() if holds) or "pending"


def _is_complete(slices: list[Object]) -> bool:
    """As many slices as they say, each with nodes, no name twice, no counter drawn that nobody defines."""
    places = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection", "sharedCounters")
    sets = [shared for one in slices for shared in one["spec"].get("sharedCounters") or ()]
    defined = {(shared["name"], counter) for shared in sets for counter in shared["counters"]}
    drawn = {
        (each["counterSet"], counter)
        for device in _devices(slices)
        for each in device.get("consumesCounters") or ()
        for counter in each["counters"]
    }
    names = [device["name"] for device in _devices(slices)], [shared["name"] for shared in sets]
    return (
        all(one["spec"]["pool"]["resourceSliceCount"] == len(slices) for one in slices)
        and all(any(one["spec"].get(place) for place in places) for one in slices)
        and all(len(each) == len(set(each)) for each in names)
        and drawn <= defined
    )


def _sums(results: Iterator[Object]) -> dict[Key, Fraction | None]:
    sums: dict[Key, Fraction | None] = {}
    for result in results:
        for dimension, text in (result.get("consumedCapacity") or {}).items():
            key = (*_device(result), dimension)
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


def _concerns_devices(pod: Object) -> bool:
    spec = pod["spec"]
    if spec.get("resourceClaims") or _status(pod).get("extendedResourceClaimStatus"):
        return True
    return any(
        name.partition("/")[0] in _DOMAINS_OF_VENDORS
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
        for kind in ("limits", "requests")
        for name in (container.get("resources") or {}).get(kind) or ()
    )


def _controller(obj: Object) -> tuple[str, str, str]:
    owners = obj["metadata"].get("ownerReferences") or ()
    found = (
        (one.get("kind", ""), one.get("name", ""), one.get("uid", ""))
        for one in owners
        if one.get("controller")
    )
    return next(found, ("", "", ""))


def _group(pod: Object) -> str:
    return (pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or ""


def _is_made_for(claim: Object, pod: Object) -> bool:
    if not claim:
        return False
    kind, name, uid = _controller(claim)
    return name == _group(pod) if kind == "PodGroup" else uid == _uid(pod)


def _is_reserved(claim: Object, pod: Object) -> bool:
    return any(
        (one["resource"] == "pods" and one.get("uid") == _uid(pod))
        or (one["resource"] == "podgroups" and one["name"] == _group(pod))
        for one in _status(claim).get("reservedFor") or ()
    )
