"""The single acts of users, controllers, scheduler and kubelet on a claim and the Pod that uses it."""

from collections.abc import Generator, Iterable

import msgspec

from demo import resources
from demo.churn.room import Place, Room, results
from demo.churn.writing import Steps, Writer
from demo.managedfields import claim_fields, pod_fields
from demo.store import Key, Object
from demo.story import podstatus
from demo.story.manifests import FINALIZER, POD_CLAIM_NAME, PodClaim, claim, owner_reference, pod
from inventory.kube.quantity import parse

_ENDS_BY_ITSELF_PER_CENT = 50
_GRACE_SECONDS = 30


class Work(msgspec.Struct, frozen=True):
    """A Pod with the one claim that it uses; `by_hand`: a user made the claim, not the Pod's template."""

    namespace: str
    pod: str
    claim: str
    by_hand: bool

    @property
    def pod_key(self) -> Key:
        return self.namespace, self.pod

    @property
    def claim_key(self) -> Key:
        return self.namespace, self.claim


class Control:
    def __init__(self, writer: Writer, room: Room) -> None:
        self._writer = writer
        self._room = room
        self._nodes = len(writer.store.snapshot(resources.NODES).records)
        self._addresses = 0

    def pod_of(self, work: Work) -> Object:
        """Raises LookupError."""
        return self._writer.find(resources.PODS, work.pod_key)

    def claim_of(self, work: Work) -> Object:
        """Raises LookupError."""
        return self._writer.find(resources.RESOURCE_CLAIMS, work.claim_key)

    def has_claim(self, work: Work) -> bool:
        return self._writer.store.get(resources.RESOURCE_CLAIMS, *work.claim_key) is not None

    # Beginning

    def create_pod(self, work: Work, owner: Object | None = None) -> None:
        use = PodClaim("gpu", claim=work.claim) if work.by_hand else PodClaim("gpu", template="gpu-share")
        made = pod(work.pod, work.namespace, image="registry.example.com/serving:3.2", claims=[use])
        if owner:
            made["metadata"] |= {
                "generateName": f"{owner['metadata']['name']}-",
                "labels": owner["metadata"].get("labels", {}),
                "ownerReferences": [owner_reference(owner)],
            }
        made["metadata"]["managedFields"] = pod_fields(self._writer.now())
        self._writer.create(made)

    def create_claim(self, work: Work, wanted: Object) -> None:
        made = claim(work.claim, work.namespace, [wanted])
        if not work.by_hand:
            holder = self.pod_of(work)
            made["metadata"] |= {
                "generateName": f"{work.pod}-gpu-",
                "labels": holder["metadata"].get("labels", {}),
                "annotations": {POD_CLAIM_NAME: "gpu"},
                "ownerReferences": [owner_reference(holder)],
                "managedFields": claim_fields(self._writer.now(), holder["metadata"]["uid"], allocated=False),
            }
        self._writer.create(made)

    def name_claim(self, work: Work) -> None:
        """The claim controller tells in the Pod's status which claim it has made."""
        holder = self.pod_of(work)
        made = [{"name": "gpu", "resourceClaimName": work.claim}]
        self._writer.put({**holder, "status": {**holder["status"], "resourceClaimStatuses": made}})

    def place(self, work: Work) -> Generator[None, None, bool]:
        """The scheduler finds cards, or tells that there are none; then the Pod starts. Whether it did.

        As in the scheduler, what is chosen is taken at once, and written afterwards.
        """
        places = self._choose(self.claim_of(work)["spec"]["devices"]["requests"][0])
        if not places:
            waiting = self.pod_of(work)
            status = podstatus.unschedulable(waiting, self._nodes, self._nodes, 0, self._writer.now())
            if status.get("conditions") != waiting["status"].get("conditions"):
                self._writer.put({**waiting, "status": status})
                yield
            return False
        held = self.claim_of(work)
        taken = [self._result(held["spec"]["devices"]["requests"][0], one) for one in places]
        self._room.take(taken)
        self._writer.put({**held, "metadata": {**held["metadata"], "finalizers": [FINALIZER]}})
        yield
        self._allocate(work, taken, places[0].card.node)
        yield
        yield from self.start(work, places[0].card.node)
        return True

    def start(self, work: Work, node: str) -> Steps:
        """The scheduler binds the Pod, the kubelet runs it."""
        bound = self.pod_of(work)
        status = podstatus.scheduled(bound, self._writer.now())
        self._writer.put({**bound, "spec": {**bound["spec"], "nodeName": node}, "status": status})
        yield
        self._addresses += 1
        address = (
            f"10.{self._addresses // 65536 % 256}.{self._addresses // 256 % 256}.{self._addresses % 256}"
        )
        bound = self.pod_of(work)
        self._writer.put({**bound, "status": podstatus.running(bound, self._writer.now(), address)})
        yield

    def reserve(self, work: Work) -> None:
        """One more consumer of a claim that is allocated."""
        held = self.claim_of(work)
        consumers = [*held["status"].get("reservedFor", []), self._consumer(work)]
        self._writer.put({**held, "status": {**held["status"], "reservedFor": consumers}})

    # Ending

    def end(self, work: Work) -> Steps:
        """The Pod does its work and is cleaned away, or is deleted while it runs."""
        ending = self.pod_of(work)
        if "startTime" in ending["status"] and self._writer.chance(_ENDS_BY_ITSELF_PER_CENT):
            ending = self._writer.put({**ending, "status": podstatus.succeeded(ending, self._writer.now())})
            yield
        self._writer.mark_deleted(ending, _GRACE_SECONDS)
        yield
        self._writer.delete(resources.PODS, work.pod_key)
        yield

    def leave(self, work: Work, uid: str) -> Steps:
        """The last consumer's leave clears the allocation, then the finalizer (claim controller)."""
        held = self.claim_of(work)
        status = held.get("status") or {}
        left = [each for each in status.get("reservedFor", []) if each["uid"] != uid]
        if left:
            self._writer.put({**held, "status": {**status, "reservedFor": left}})
            yield
            return
        self._room.give_back(results(held))
        self._writer.put({**held, "status": {}})
        yield
        held = self.claim_of(work)
        metadata = {name: value for name, value in held["metadata"].items() if name != "finalizers"}
        self._writer.put({**held, "metadata": metadata})
        yield

    def delete_claim(self, work: Work) -> Steps:
        """Whoever made it deletes it, unless it is held or gone."""
        if self.has_claim(work) and not self.claim_of(work).get("status"):
            self._writer.delete(resources.RESOURCE_CLAIMS, work.claim_key)
            yield

    # Allocating

    def _choose(self, wanted: Object) -> list[Place]:
        exactly = wanted.get("exactly") or {}
        asked = {
            name: parse(text) for name, text in (exactly.get("capacity") or {}).get("requests", {}).items()
        }
        return self._room.choose(
            self._writer.random,
            exactly.get("deviceClassName", ""),
            asked,
            count=exactly.get("count", 1),
            admin=exactly.get("adminAccess", False),
        )

    def _result(self, wanted: Object, chosen: Place) -> Object:
        driver, pool, device = chosen.card.id
        result: Object = {"request": wanted["name"], "driver": driver, "pool": pool, "device": device}
        if wanted["exactly"].get("adminAccess"):
            result["adminAccess"] = True
        if chosen.card.shareable:
            result["consumedCapacity"] = {name: str(amount) for name, amount in chosen.share.items()}
            result["shareID"] = self._writer.uid()
        return result

    def _allocate(self, work: Work, taken: Iterable[Object], node: str) -> None:
        in_node = {"key": "metadata.name", "operator": "In", "values": [node]}
        held, consumer = self.claim_of(work), self._consumer(work)
        metadata = {
            **held["metadata"],
            "managedFields": claim_fields(self._writer.now(), consumer["uid"], allocated=True),
        }
        allocation = {
            "devices": {"results": list(taken)},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [in_node]}]},
            "allocationTimestamp": self._writer.now(),
        }
        status = {"allocation": allocation, "reservedFor": [consumer]}
        self._writer.put({**held, "metadata": metadata, "status": status})

    def _consumer(self, work: Work) -> Object:
        metadata = self.pod_of(work)["metadata"]
        return {"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}
