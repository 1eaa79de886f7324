"""The status of a Pod at the stations of its life, as scheduler and kubelet write it."""

from typing import Any

from demo.store import Object

_NOT_HELPFUL = (
    "still not schedulable, preemption: 0/{nodes} nodes are available: "
    "{nodes} Preemption is not helpful for scheduling."
)


def unschedulable(pod: Object, nodes: int, unfit: int, unmatched: int, now: str) -> Object:
    """The scheduler tells how many nodes failed, never what a claim lacked."""
    reasons = [f"{unfit} cannot allocate all claims"] if unfit else []
    if unmatched:
        reasons.append(f"{unmatched} node(s) didn't match Pod's node affinity/selector")
    message = f"0/{nodes} nodes are available: {', '.join(reasons)}. {_NOT_HELPFUL.format(nodes=nodes)}"
    condition = _condition("PodScheduled", "False", now, reason="Unschedulable", message=message)
    return {**pod["status"], "phase": "Pending", "conditions": [condition]}


def scheduled(pod: Object, now: str) -> Object:
    return {**pod["status"], "phase": "Pending", "conditions": [_condition("PodScheduled", "True", now)]}


def running(pod: Object, now: str, address: str) -> Object:
    types = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")
    return {
        **pod["status"],
        "phase": "Running",
        "conditions": [
            *(_condition(each, "True", now) for each in types),
            *_kept(pod, "PodScheduled"),
        ],
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": now,
        "containerStatuses": [_container(pod, {"running": {"startedAt": now}}, ready=True)],
    }


def succeeded(pod: Object, now: str) -> Object:
    started = pod["status"]["startTime"]
    ended = {"exitCode": 0, "reason": "Completed", "startedAt": started, "finishedAt": now}
    return {
        **pod["status"],
        "phase": "Succeeded",
        "conditions": [
            _condition("Ready", "False", now, reason="PodCompleted"),
            *_kept(pod, "PodScheduled"),
        ],
        "containerStatuses": [_container(pod, {"terminated": ended}, ready=False)],
    }


def _condition(kind: str, status: str, now: str, **told: str) -> dict[str, Any]:
    return {
        "type": kind,
        "observedGeneration": 1,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": now,
        **told,
    }


def _kept(pod: Object, kind: str) -> list[Object]:
    return [each for each in pod["status"]["conditions"] if each["type"] == kind]


def _container(pod: Object, state: Object, *, ready: bool) -> Object:
    container = pod["spec"]["containers"][0]
    return {
        "name": container["name"],
        "state": state,
        "lastState": {},
        "ready": ready,
        "restartCount": 0,
        "image": container["image"],
        "imageID": f"{container['image']}@sha256:{'0' * 64}",
        "started": ready,
    }
