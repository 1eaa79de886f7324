"""What happened to a claim, in order."""

from datetime import datetime

import msgspec
from django.db.models import Count

from inventory.models import ClaimEvent
from inventory.models.visibility import visible
from inventory.viewer import Viewer

MOST_EVENTS = 200


class EventRow(msgspec.Struct, frozen=True):
    """Known from a timestamp of the object, or, where `observed`, seen between `not_before` and `at`.

    Of an allocation: what its first device is and where, and for how many microseconds the claim had waited,
    where that is known.
    """

    kind: ClaimEvent.Kind
    at: datetime
    observed: bool
    not_before: datetime | None
    product: str
    node: str
    waited: int | None


class Events(msgspec.Struct, frozen=True):
    """`withheld` are of a time in which it was another team's; `earlier` are not told, they are so many."""

    rows: tuple[EventRow, ...]
    withheld: int
    earlier: int


def events(cluster: str, uid: str, *, viewer: Viewer) -> Events:
    """The latest, in the order in which they happened. A fixed number of queries."""
    of_claim = ClaimEvent.objects.filter(cluster__name=cluster, claim_uid=uid)
    seen = of_claim.filter(visible(ClaimEvent, viewer))
    counts = of_claim.aggregate(everyones=Count("pk"), own=Count("pk", filter=visible(ClaimEvent, viewer)))
    # What happened at one instant was written in its order.
    latest = seen.order_by("-at", "-pk")[:MOST_EVENTS]
    rows = tuple(_row(one) for one in latest)[::-1]
    return Events(rows, counts["everyones"] - counts["own"], counts["own"] - len(rows))


def _row(one: ClaimEvent) -> EventRow:
    return EventRow(
        kind=ClaimEvent.Kind(one.kind),
        at=one.at,
        observed=one.source == ClaimEvent.Source.OBSERVED,
        not_before=one.not_before,
        product=one.product,
        node=one.node,
        waited=one.waited_microseconds,
    )
