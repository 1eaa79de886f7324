"""A living cluster: three Pods and one card, many teams and jobs around them, some trouble."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

from demo.store import Store
from demo.story import fleet, residents, trouble
from demo.story.ascend import AscendStory
from demo.story.jobs import Jobs
from demo.story.stage import Stage
from demo.story.timeline import Timeline

Clock = Callable[[], datetime]
_PRELUDE = 1200.0
_PAUSE = 75.0


class Story:
    """Runs only as far as it is told to: `advance` lets story time pass, steps can be taken by hand.

    The same seed gives the same story. It opens with twenty minutes already behind it, so that there
    is something to see, and with share-c waiting. Times in objects are story time counted from
    `start`, unless a clock is given for what happens after the opening.
    """

    def __init__(self, *, seed: int = 7, start: datetime | None = None, clock: Clock | None = None) -> None:
        self._lock = threading.RLock()
        self._timeline = Timeline()
        self._opening = (start or datetime.now(UTC)) - timedelta(seconds=_PRELUDE)
        self._clock: Clock | None = None
        random = Random(seed)
        self.store = Store(clock=self._time, random=random)
        stage = Stage(self.store, self._timeline, random)
        self._ascend = AscendStory(stage, _PAUSE)
        fleet.install(self.store, self.store.new_uid)
        residents.found(stage)
        self._ascend.open()
        residents.settle_in(stage)
        trouble.strike(stage)
        Jobs(stage).open()
        self._timeline.advance(_PRELUDE)
        self._clock = clock
        self._ascend.play()

    def advance(self, seconds: float) -> None:
        with self._lock:
            self._timeline.advance(seconds)

    def seconds_to_next(self) -> float | None:
        """How long nothing will happen."""
        with self._lock:
            return self._timeline.seconds_to_next()

    def delete_share_a(self) -> None:
        with self._lock:
            self._ascend.delete_share_a()

    def restore_share_a(self) -> None:
        with self._lock:
            self._ascend.restore_share_a()

    def _time(self) -> datetime:
        if self._clock is not None:
            return self._clock()
        return self._opening + timedelta(seconds=self._timeline.position)
