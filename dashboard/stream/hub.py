"""All streams of a web process: one look at the database a second is enough for any number of them.

It runs in the event loop and waits for nobody: what a stream cannot take yet waits in a queue of its own, and
when that is full, it is told to read everything anew. The database is asked in one thread; what is told is
put into words in another, so that streams go on, and turn stale, while the database does not answer.
"""

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import DatabaseError, close_old_connections, connections

from dashboard.stream import rights
from dashboard.stream.feed import Batch, Feed
from dashboard.stream.opening import Opening
from dashboard.stream.rights import Right
from dashboard.stream.seats import Seats
from dashboard.stream.wire import Reason
from inventory.models import Cluster
from inventory.queries.news import reading
from inventory.queries.news.events import Mark

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
# How long a right may hold on after it has lapsed.
RIGHTS_SECONDS = 5.0
# A stream ends by itself, some a little later than others, and its client comes again.
LIFE_SECONDS = (540.0, 660.0)
# How often one with nothing new looks whether something has turned stale.
_GLANCE_SECONDS = 5.0
# Looks that wait for a slow client, and those that are kept for one who is about to listen.
_WAITING = 8
_KEPT = 4

T = TypeVar("T")
Identities = tuple[tuple[object, ...], ...]


def identities(clusters: Sequence[Cluster]) -> Identities:
    return tuple((one.pk, one.name, one.created_at) for one in clusters)


class Listener:
    """One stream."""

    def __init__(self, opening: Opening, right: Right) -> None:
        self.feed: Feed = opening.feed
        self.right = right
        self.clusters: Sequence[Cluster] = opening.news.clusters
        self._identities = identities(self.clusters)
        self.ended = False
        self._batches: deque[Batch] = deque()
        self._missed = False
        self._something = asyncio.Event()

    def goes_on_with(self, clusters: Sequence[Cluster], found: Identities) -> bool:
        """Whether no cluster came, went, or has another name since it began."""
        if found != self._identities and not self.feed.goes_on_with(clusters):
            return False
        self.clusters, self._identities = clusters, found
        return True

    def offer(self, batch: Batch) -> None:
        if len(self._batches) >= _WAITING:
            self._batches.clear()
            self._missed = True
        elif not self._missed:
            self._batches.append(batch)
        self._something.set()

    def end(self) -> None:
        self.ended = True
        self._something.set()

    async def wait(self) -> None:
        """Until there is something, or for a glance."""
        if self._missed or self._batches:
            return
        try:
            async with asyncio.timeout(_GLANCE_SECONDS):
                await self._something.wait()
        except TimeoutError:
            return
        self._something.clear()

    def take(self) -> Callable[[], Sequence[bytes]]:
        """What is to be sent now, to be put into words elsewhere."""
        if self._missed:
            self._missed = False
            return partial(self._snapshot, self.clusters)
        if self._batches:
            return partial(self._news, self._batches.popleft())
        return partial(self._quiet, self.clusters)

    def _snapshot(self, clusters: Sequence[Cluster]) -> Sequence[bytes]:
        return [self.feed.snapshot(Reason.MISSED, clusters)]

    def _news(self, batch: Batch) -> Sequence[bytes]:
        """Other clusters may move all the time: one that is quiet is as if nothing did."""
        return list(self.feed.news(batch)) or self._quiet(batch.news.clusters)

    def _quiet(self, clusters: Sequence[Cluster]) -> Sequence[bytes]:
        event = self.feed.quiet(clusters)
        return [] if event is None else [event]


class Hub:
    def __init__(self) -> None:
        self.seats = Seats()
        self._listeners: set[Listener] = set()
        self._database = ThreadPoolExecutor(max_workers=1, thread_name_prefix="stream-database")
        self._words = ThreadPoolExecutor(max_workers=1, thread_name_prefix="stream-words")
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        # Up to where the last look saw, and the looks before it, for who has been answered meanwhile.
        self._marks: dict[int, Mark] = {}
        self._kept: deque[Batch] = deque(maxlen=_KEPT)

    async def events(self, listener: Listener) -> AsyncGenerator[bytes, None]:
        """What comes after its opening, until it ends."""
        if self._stopping:
            return
        self._join(listener)
        loop = asyncio.get_running_loop()
        until = time.monotonic() + random.uniform(*LIFE_SECONDS)  # noqa: S311 (no secret)
        try:
            while time.monotonic() < until:
                await listener.wait()
                if listener.ended:
                    return
                for event in await loop.run_in_executor(self._words, listener.take()):
                    yield event
        finally:
            self._listeners.discard(listener)

    def end_all(self) -> None:
        """From a signal handler, or any thread: the process is asked to stop."""
        self._stopping = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end, tuple(self._listeners))

    def _end(self, listeners: Collection[Listener]) -> None:
        for listener in listeners:
            listener.end()

    def _join(self, listener: Listener) -> None:
        self._loop = asyncio.get_running_loop()
        if self._task is None:
            self._kept.clear()
            self._marks = {}
            self._task = self._loop.create_task(self._look_again_and_again())
        for pk, mark in listener.feed.marks.items():
            self._marks.setdefault(pk, mark)
        for batch in self._kept:
            listener.offer(batch)
        self._listeners.add(listener)

    async def _look_again_and_again(self) -> None:
        checked = time.monotonic()
        while self._listeners:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                self._tell(await self._asked(self._look()))
                if time.monotonic() - checked >= RIGHTS_SECONDS:
                    await self._end_lapsed()
                    checked = time.monotonic()
            except DatabaseError as error:
                logger.warning("streams are told nothing new: the database does not answer: %s", error)
            except Exception:
                # All streams hang on this loop: what is wrong with one look may be right with the next.
                logger.exception("streams are told nothing new")
        self._task = None
        await self._asked(connections.close_all)

    def _look(self) -> Callable[[], Batch]:
        shares = any(one.feed.question.shares for one in self._listeners)
        marks = dict(self._marks) if shares else None
        return lambda: Batch(reading.read(marks))

    def _tell(self, batch: Batch) -> None:
        clusters, made = batch.news.clusters, batch.news.generations
        moved = any(self._marks.get(pk) != Mark(generation) for pk, generation in made.items())
        if moved:
            self._kept.append(batch)
            self._marks = {pk: Mark(generation) for pk, generation in made.items()}
        found = identities(clusters)
        for listener in tuple(self._listeners):
            if not listener.goes_on_with(clusters, found):
                listener.end()
            elif moved:
                listener.offer(batch)

    async def _end_lapsed(self) -> None:
        held = {one.right for one in self._listeners}
        gone = await self._asked(lambda: rights.lapsed(held))
        self._end([one for one in self._listeners if one.right in gone])

    async def _asked(self, do: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._database, _with_connection, do)


def _with_connection(do: Callable[[], T]) -> T:
    """As around a request: a connection that is old or broken is not used again."""
    close_old_connections()
    try:
        return do()
    finally:
        close_old_connections()


hub = Hub()
