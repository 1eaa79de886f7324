"""What happened to a claim, in order."""

from datetime import datetime

import msgspec
from django.db.models import Case, IntegerField, Value, When

from inventory.models import ClaimEvent
from inventory.models.visibility import visible
from inventory.viewer import Viewer

MOST_EVENTS = 200
_Kind = ClaimEvent.Kind
# Of one instant, in which a server with whole seconds may do all of it.
_ORDER = (_Kind.CREATED, _Kind.ALLOCATED, _Kind.RESERVED, _Kind.DEALLOCATED, _Kind.DELETED)


class EventRow(msgspec.Struct, frozen=True):
    """Known from a timestamp of the object, or, where `observed`, seen between `not_before` and `at`.

    Of an allocation: what its first device is and where, and for how many microseconds the claim had waited,
    where that is known.
    """

    kind: _Kind
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
    order = Case(
        *(When(kind=kind, then=Value(place)) for place, kind in enumerate(_ORDER)),
        output_field=IntegerField(),
    )
    seen = of_claim.filter(visible(ClaimEvent, viewer))
    everyones, own = of_claim.count(), seen.count()
    latest = seen.annotate(place=order).order_by("-at", "-place", "-pk")[:MOST_EVENTS]
    rows = tuple(_row(one) for one in latest)[::-1]
    return Events(rows, everyones - own, own - len(rows))


def _row(one: ClaimEvent) -> EventRow:
    return EventRow(
        kind=_Kind(one.kind),
        at=one.at,
        observed=one.source == ClaimEvent.Source.OBSERVED,
        not_before=one.not_before,
        product=one.product,
        node=one.node,
        waited=one.waited_microseconds,
    )
