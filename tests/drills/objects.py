"""What single objects say, read from their JSON."""

from tests.drills.served import Object

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


def uid_of(obj: Object) -> str:
    return str(obj["metadata"]["uid"])


def place_of(obj: Object) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def status_of(obj: Object) -> Object:
    return obj.get("status") or {}


def device_of(result: Object) -> tuple[str, str, str]:
    return result["driver"], result["pool"], result["device"]


def results_of(claim: Object) -> list[Object]:
    allocation = status_of(claim).get("allocation") or {}
    return (allocation.get("devices") or {}).get("results") or []


def generation_of(one: Object) -> int:
    return int(one["spec"]["pool"].get("generation", 0))


def devices_of(slices: list[Object]) -> list[Object]:
    return [device for one in slices for device in one["spec"].get("devices") or ()]


def state_of(claim: Object) -> str:
    """The column STATE of `kubectl get resourceclaims`."""
    allocated = bool(status_of(claim).get("allocation"))
    said = {
        "deleted": "deletionTimestamp" in claim["metadata"],
        "allocated": allocated,
        "reserved": allocated and bool(status_of(claim).get("reservedFor")),
    }
    return ",".join(word for word, holds in said.items() if holds) or "pending"


def is_complete(slices: list[Object]) -> bool:
    """As many slices as they say, each with nodes, no name twice, no counter drawn that nobody defines."""
    places = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection", "sharedCounters")
    sets = [shared for one in slices for shared in one["spec"].get("sharedCounters") or ()]
    defined = {(shared["name"], counter) for shared in sets for counter in shared["counters"]}
    drawn = {
        (each["counterSet"], counter)
        for device in devices_of(slices)
        for each in device.get("consumesCounters") or ()
        for counter in each["counters"]
    }
    names = [device["name"] for device in devices_of(slices)], [shared["name"] for shared in sets]
    return (
        all(one["spec"]["pool"]["resourceSliceCount"] == len(slices) for one in slices)
        and all(any(one["spec"].get(place) for place in places) for one in slices)
        and all(len(each) == len(set(each)) for each in names)
        and drawn <= defined
    )


def concerns_devices(pod: Object) -> bool:
    spec = pod["spec"]
    if spec.get("resourceClaims") or status_of(pod).get("extendedResourceClaimStatus"):
        return True
    return any(
        name.partition("/")[0] in _DOMAINS_OF_VENDORS
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
        for kind in ("limits", "requests")
        for name in (container.get("resources") or {}).get(kind) or ()
    )


def controller_of(obj: Object) -> tuple[str, str, str]:
    owners = obj["metadata"].get("ownerReferences") or ()
    found = (
        (one.get("kind", ""), one.get("name", ""), one.get("uid", ""))
        for one in owners
        if one.get("controller")
    )
    return next(found, ("", "", ""))


def group_of(pod: Object) -> str:
    return (pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or ""


def is_made_for(claim: Object, pod: Object) -> bool:
    if not claim:
        return False
    kind, name, uid = controller_of(claim)
    return name == group_of(pod) if kind == "PodGroup" else uid == uid_of(pod)


def is_reserved_for(claim: Object, pod: Object) -> bool:
    return any(
        (one["resource"] == "pods" and one.get("uid") == uid_of(pod))
        or (one["resource"] == "podgroups" and one["name"] == group_of(pod))
        for one in status_of(claim).get("reservedFor") or ()
    )
