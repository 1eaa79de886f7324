"""How the parts of a churn write."""

import time
from collections import Counter
from collections.abc import Iterator
from random import Random

from demo.resources import RESOURCE_CLAIMS, Resource
from demo.store import Key, Object, Store, timestamp

# A change as it goes on: each step makes one write at most.
Steps = Iterator[None]
WRITTEN_AT = "sliceboard.dev/written-at"
_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class Writer:
    """A store, and the chance by which everything here is decided: UIDs too, so that a seed repeats them."""

    def __init__(self, store: Store, random: Random, *, stamp: bool) -> None:
        self.store = store
        self.random = random
        self._stamp = stamp
        # How many claims each namespace has, as quotas count them.
        self.claims = Counter(record.namespace for record in store.snapshot(RESOURCE_CLAIMS).records)

    def put(self, obj: Object) -> Object:
        """Write; an object under deletion goes away with its last finalizer."""
        if obj["kind"] != RESOURCE_CLAIMS.kind:
            return self.store.put(obj)
        if self._stamp:
            labels = {**obj["metadata"].get("labels", {}), WRITTEN_AT: str(time.time_ns())}
            obj = {**obj, "metadata": {**obj["metadata"], "labels": labels}}
        written = self.store.put(obj)
        if self.store.get(RESOURCE_CLAIMS, *key_of(obj)) is None:
            self.claims[obj["metadata"]["namespace"]] -= 1
        return written

    def create(self, obj: Object) -> Object:
        if obj["kind"] == RESOURCE_CLAIMS.kind:
            self.claims[obj["metadata"]["namespace"]] += 1
        return self.put({**obj, "metadata": {**obj["metadata"], "uid": self.uid()}})

    def find(self, resource: Resource, key: Key) -> Object:
        """Raises LookupError."""
        found = self.store.find(resource, *key)
        if found is None:
            raise LookupError(f"no {resource.singular} {'/'.join(key)}")
        return found

    def delete(self, resource: Resource, key: Key) -> None:
        """Raises LookupError."""
        if resource is RESOURCE_CLAIMS:
            self.claims[key[0]] -= 1
        self.store.delete(resource, *key)

    def mark_deleted(self, obj: Object, grace_seconds: int) -> Object:
        """What a deletion does to an object that finalizers or a grace period still hold."""
        marked = {"deletionTimestamp": self.now(), "deletionGracePeriodSeconds": grace_seconds}
        return self.put({**obj, "metadata": obj["metadata"] | marked})

    def now(self) -> str:
        return timestamp(self.store.clock())

    def uid(self) -> str:
        digits = f"{self.random.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def name(self, stem: str, resource: Resource, namespace: str = "") -> str:
        """As generateName makes it, and taken by nobody."""
        while True:
            name = stem + "".join(self.random.choices(_SUFFIX_LETTERS, k=5))
            if self.store.get(resource, namespace, name) is None:
                return name

    def chance(self, per_cent: int) -> bool:
        return self.random.randrange(100) < per_cent


def key_of(obj: Object) -> Key:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
