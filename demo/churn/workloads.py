"""How claims and their Pods come, change and go."""

import msgspec

from demo import resources
from demo.churn.bag import Bag
from demo.churn.control import Control, Work
from demo.churn.room import Room, results
from demo.churn.surroundings import flickering
from demo.churn.writing import Steps, Writer
from demo.store import Object
from demo.story.manifests import FINALIZER, namespace, request

_ADMINS = "gpu-monitoring"
_ADMIN_PER_CENT = 4
_PAIR_PER_CENT = 8
_BY_HAND_PER_CENT = 30
# What a small cluster may gain or lose.
_SLACK = 5
_ALIVE = ("Pending", "Running")


class Workloads:
    """What is in one of the bags stands still; a change takes it out while it works on it."""

    def __init__(self, writer: Writer, room: Room) -> None:
        self._writer = writer
        self._room = room
        self._control = Control(writer, room)
        self._running: Bag[Work] = Bag()
        self._waiting: Bag[Work] = Bag()
        for record in writer.store.snapshot(resources.PODS).records:
            self._take_over(record.object())
        self._target = len(self._running) + len(self._waiting)
        self._owners = [record.key for record in writer.store.snapshot(resources.REPLICA_SETS).records]
        self._namespaces = [record.name for record in writer.store.snapshot(resources.NAMESPACES).records]

    def arrive(self) -> Steps:
        """A Pod with a new claim, made from a template or by hand, is placed and runs."""
        if len(self._running) + len(self._waiting) > self._target * 11 // 10 + _SLACK:
            return
        if self._writer.chance(_ADMIN_PER_CENT):
            yield from self._admit_admins()
            yield from self._begin(self._named(_ADMINS, "exporter-"), self._wish(admin=True))
        elif self._writer.chance(_BY_HAND_PER_CENT):
            work = self._named(self._any_namespace(), "notebook-")
            by_hand = msgspec.structs.replace(work, claim=f"{work.pod}-gpu", by_hand=True)
            yield from self._begin(by_hand, self._wish())
        elif self._owners:
            owner = self._writer.find(resources.REPLICA_SETS, self._writer.random.choice(self._owners))
            metadata = owner["metadata"]
            work = self._named(metadata["namespace"], f"{metadata['name']}-")
            yield from self._begin(work, self._wish(), owner)
        else:
            yield from self._begin(self._named(self._any_namespace(), "train-"), self._wish())

    def join(self) -> Steps:
        """A second Pod uses a claim that was made by hand, on the node of the first."""
        first = self._running.pick(self._writer.random)
        if not first.by_hand or "deletionTimestamp" in self._control.claim_of(first)["metadata"]:
            return
        self._running.discard(first)
        second = msgspec.structs.replace(
            first, pod=self._writer.name(f"{first.claim}-", resources.PODS, first.namespace)
        )
        self._control.create_pod(second)
        yield
        self._control.reserve(second)
        yield
        yield from self._control.start(second, self._control.pod_of(first)["spec"]["nodeName"])
        self._running.add(first)
        self._running.add(second)

    def depart(self) -> Steps:
        """A Pod ends or is deleted; the last consumer's leave frees the claim, and it is deleted."""
        if len(self._running) * 10 < self._target * 8:
            return
        yield from self._go(self._running.draw(self._writer.random))

    def delete_in_use(self) -> Steps:
        """The claim waits under deletion until its Pods have gone."""
        work = self._running.draw(self._writer.random)
        held = self._control.claim_of(work)
        if "deletionTimestamp" not in held["metadata"]:
            self._writer.mark_deleted(held, grace_seconds=0)
            yield
        yield from self._go(work)

    def replace_pod(self) -> Steps:
        """Another Pod comes under the name of one that has gone and whom the claim still names."""
        work = self._running.pick(self._writer.random)
        held = self._control.claim_of(work)
        if len(held["status"]["reservedFor"]) > 1:
            return
        self._running.discard(work)
        before, (wanted, *_) = self._control.pod_of(work)["metadata"], held["spec"]["devices"]["requests"]
        yield from self._control.end(work)
        again = work if work.by_hand else msgspec.structs.replace(work, claim="")
        self._control.create_pod(again, self._owner(before))
        yield
        yield from self._control.leave(work, before["uid"])
        if not work.by_hand:
            yield from self._control.delete_claim(work)
            yield from self._claim(again, wanted)
        elif not self._control.has_claim(work):
            yield from self._claim(work, wanted)
        else:
            yield from self._place(work)

    def replace_claim(self) -> Steps:
        """Pod and claim go, and others come under their names."""
        work = self._running.pick(self._writer.random)
        if not work.by_hand:
            return
        self._running.discard(work)
        yield from self._go(work)
        if not self._control.has_claim(work):
            yield from self._begin(work, self._wish())

    def retry(self) -> Steps:
        """The scheduler looks again at a Pod that it could not place."""
        yield from self._place(self._waiting.draw(self._writer.random))

    def change_pod(self) -> Steps:
        found = self._control.pod_of(self._running.pick(self._writer.random))
        self._writer.put(flickering(found, self._writer.now()))
        yield

    # The parts of them

    def _begin(self, work: Work, wanted: Object, owner: Object | None = None) -> Steps:
        """A user makes the claim before the Pod, the claim controller after it."""
        if work.by_hand:
            self._control.create_claim(work, wanted)
            yield
            self._control.create_pod(work)
            yield
            yield from self._place(work)
        else:
            self._control.create_pod(work, owner)
            yield
            yield from self._claim(work, wanted)

    def _claim(self, work: Work, wanted: Object) -> Steps:
        """The claim of a Pod that is there already."""
        if not work.by_hand:
            name = self._writer.name(f"{work.pod}-gpu-", resources.RESOURCE_CLAIMS, work.namespace)
            work = msgspec.structs.replace(work, claim=name)
        self._control.create_claim(work, wanted)
        yield
        if not work.by_hand:
            self._control.name_claim(work)
            yield
        yield from self._place(work)

    def _place(self, work: Work) -> Steps:
        placed = yield from self._control.place(work)
        (self._running if placed else self._waiting).add(work)

    def _go(self, work: Work) -> Steps:
        uid = self._control.pod_of(work)["metadata"]["uid"]
        yield from self._control.end(work)
        yield from self._control.leave(work, uid)
        yield from self._control.delete_claim(work)

    def _wish(self, *, admin: bool = False) -> Object:
        driver, asked = self._room.wish(self._writer.random)
        amounts = {name: str(amount) for name, amount in asked.items()} or None
        count = 2 if not admin and self._writer.chance(_PAIR_PER_CENT) else 1
        return request("gpu", driver, count=count, capacity=amounts, admin_access=admin)

    def _admit_admins(self) -> Steps:
        if self._writer.store.get(resources.NAMESPACES, "", _ADMINS) is None:
            self._writer.create(namespace(_ADMINS, "operations", admin_access=True))
            yield

    def _named(self, within: str, stem: str) -> Work:
        return Work(within, self._writer.name(stem, resources.PODS, within), "", by_hand=False)

    def _any_namespace(self) -> str:
        return self._writer.random.choice(self._namespaces or ["default"])

    def _owner(self, metadata: Object) -> Object | None:
        """The ReplicaSet of a Pod, if it has one."""
        (reference, *_) = metadata.get("ownerReferences") or [{"kind": "", "name": ""}]
        if reference["kind"] != resources.REPLICA_SETS.kind:
            return None
        return self._writer.find(resources.REPLICA_SETS, (metadata["namespace"], reference["name"]))

    def _take_over(self, found: Object) -> None:
        """Go on with a Pod that is there already, if it uses one claim that is simply its own."""
        work = _work(found)
        if work is None:
            return
        record = self._writer.store.get(resources.RESOURCE_CLAIMS, *work.claim_key)
        if record is None:
            return
        held = record.object()
        requests = held["spec"]["devices"]["requests"]
        consumers = [one["uid"] for one in (held.get("status") or {}).get("reservedFor", ())]
        protected = FINALIZER in held["metadata"].get("finalizers", ())
        if len(requests) != 1 or "exactly" not in requests[0]:
            return
        if any(results(held)):
            if protected and consumers == [found["metadata"]["uid"]]:
                self._running.add(work)
        elif not protected and not consumers:
            self._waiting.add(work)


def _work(found: Object) -> Work | None:
    """None for a Pod that uses no claim, or several, or has come to its end."""
    uses, metadata = found["spec"].get("resourceClaims") or [], found["metadata"]
    status = found.get("status") or {}
    if len(uses) != 1 or "deletionTimestamp" in metadata or status.get("phase") not in _ALIVE:
        return None
    made = {one["name"]: one.get("resourceClaimName") for one in status.get("resourceClaimStatuses") or ()}
    by_hand = "resourceClaimName" in uses[0]
    name = uses[0].get("resourceClaimName") or made.get(uses[0]["name"]) or ""
    return Work(metadata["namespace"], metadata["name"], name, by_hand)
