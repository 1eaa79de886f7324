"""When a cluster was read: what happened outside of that is not known."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings

from inventory.kube import kinds
from inventory.models import Cluster, Coverage, KindState
from inventory.sync.past import Past
from inventory.sync.progress import LAYOUT

# What is held, and of what.
_BOTH = (kinds.RESOURCE_SLICES.resource, kinds.RESOURCE_CLAIMS.resource)


def longest_break() -> timedelta:
    """After a longer one nobody can say what has happened in it."""
    return timedelta(seconds=settings.SLICEBOARD_STALE_SECONDS)


def extend(cluster: Cluster, states: Mapping[str, KindState], past: Past, now: datetime) -> None:
    """Up to when both kinds are known; after a break that was too long from now on, which is `now`.

    What a clock says that has stepped back was said before: then nothing is added. What was read before there
    was this history is not in it.
    """
    known = [state for kind in _BOTH if (state := states.get(kind)) is not None and state.layout == LAYOUT]
    moments = [state.succeeded_at for state in known if state.succeeded_at is not None]
    if len(moments) < len(_BOTH):
        return
    until = min(moments)
    rows = Coverage.objects.filter(cluster=cluster)
    last, following = rows.last(), None
    if last is not None and last.started_at > until:
        # Read under a clock that was ahead.
        last = rows.filter(started_at__lte=until).last()
        following = rows.filter(started_at__gt=until).first()
    if last is not None and until - last.ended_at <= longest_break():
        end = min(until, following.started_at) if following else until
        if end > last.ended_at:
            past.changed(last.ended_at)
            rows.filter(pk=last.pk).update(ended_at=end)
    elif following is None or now < following.started_at:
        past.changed(now)
        Coverage.objects.create(cluster=cluster, started_at=now, ended_at=now)
