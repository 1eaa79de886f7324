"""The kinds that the demo server knows, and how discovery describes them."""

import msgspec

READ = ("get", "list", "watch")
WRITE = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
DRA_GROUP = "resource.k8s.io"


class Resource(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One kind; the first of its versions is the one in which its objects are stored."""

    group: str = ""
    versions: tuple[str, ...] = ("v1",)
    plural: str
    singular: str
    kind: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    verbs: tuple[str, ...] = READ
    # metadata.generation is kept for some kinds only.
    generation: bool = False
    # What an otherwise empty object of the kind prints after its metadata; a bookmark carries it.
    blank: bytes = b'"spec":{},"status":{}'
    selectable: tuple[str, ...] = ()
    status: bool = False
    storage_version_hash: str = ""

    @property
    def api_version(self) -> str:
        return group_version(self.group, self.versions[0])

    @property
    def qualified(self) -> str:
        """`pods`, `resourceclaims.resource.k8s.io`: how error messages name a kind."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


def group_version(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version


_DRA_VERSIONS = ("v1", "v1beta2", "v1beta1")

PODS = Resource(
    plural="pods",
    singular="pod",
    kind="Pod",
    short_names=("po",),
    generation=True,
    blank=b'"spec":{"containers":null},"status":{}',
    selectable=("spec.nodeName", "status.phase"),
)
NODES = Resource(plural="nodes", singular="node", kind="Node", namespaced=False, short_names=("no",))
NAMESPACES = Resource(
    plural="namespaces",
    singular="namespace",
    kind="Namespace",
    namespaced=False,
    short_names=("ns",),
    selectable=("status.phase",),
)
RESOURCE_QUOTAS = Resource(
    plural="resourcequotas", singular="resourcequota", kind="ResourceQuota", short_names=("quota",)
)
EVENTS = Resource(
    plural="events",
    singular="event",
    kind="Event",
    short_names=("ev",),
    blank=b'"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null',
)
REPLICA_SETS = Resource(
    group="apps",
    plural="replicasets",
    singular="replicaset",
    kind="ReplicaSet",
    short_names=("rs",),
    generation=True,
)
DEPLOYMENTS = Resource(
    group="apps",
    plural="deployments",
    singular="deployment",
    kind="Deployment",
    short_names=("deploy",),
    generation=True,
)
STATEFUL_SETS = Resource(
    group="apps",
    plural="statefulsets",
    singular="statefulset",
    kind="StatefulSet",
    short_names=("sts",),
    generation=True,
)
DAEMON_SETS = Resource(
    group="apps",
    plural="daemonsets",
    singular="daemonset",
    kind="DaemonSet",
    short_names=("ds",),
    generation=True,
)
JOBS = Resource(group="batch", plural="jobs", singular="job", kind="Job", generation=True)
CRON_JOBS = Resource(
    group="batch",
    plural="cronjobs",
    singular="cronjob",
    kind="CronJob",
    short_names=("cj",),
    generation=True,
)
POD_GROUPS = Resource(
    group="scheduling.k8s.io",
    versions=("v1alpha2",),
    plural="podgroups",
    singular="podgroup",
    kind="PodGroup",
)
WORKLOADS = Resource(
    group="scheduling.k8s.io",
    versions=("v1alpha2",),
    plural="workloads",
    singular="workload",
    kind="Workload",
    blank=b'"spec":{"podGroupTemplates":null}',
)
DEVICE_CLASSES = Resource(
    group=DRA_GROUP,
    versions=_DRA_VERSIONS,
    plural="deviceclasses",
    singular="deviceclass",
    kind="DeviceClass",
    namespaced=False,
    verbs=WRITE,
    generation=True,
    blank=b'"spec":{}',
    storage_version_hash="Yk2PTc1Ybxk=",
)
RESOURCE_CLAIMS = Resource(
    group=DRA_GROUP,
    versions=_DRA_VERSIONS,
    plural="resourceclaims",
    singular="resourceclaim",
    kind="ResourceClaim",
    verbs=WRITE,
    blank=b'"spec":{"devices":{"requests":null}},"status":{}',
    status=True,
    storage_version_hash="wgAZaHcZxUg=",
)
RESOURCE_CLAIM_TEMPLATES = Resource(
    group=DRA_GROUP,
    versions=_DRA_VERSIONS,
    plural="resourceclaimtemplates",
    singular="resourceclaimtemplate",
    kind="ResourceClaimTemplate",
    verbs=WRITE,
    blank=b'"spec":{"metadata":{},"spec":{"devices":{"requests":null}}}',
    storage_version_hash="TuzjC49aUfM=",
)
RESOURCE_SLICES = Resource(
    group=DRA_GROUP,
    versions=_DRA_VERSIONS,
    plural="resourceslices",
    singular="resourceslice",
    kind="ResourceSlice",
    namespaced=False,
    verbs=WRITE,
    generation=True,
    blank=b'"spec":{"driver":"","pool":{"name":"","generation":0,"resourceSliceCount":0}}',
    selectable=("spec.driver", "spec.nodeName"),
    storage_version_hash="KsC072WgaEY=",
)
DEVICE_TAINT_RULES = Resource(
    group=DRA_GROUP,
    versions=("v1beta2",),
    plural="devicetaintrules",
    singular="devicetaintrule",
    kind="DeviceTaintRule",
    namespaced=False,
    generation=True,
)
RESOURCE_POOL_STATUS_REQUESTS = Resource(
    group=DRA_GROUP,
    versions=("v1alpha3",),
    plural="resourcepoolstatusrequests",
    singular="resourcepoolstatusrequest",
    kind="ResourcePoolStatusRequest",
    namespaced=False,
)

CATALOGUE = (
    EVENTS,
    NAMESPACES,
    NODES,
    PODS,
    RESOURCE_QUOTAS,
    DAEMON_SETS,
    DEPLOYMENTS,
    REPLICA_SETS,
    STATEFUL_SETS,
    CRON_JOBS,
    JOBS,
    DEVICE_CLASSES,
    RESOURCE_CLAIMS,
    RESOURCE_CLAIM_TEMPLATES,
    RESOURCE_SLICES,
    DEVICE_TAINT_RULES,
    RESOURCE_POOL_STATUS_REQUESTS,
    POD_GROUPS,
    WORKLOADS,
)

_BY_PLURAL = {(resource.group, resource.plural): resource for resource in CATALOGUE}
_BY_KIND = {(resource.group, resource.kind): resource for resource in CATALOGUE}


def by_plural(group: str, version: str, plural: str) -> Resource | None:
    resource = _BY_PLURAL.get((group, plural))
    return resource if resource and version in resource.versions else None


def by_kind(api_version: str, kind: str) -> Resource:
    """The resource of an object's apiVersion and kind. Raises KeyError."""
    group = api_version.rpartition("/")[0]
    return _BY_KIND[group, kind]
