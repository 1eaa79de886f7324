"""A cluster that lives: random but lawful changes, one write at a time, as a control plane makes them."""

import threading
import time
from random import Random

from demo.churn.hardware import Hardware
from demo.churn.room import Room
from demo.churn.surroundings import Surroundings
from demo.churn.workloads import Workloads
from demo.churn.writing import WRITTEN_AT, Steps, Writer
from demo.store import Store

__all__ = ["WRITTEN_AT", "Churn", "run"]

# How many changes are under way at once settles around this.
_SIDE_BY_SIDE = 8


class Churn:
    """Changes a store, never giving away more of a card than there is; nobody else may write to it meanwhile.

    The same seed makes the same changes on the same store. `stamp`: every claim written carries the instant
    of the write, in nanoseconds since the epoch, as the label WRITTEN_AT.
    """

    def __init__(self, store: Store, seed: int = 1, *, stamp: bool = False) -> None:
        self.store = store
        self._random = Random(seed)
        writer = Writer(store, self._random, stamp=stamp)
        room = Room(store)
        hardware = Hardware(writer, room)
        workloads = Workloads(writer, room)
        around = Surroundings(writer)
        # Most events of a real cluster's Pods come from Pods that hold no device.
        kinds = {
            "plain Pod changed": (300, around.change_plain_pod),
            "plain Pod replaced": (25, around.replace_plain_pod),
            "namespace labelled": (1, around.label_namespace),
            "quota counted": (3, around.count_quota),
            "node cordoned": (1, hardware.cordon),
            "pool republished": (4, hardware.republish),
            "device tainted": (2, hardware.taint),
            "device vanished": (2, hardware.vanish),
            "Pod of a claim changed": (12, workloads.change_pod),
            "claim with its Pod": (12, workloads.arrive),
            "second Pod on a claim": (6, workloads.join),
            "claim released": (10, workloads.depart),
            "claim deleted in use": (2, workloads.delete_in_use),
            "Pod replaced": (2, workloads.replace_pod),
            "claim replaced": (6, workloads.replace_claim),
            "pending claim retried": (3, workloads.retry),
        }
        self._weights = {kind: weight for kind, (weight, _) in kinds.items()}
        self._begin = {kind: begin for kind, (_, begin) in kinds.items()}
        self._under_way: list[tuple[str, Steps]] = []

    def step(self) -> str:
        """Make one write; tells of which kind of change it is a part."""
        before = self.store.revision
        while True:
            kind = self._advance()
            if self.store.revision > before:
                return kind

    def _advance(self) -> str:
        """Begin a change, or carry one on that is under way."""
        count = len(self._under_way)
        if self._random.randrange(count + _SIDE_BY_SIDE) < count:
            position = self._random.randrange(count)
        else:
            (begun,) = self._random.choices(list(self._weights), list(self._weights.values()))
            self._under_way.append((begun, self._begin[begun]()))
            position = count
        kind, steps = self._under_way[position]
        try:
            next(steps)
        except (StopIteration, LookupError):
            # It is at its end; or there is nothing to change in this way.
            del self._under_way[position]
        return kind


def run(churn: Churn, per_second: float, stopped: threading.Event) -> int:
    """Write at a steady rate until stopped, making up for time lost; how many writes it were."""
    started, written = time.monotonic(), 0
    while not stopped.wait(started + written / per_second - time.monotonic()):
        churn.step()
        written += 1
    return written
