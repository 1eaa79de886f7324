"""What goes on beside the devices: Pods that hold none, namespaces, quotas."""

from demo import resources
from demo.churn.bag import Bag
from demo.churn.writing import Steps, Writer, key_of
from demo.managedfields import pod_fields
from demo.store import Key, Object
from demo.story.manifests import namespace, pod, quota
from demo.story.quotas import CLAIMS

_QUOTA = "claims"
_COMMON = {"cpu", "memory", "ephemeral-storage"}
_STAGES = ("prod", "staging", "research")


class Surroundings:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        store = writer.store
        self._pods: Bag[Key] = Bag(
            record.key for record in store.snapshot(resources.PODS).records if _is_plain(record.object())
        )
        self._target = len(self._pods)
        self._nodes = [record.name for record in store.snapshot(resources.NODES).records]
        self._namespaces = [record.name for record in store.snapshot(resources.NAMESPACES).records]

    def change_plain_pod(self) -> Steps:
        found = self._writer.find(resources.PODS, self._pods.pick(self._writer.random))
        self._writer.put(flickering(found, self._writer.now()))
        yield

    def replace_plain_pod(self) -> Steps:
        """One goes and another comes, as in a rollout."""
        if len(self._pods) > self._target:
            key = self._pods.draw(self._writer.random)
            self._writer.mark_deleted(self._writer.find(resources.PODS, key), grace_seconds=30)
            yield
            self._writer.delete(resources.PODS, key)
            yield
        self._create_pod()
        yield

    def _create_pod(self) -> None:
        within = self._writer.random.choice(self._namespaces or ["default"])
        name = self._writer.name("web-", resources.PODS, within)
        made = pod(name, within, image="registry.example.com/web:2.0")
        if self._nodes:
            made["spec"]["nodeName"] = self._writer.random.choice(self._nodes)
            made["status"]["phase"] = "Running"
        made["metadata"]["managedFields"] = pod_fields(self._writer.now())
        self._pods.add(key_of(self._writer.create(made)))

    def label_namespace(self) -> Steps:
        if not self._namespaces:
            self._namespaces.append("default")
            self._writer.create(namespace("default", "default"))
        else:
            name = self._writer.random.choice(self._namespaces)
            found = self._writer.find(resources.NAMESPACES, ("", name))
            before = found["metadata"].get("labels", {})
            stage = self._writer.random.choice([each for each in _STAGES if each != before.get("stage")])
            labels = {**before, "stage": stage}
            self._writer.put({**found, "metadata": {**found["metadata"], "labels": labels}})
        yield

    def count_quota(self) -> Steps:
        """The quota controller counts the claims of a namespace, or an administrator sets a quota."""
        if not self._namespaces:
            return
        within = self._writer.random.choice(self._namespaces)
        found = self._writer.store.find(resources.RESOURCE_QUOTAS, within, _QUOTA)
        if found is None:
            self._writer.create(quota(_QUOTA, within, {CLAIMS: "10k"}))
            yield
            return
        used = {CLAIMS: str(self._writer.claims[within])}
        if used != found["status"]["used"]:
            self._writer.put({**found, "status": {**found["status"], "used": used}})
            yield


def flickering(changed: Object, now: str) -> Object:
    """The same Pod with its readiness turned, which is what most events of Pods are about."""
    conditions = (changed.get("status") or {}).get("conditions") or []
    was = next((each["status"] for each in conditions if each["type"] == "Ready"), "False")
    ready = {"type": "Ready", "status": "False" if was == "True" else "True", "lastTransitionTime": now}
    others = [each for each in conditions if each["type"] != "Ready"]
    return {**changed, "status": {**(changed.get("status") or {}), "conditions": [*others, ready]}}


def _is_plain(found: Object) -> bool:
    spec, status = found["spec"], found.get("status") or {}
    if spec.get("resourceClaims") or status.get("extendedResourceClaimStatus"):
        return False
    asked = {
        name
        for container in (*spec.get("containers", ()), *spec.get("initContainers", ()))
        for amounts in (container.get("resources") or {}).values()
        if isinstance(amounts, dict)
        for name in amounts
    }
    return asked <= _COMMON and "deletionTimestamp" not in found["metadata"]
