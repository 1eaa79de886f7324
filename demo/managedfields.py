"""`metadata.managedFields` as a real server keeps them: nobody reads them, but they have their weight."""

from demo.store import Object

_SCHEDULER = "kube-scheduler"
_CONTROLLER = "kube-controller-manager"
_DRA = "resource.k8s.io/v1"


def claim_fields(time: str, consumer: str, *, allocated: bool) -> list[Object]:
    """Of a claim made from a template: its making, and if allocated the scheduler's two writes."""
    made: Object = {
        "f:metadata": {
            "f:annotations": {".": {}, "f:resource.kubernetes.io/pod-claim-name": {}},
            "f:generateName": {},
            "f:labels": {".": {}, "f:app": {}, "f:pod-template-hash": {}},
            "f:ownerReferences": {".": {}, f'k:{{"uid":"{consumer}"}}': {}},
        },
        "f:spec": {"f:devices": {"f:requests": {}}},
    }
    fields = [_entry(_CONTROLLER, _DRA, time, made)]
    if allocated:
        protected: Object = {"f:finalizers": {".": {}, 'v:"resource.kubernetes.io/delete-protection"': {}}}
        reserved: Object = {".": {}, "f:name": {}, "f:resource": {}, "f:uid": {}}
        status = {
            "f:allocation": {
                ".": {},
                "f:allocationTimestamp": {},
                "f:devices": {".": {}, "f:results": {}},
                "f:nodeSelector": {},
            },
            "f:reservedFor": {".": {}, f'k:{{"uid":"{consumer}"}}': reserved},
        }
        fields += [
            _entry(_SCHEDULER, _DRA, time, {"f:metadata": protected}),
            _entry(_SCHEDULER, _DRA, time, {"f:status": status}) | {"subresource": "status"},
        ]
    return fields


def pod_fields(time: str) -> list[Object]:
    """Of a running Pod: its controller's, and the kubelet's."""
    condition: Object = {
        ".": {},
        "f:lastProbeTime": {},
        "f:lastTransitionTime": {},
        "f:status": {},
        "f:type": {},
    }
    types = ("ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready")
    container: Object = {
        ".": {},
        "f:image": {},
        "f:name": {},
        "f:resources": {".": {}, "f:claims": {}, "f:limits": {}, "f:requests": {}},
    }
    made: Object = {
        "f:metadata": {
            "f:generateName": {},
            "f:labels": {".": {}, "f:app": {}},
            "f:ownerReferences": {".": {}},
        },
        "f:spec": {
            "f:containers": {'k:{"name":"main"}': container},
            "f:resourceClaims": {".": {}, 'k:{"name":"gpu"}': {".": {}, "f:name": {}}},
            "f:restartPolicy": {},
            "f:schedulerName": {},
            "f:terminationGracePeriodSeconds": {},
        },
    }
    status = {
        "f:conditions": {f'k:{{"type":"{each}"}}': condition for each in types},
        "f:containerStatuses": {},
        "f:phase": {},
        "f:startTime": {},
    }
    return [
        _entry(_CONTROLLER, "v1", time, made),
        _entry("kubelet", "v1", time, {"f:status": status}) | {"subresource": "status"},
    ]


def _entry(manager: str, api_version: str, time: str, fields: Object) -> Object:
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": api_version,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
