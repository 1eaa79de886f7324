"""Kinds that bear on an answer and could not be read: what they hold is not taken for nothing."""

from collections.abc import Iterator, Sequence

from inventory.models import Cluster, KindState

# Many servers have none: such a kind is followed only where it is served.
_WHERE_SERVED = "devicetaintrules"


def unread(cluster: Cluster, kinds: Sequence[str]) -> Iterator[str]:
    """Those of the kinds that were never read, or may not be read any more."""
    if not kinds:
        return
    states = {one.kind: one for one in KindState.objects.filter(cluster=cluster, kind__in=kinds)}
    for kind in kinds:
        state = states.get(kind)
        if state is None:
            if kind != _WHERE_SERVED:
                yield kind
        elif state.succeeded_at is None or state.state == KindState.State.FORBIDDEN:
            yield kind
