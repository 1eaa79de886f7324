"""Where all parts of the story act: one control plane, one timeline."""

from random import Random

from demo.store import Object, Store
from demo.story.control import ControlPlane
from demo.story.timeline import Timeline

_START_UP = (2.0, 4.0)


class Stage:
    """Creates, ends and places Pods, and lets them run when their time has come."""

    def __init__(self, store: Store, timeline: Timeline, random: Random) -> None:
        self.store = store
        self.timeline = timeline
        self.random = random
        self.control = ControlPlane(store, random)
        self._work: dict[str, float] = {}

    def enter(self, pod: Object, *, work_seconds: float | None = None) -> Object:
        """A new Pod; with an amount of work it ends by itself, and what it held is free again."""
        created = self.control.create_pod(pod)
        if work_seconds is not None:
            self._work[created["metadata"]["uid"]] = work_seconds
        return created

    def leave(self, namespace: str, name: str) -> None:
        self.control.delete_pod(namespace, name)

    def settle(self) -> None:
        """Place what fits; containers start a little later."""
        for placed in self.control.schedule():
            start_up = self.random.uniform(*_START_UP)
            self.timeline.after(start_up, lambda pod=placed: self._start(pod))  # type: ignore[misc]

    def _start(self, pod: Object) -> None:
        self.control.start(pod)
        work = self._work.pop(pod["metadata"]["uid"], None)
        if work is not None:
            self.timeline.after(work, lambda: self._complete(pod))

    def _complete(self, pod: Object) -> None:
        self.control.complete(pod)
        self.settle()
