"""Searches that pages start: one at a time in a process, and none again while the cluster is as it was.

A search looks at every device. Several at once would only take the interpreter from each other, and from all
other pages.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from django.http import HttpResponse
from django.utils.translation import gettext as _

from inventory.models import Cluster

_RETRY_SECONDS = 2
_running = Lock()

Found = TypeVar("Found")


class BusyError(Exception):
    """Another search is running; it ends within seconds."""


class Searches(Generic[Found]):
    """The last answers of one kind. Of those that are not `settled`, another search may find more."""

    def __init__(self, most: int, settled: Callable[[Found], bool]) -> None:
        self._most, self._settled = most, settled
        # By cluster and subject, each with the state of the cluster that it belongs to.
        self._kept: OrderedDict[Hashable, tuple[Hashable, Found]] = OrderedDict()
        self._lock = Lock()

    def answer(self, cluster: Cluster, subject: Hashable, search: Callable[[], Found]) -> Found:
        """Inside of a snapshot, with the cluster as read there. Raises BusyError."""
        key, state = (cluster.pk, subject), (cluster.created_at, cluster.revision, cluster.server_version)
        with self._lock:
            known = self._kept.get(key)
        if known is not None and known[0] == state:
            return known[1]
        found = _alone(search)
        if self._settled(found):
            self._keep(key, (state, found))
        return found

    def _keep(self, key: Hashable, answer: tuple[Hashable, Found]) -> None:
        with self._lock:
            self._kept[key] = answer
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def _alone(search: Callable[[], Found]) -> Found:
    if not _running.acquire(blocking=False):
        raise BusyError
    try:
        return search()
    finally:
        _running.release()


def busy() -> HttpResponse:
    """The answer to a script, which asks again; people are told on the page."""
    response = HttpResponse(
        _("Another search is running; it ends within seconds."),
        content_type="text/plain; charset=utf-8",
        status=503,
    )
    response["Retry-After"] = str(_RETRY_SECONDS)
    return response
