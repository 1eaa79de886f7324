"""What a transaction has touched so far, and so what has to be derived anew before it ends."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from inventory.sync.past import Past

# Parameters of one query, and rows that are in memory at once.
BATCH = 2000

T = TypeVar("T")


class Reservation(NamedTuple):
    """A claim that was reserved for somebody between two commits."""

    claim_uid: str
    namespace: str
    claim_name: str
    resource: str
    pod_name: str
    pod_uid: str


@dataclass
class Touched:
    """Rows by their primary keys. `generation`: the one that is made, if anything changes."""

    generation: int
    # Whether shares tell of it, and claims by UID of which they do: in another state, or reserved for others.
    tells: bool = False
    claims_retold: set[str] = field(default_factory=set)
    # Pools whose slices or taints changed, as (driver, name).
    pools_published: set[tuple[str, str]] = field(default_factory=set)
    # Pools whose books change.
    pools: set[int] = field(default_factory=set)
    claims: set[int] = field(default_factory=set)
    # Names under which claims came, went or changed, as (namespace id, name), and gangs likewise.
    claim_names: set[tuple[int, str]] = field(default_factory=set)
    pod_groups: set[tuple[int, str]] = field(default_factory=set)
    pods: set[int] = field(default_factory=set)
    pod_uids: set[str] = field(default_factory=set)
    # Those by UID that came, are on another node, or are another workload's.
    pods_placed: set[str] = field(default_factory=set)
    # Claims that Pods used which went, or name others now.
    claims_of_pods: set[int] = field(default_factory=set)
    # Namespaces that belong to another team now, and claims by UID with the team that they have passed to.
    moved: set[int] = field(default_factory=set)
    passed_on: dict[str, int | None] = field(default_factory=dict)
    # Claims by UID of which an earlier state is in the history, perhaps as another team's.
    claims_passed: set[str] = field(default_factory=set)
    # Claims by UID that are gone, and those that have given a device back and hold one again.
    claims_gone: set[str] = field(default_factory=set)
    given_anew: set[str] = field(default_factory=set)
    # Since when a claim is allocated, by UID, where that was told for the first time.
    given_at: dict[str, datetime] = field(default_factory=dict)
    passed_reservations: dict[Reservation, str] = field(default_factory=dict)
    # Of the history, what begins in this transaction, its first event, and how far back it changes.
    new_intervals: set[int] = field(default_factory=set)
    first_event: int | None = None
    past: Past = field(default_factory=Past)
    # No Pod had a row before.
    only_new_pods: bool = False
    # Whether something has left a place, so that nothing may be in it any more.
    left: bool = False
    # By how much the large tables have grown.
    grown: Counter[Any] = field(default_factory=Counter)
    changes: int = 0


def batches(values: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch
