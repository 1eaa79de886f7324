"""The objects that people and controllers write: namespaces, claims, templates, Pods, their owners."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from demo.store import Object

FINALIZER = "resource.kubernetes.io/delete-protection"
POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"
EXTENDED_CLAIM = "resource.kubernetes.io/extended-resource-claim"
ADMIN_NAMESPACE = "resource.kubernetes.io/admin-access"
_DRA = "resource.k8s.io/v1"


class PodClaim(msgspec.Struct, frozen=True):
    """An entry of a Pod's `spec.resourceClaims`: a claim by name, or one to be made from a template."""

    name: str
    claim: str = ""
    template: str = ""

    def entry(self) -> Object:
        if self.template:
            return {"name": self.name, "resourceClaimTemplateName": self.template}
        return {"name": self.name, "resourceClaimName": self.claim}


def namespace(name: str, team: str, *, admin_access: bool = False) -> Object:
    labels = {"kubernetes.io/metadata.name": name, "team": team}
    if admin_access:
        labels[ADMIN_NAMESPACE] = "true"
    return {
        "kind": "Namespace",
        "apiVersion": "v1",
        "metadata": {"name": name, "labels": labels},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def quota(name: str, namespace: str, hard: Mapping[str, str]) -> Object:
    used = dict.fromkeys(hard, "0")
    return {
        "kind": "ResourceQuota",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": dict(hard)},
        "status": {"hard": dict(hard), "used": used},
    }


def request(
    name: str,
    device_class: str,
    *,
    count: int = 1,
    capacity: Mapping[str, str] | None = None,
    selectors: Sequence[str] = (),
    admin_access: bool = False,
) -> Object:
    exactly: Object = {"deviceClassName": device_class}
    if selectors:
        exactly["selectors"] = [{"cel": {"expression": expression}} for expression in selectors]
    exactly |= {"allocationMode": "ExactCount", "count": count}
    if admin_access:
        exactly["adminAccess"] = True
    if capacity is not None:
        exactly["capacity"] = {"requests": dict(capacity)}
    return {"name": name, "exactly": exactly}


def claim(name: str, namespace: str, requests: Sequence[Object], **metadata: Any) -> Object:
    return {
        "kind": "ResourceClaim",
        "apiVersion": _DRA,
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"devices": {"requests": list(requests)}},
        "status": {},
    }


def template(name: str, namespace: str, requests: Sequence[Object], labels: Mapping[str, str]) -> Object:
    return {
        "kind": "ResourceClaimTemplate",
        "apiVersion": _DRA,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "metadata": {"labels": dict(labels)},
            "spec": {"devices": {"requests": list(requests)}},
        },
    }


def pod(
    name: str,
    namespace: str,
    *,
    image: str,
    claims: Sequence[PodClaim] = (),
    container: str = "main",
    limits: Mapping[str, str] | None = None,
    node_selector: Mapping[str, str] | None = None,
    restart: str = "Always",
    **metadata: Any,
) -> Object:
    asked = {"cpu": "4", "memory": "16Gi", **(limits or {})}
    resources: Object = {"limits": asked, "requests": asked}
    if claims:
        resources["claims"] = [{"name": each.name} for each in claims]
    spec: Object = {
        "containers": [{"name": container, "image": image, "resources": resources}],
        "restartPolicy": restart,
        "terminationGracePeriodSeconds": 30,
        "serviceAccountName": "default",
        "schedulerName": "default-scheduler",
        "priority": 0,
    }
    if node_selector:
        spec["nodeSelector"] = dict(node_selector)
    if claims:
        spec["resourceClaims"] = [each.entry() for each in claims]
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": spec,
        "status": {"phase": "Pending", "qosClass": "Guaranteed"},
    }


def workload(kind: str, name: str, namespace: str, replicas: int, labels: Mapping[str, str]) -> Object:
    """A Deployment, ReplicaSet, StatefulSet or Job, as far as an owner chain needs it."""
    is_job = kind == "Job"
    counted = {"completions": replicas, "parallelism": replicas} if is_job else {"replicas": replicas}
    container = {"name": "main", "image": f"registry.example.com/{name}:1.0"}
    return {
        "kind": kind,
        "apiVersion": "batch/v1" if is_job else "apps/v1",
        "metadata": {"name": name, "namespace": namespace, "labels": dict(labels)},
        "spec": {
            **counted,
            "selector": {"matchLabels": dict(labels)},
            "template": {"metadata": {"labels": dict(labels)}, "spec": {"containers": [container]}},
        },
        "status": {"active": replicas} if is_job else {"replicas": replicas},
    }


def owner_reference(owner: Object) -> Object:
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
