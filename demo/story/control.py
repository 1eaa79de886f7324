"""The control plane of the story: scheduler, claim controller, kubelet and quota in a few lines each.

Every step is written as the real parts write it, so that a watch sees what it would see of them.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from demo import resources
from demo.store import Object, Store, timestamp
from demo.story import podstatus
from demo.story.manifests import EXTENDED_CLAIM, FINALIZER, POD_CLAIM_NAME, claim, owner_reference, request
from demo.story.placement import Books, Inventory, Shelf, Supply
from demo.story.quotas import recount

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_HAMI_LABEL = "hami.io/dra"


class ControlPlane:
    """Acts on a store until nothing is left to do; knows no time but the store's clock."""

    def __init__(self, store: Store, random: Random) -> None:
        self.store = store
        self._random = random
        self._addresses = 0
        self._slices_read: tuple[int, ...] = ()
        self._read = Inventory([], {})

    def now(self) -> str:
        return timestamp(self.store.clock())

    def suffix(self) -> str:
        """The random end of a generated name."""
        return "".join(self._random.choices(_SUFFIX_LETTERS, k=5))

    # Pods

    def create_pod(self, pod: Object) -> Object:
        """Write a Pod and the claims that its templates ask for. It is placed by `schedule`."""
        created = self.store.put(pod)
        statuses = [
            {"name": entry["name"], "resourceClaimName": self._claim_from_template(created, entry)}
            for entry in pod["spec"].get("resourceClaims", [])
            if "resourceClaimTemplateName" in entry
        ]
        if statuses:
            created["status"] = {**created["status"], "resourceClaimStatuses": statuses}
            created = self.store.put(created)
        return created

    def schedule(self) -> list[Object]:
        """Place whatever fits now, oldest first; tells which Pods got a node."""
        waiting = [pod for pod in self.store.objects(resources.PODS) if _is_waiting(pod)]
        waiting.sort(
            key=lambda pod: (pod["metadata"]["creationTimestamp"], int(pod["metadata"]["resourceVersion"]))
        )
        if not waiting:
            return []
        supply = Supply(
            self._inventory(),
            Books.read(self.store.objects(resources.RESOURCE_CLAIMS)),
            self._class_selectors(),
        )
        return [placed for pod in waiting if (placed := self._place(pod, supply))]

    def start(self, pod: Object) -> None:
        """What the kubelet writes once the containers run."""
        current = self.store.find(resources.PODS, *_key(pod))
        if current and current["spec"].get("nodeName") and current["status"]["phase"] == "Pending":
            self._addresses += 1
            address = f"10.244.{self._addresses // 250 % 250}.{self._addresses % 250 + 1}"
            self.store.put(current | {"status": podstatus.running(current, self.now(), address)})

    def complete(self, pod: Object) -> None:
        """The Pod has done its work: its claims are released, those made for it go away."""
        current = self.store.find(resources.PODS, *_key(pod))
        if current and current["status"]["phase"] == "Running":
            self.store.put(current | {"status": podstatus.succeeded(current, self.now())})
            self._release(current)

    def delete_pod(self, namespace: str, name: str) -> None:
        """HAMi's webhook deletes the claims that the Pod names; the last consumer's leave frees a claim."""
        pod = self.store.find(resources.PODS, namespace, name)
        if pod is None:
            raise LookupError(f"no Pod {namespace}/{name}")
        if pod["metadata"].get("labels", {}).get(_HAMI_LABEL) == "true":
            for claim_name in claim_names(pod):
                if self.store.get(resources.RESOURCE_CLAIMS, namespace, claim_name):
                    self.store.delete(resources.RESOURCE_CLAIMS, namespace, claim_name)
        self.store.delete(resources.PODS, namespace, name)
        self._release(pod)

    # Claims

    def create_claim(self, new: Object) -> Object:
        created = self.store.put(new)
        recount(self.store, new["metadata"]["namespace"])
        return created

    def extended_claim(self, pod: Object, device_class: str, resource: str) -> Object:
        """The claim that the scheduler itself makes for a Pod which asks for an extended resource."""
        name = f"{pod['metadata']['name']}-extended-resources-{self.suffix()}"
        container = pod["spec"]["containers"][0]
        position = sorted(container["resources"]["requests"]).index(resource)
        request_name = f"container-0-request-{position}"
        made = self.create_claim(
            claim(
                name,
                pod["metadata"]["namespace"],
                [request(request_name, device_class)],
                annotations={EXTENDED_CLAIM: "true"},
                ownerReferences=[owner_reference(pod)],
            )
        )
        mapping = {"containerName": container["name"], "resourceName": resource, "requestName": request_name}
        status = {"requestMappings": [mapping], "resourceClaimName": name}
        self.store.put(pod | {"status": {**pod["status"], "extendedResourceClaimStatus": status}})
        return made

    def _claim_from_template(self, pod: Object, entry: Object) -> str:
        namespace, pod_name = _key(pod)
        found = self.store.find(
            resources.RESOURCE_CLAIM_TEMPLATES, namespace, entry["resourceClaimTemplateName"]
        )
        if found is None:
            raise LookupError(f"no template {namespace}/{entry['resourceClaimTemplateName']}")
        stem = f"{pod_name}-{entry['name']}-"
        made = claim(
            stem + self.suffix(),
            namespace,
            found["spec"]["spec"]["devices"]["requests"],
            generateName=stem,
            labels=found["spec"]["metadata"].get("labels", {}),
            annotations={POD_CLAIM_NAME: entry["name"]},
            ownerReferences=[owner_reference(pod)],
        )
        return str(self.create_claim(made)["metadata"]["name"])

    def _release(self, pod: Object) -> None:
        namespace, _ = _key(pod)
        for name in claim_names(pod):
            held = self.store.find(resources.RESOURCE_CLAIMS, namespace, name)
            if held is not None:
                self._leave(held, pod)
        recount(self.store, namespace)

    def _leave(self, held: Object, pod: Object) -> None:
        """The last consumer's leave clears the allocation, then the finalizer (claim controller)."""
        status = held.get("status") or {}
        uid = pod["metadata"]["uid"]
        left = [each for each in status.get("reservedFor", []) if each["uid"] != uid]
        if left:
            self.store.put(held | {"status": status | {"reservedFor": left}})
            return
        held = self.store.put(held | {"status": {}}) if status else held
        metadata = {key: value for key, value in held["metadata"].items() if key != "finalizers"}
        if "finalizers" in held["metadata"]:
            self.store.put(held | {"metadata": metadata})
        if _is_made_for(held, uid) and "deletionTimestamp" not in metadata:
            self.store.delete(resources.RESOURCE_CLAIMS, metadata["namespace"], metadata["name"])

    # Scheduling

    def _place(self, pod: Object, supply: Supply) -> Object | None:
        claims = [
            self.store.find(resources.RESOURCE_CLAIMS, pod["metadata"]["namespace"], name)
            for name in claim_names(pod)
        ]
        present = [each for each in claims if each is not None]
        if len(present) < len(claims):
            return None
        nodes = self.store.objects(resources.NODES)
        matching = [node for node in nodes if _matches(node, pod)]
        for node in matching:
            allocated = self._allocations(present, node["metadata"]["name"], supply)
            if allocated is not None:
                placed = self._bind(pod, allocated, node["metadata"]["name"])
                supply.books = Books.read(self.store.objects(resources.RESOURCE_CLAIMS))
                return placed
        self._mark_unschedulable(pod, len(nodes), len(matching))
        return None

    def _allocations(
        self, claims: Sequence[Object], node: str, supply: Supply
    ) -> list[tuple[Object, Object]] | None:
        """Each claim with the allocation it has, or gets, on the node; None when one does not fit."""
        shelf = Shelf(supply)
        pairs: list[tuple[Object, Object]] = []
        for each in claims:
            allocation = each["status"].get("allocation")
            if allocation and not _reaches(allocation, node):
                return None
            if not allocation:
                results = shelf.place(each, node, self._share_ids())
                if results is None:
                    return None
                allocation = self._allocation(results, node)
            pairs.append((each, allocation))
        return pairs

    def _allocation(self, results: list[Object], node: str) -> Object:
        in_node = {"key": "metadata.name", "operator": "In", "values": [node]}
        return {
            "devices": {"results": results},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [in_node]}]},
            "allocationTimestamp": self.now(),
        }

    def _bind(self, pod: Object, allocated: Sequence[tuple[Object, Object]], node: str) -> Object:
        """Two writes per claim, as the scheduler does it: the finalizer, then allocation and consumer."""
        for held, allocation in allocated:
            current = held
            if FINALIZER not in held["metadata"].get("finalizers", []):
                current = self.store.put(held | {"metadata": held["metadata"] | {"finalizers": [FINALIZER]}})
            consumer = {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
            reserved = [*held["status"].get("reservedFor", []), consumer]
            self.store.put(current | {"status": {"allocation": allocation, "reservedFor": reserved}})
        bound = pod | {
            "spec": pod["spec"] | {"nodeName": node},
            "status": podstatus.scheduled(pod, self.now()),
        }
        return self.store.put(bound)

    def _mark_unschedulable(self, pod: Object, nodes: int, matching: int) -> None:
        status = podstatus.unschedulable(pod, nodes, matching, nodes - matching, self.now())
        if _message(status) != _message(pod["status"]):
            self.store.put(pod | {"status": status})

    def _inventory(self) -> Inventory:
        """Slices change seldom, so what was read of them is kept until they do."""
        records = self.store.snapshot(resources.RESOURCE_SLICES).records
        revisions = tuple(record.revision for record in records)
        if revisions != self._slices_read:
            self._slices_read = revisions
            self._read = Inventory.read(record.object() for record in records)
        return self._read

    def _class_selectors(self) -> dict[str, list[str]]:
        return {
            each["metadata"]["name"]: [
                selector["cel"]["expression"] for selector in each["spec"]["selectors"]
            ]
            for each in self.store.objects(resources.DEVICE_CLASSES)
        }

    def _share_ids(self) -> Iterator[str]:
        while True:
            yield self.store.new_uid()


def claim_names(pod: Object) -> list[str]:
    """All claims of a Pod: by name, made from templates, made for extended resources."""
    status = pod["status"]
    made = {each["name"]: each["resourceClaimName"] for each in status.get("resourceClaimStatuses", [])}
    names = [
        entry.get("resourceClaimName") or made.get(entry["name"], "")
        for entry in pod["spec"].get("resourceClaims", [])
    ]
    extended: dict[str, Any] = status.get("extendedResourceClaimStatus", {})
    return [*names, extended["resourceClaimName"]] if extended else names


def _is_waiting(pod: Object) -> bool:
    return not pod["spec"].get("nodeName") and pod["status"]["phase"] == "Pending"


def _matches(node: Object, pod: Object) -> bool:
    wanted = pod["spec"].get("nodeSelector", {})
    return bool(wanted.items() <= node["metadata"]["labels"].items())


def _reaches(allocation: Object, node: str) -> bool:
    terms = allocation["nodeSelector"]["nodeSelectorTerms"]
    return any(node in field["values"] for term in terms for field in term["matchFields"])


def _is_made_for(held: Object, uid: str) -> bool:
    return any(owner["uid"] == uid for owner in held["metadata"].get("ownerReferences", []))


def _message(status: Object) -> str:
    return "".join(str(each.get("message", "")) for each in status.get("conditions", []))


def _key(obj: Object) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]
