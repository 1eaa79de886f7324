"""What happened to a claim, in order."""

from datetime import datetime

import msgspec

from inventory.models import ClaimEvent
from inventory.models.visibility import visible
from inventory.queries.at_once import Questions, number_of
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
    """The latest, in the order in which they happened. One query."""
    of_claim = ClaimEvent.objects.filter(cluster__name=cluster, claim_uid=uid)
    seen = of_claim.filter(visible(ClaimEvent, viewer))
    questions = Questions()
    everyones, own = questions.ask(number_of(of_claim)), questions.ask(number_of(seen))
    # What happened at one instant was written in its order.
    latest = questions.ask(seen.order_by("-at", "-pk").values_list(*_COLUMNS)[:MOST_EVENTS])
    rows = tuple(_row(*one) for one in latest.rows)[::-1]
    return Events(rows, everyones.number - own.number, own.number - len(rows))


_COLUMNS = ("kind", "source", "at", "not_before", "product", "node", "waited_microseconds")


def _row(
    kind: str,
    source: str,
    at: datetime,
    not_before: datetime | None,
    product: str,
    node: str,
    waited: int | None,
) -> EventRow:
    observed = source == ClaimEvent.Source.OBSERVED
    return EventRow(ClaimEvent.Kind(kind), at, observed, not_before, product, node, waited)
