"""Whose everything is, brought up to date when teams, assignments or rules change."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from inventory.models import Cluster
from inventory.sync.teams import assign


class _Held(threading.local):
    """Whether this thread is making several changes, and whether one of them asks for an assignment."""

    back = False
    due = False


_held = _Held()


@contextmanager
def changing_teams() -> Iterator[None]:
    """Several changes, of which each would move things: one assignment follows all of them, or none is made.

    Nothing is written by polls in the meantime, so that none of them waits for us while we wait for it.
    """
    if _held.back:
        yield
        return
    with transaction.atomic():
        hold_polls()
        _held.back, _held.due = True, False
        try:
            yield
        finally:
            _held.back = False
        if _held.due:
            assign_all()


def hold_polls() -> None:
    """Let none write before the end of this transaction; before the first row that a poll would wait for."""
    list(Cluster.objects.select_for_update().order_by("pk").values_list("pk"))


def assign_all() -> None:
    """Give everything to whom it belongs now; polls do the same for what they read."""
    if _held.back:
        _held.due = True
        return
    for pk in Cluster.objects.order_by("pk").values_list("pk", flat=True):
        _assign(pk)


@transaction.atomic
def _assign(cluster_id: int) -> None:
    """Under the lock under which polls write."""
    cluster = Cluster.objects.select_for_update().filter(pk=cluster_id).first()
    if cluster is not None and assign(cluster, timezone.now()):
        Cluster.objects.filter(pk=cluster_id).update(revision=F("revision") + 1)
