"""Who holds what of devices: the shares that the viewer may see, and what others hold, added up."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.db.models import QuerySet, prefetch_related_objects

from inventory.kube.quantity import Quantity
from inventory.models import Share
from inventory.models.visibility import is_visible
from inventory.queries import shares as share_queries
from inventory.queries.results import PREFETCHED, held
from inventory.queries.shares import ShareRow
from inventory.queries.slices import OthersShares
from inventory.viewer import Viewer


class Holders(NamedTuple):
    """`others` is None where nothing is withheld. Admin access holds nothing: `others_watching` so often."""

    shares: list[ShareRow]
    others: OthersShares | None
    others_watching: int


NOBODY = Holders([], None, 0)


def holders(
    shares: QuerySet[Share], place: Callable[[int], int], *, viewer: Viewer
) -> defaultdict[int, Holders]:
    """By the place of their device, in a fixed number of queries; `shares` as `everyones` gives them."""
    listed = list(shares)
    prefetch_related_objects(listed, *PREFETCHED)
    seen = [share for share in listed if is_visible(share, viewer)]
    rows: defaultdict[int, list[ShareRow]] = defaultdict(list)
    for row in share_queries.rows(seen, viewer=viewer):
        rows[place(row.device.id)].append(row)
    others = _others(listed, seen, place)
    found: defaultdict[int, Holders] = defaultdict(lambda: NOBODY)
    for where in rows.keys() | others.keys():
        foreign = others[where]
        holding = [share for share in foreign if not share.admin_access]
        found[where] = Holders(rows[where], _added(holding), len(foreign) - len(holding))
    return found


def _others(
    listed: Sequence[Share], seen: Sequence[Share], place: Callable[[int], int]
) -> defaultdict[int, list[Share]]:
    known = {share.pk for share in seen}
    found: defaultdict[int, list[Share]] = defaultdict(list)
    for share in listed:
        if share.pk not in known:
            found[place(share.device_id)].append(share)
    return found


def _added(shares: Sequence[Share]) -> OthersShares | None:
    if not shares:
        return None
    amounts: dict[str, Quantity | None] = {}
    for share in shares:
        for name, amount in held(share).items():
            amounts[name] = _sum(amounts[name], amount) if name in amounts else amount
    return OthersShares(len(shares), amounts)


def _sum(one: Quantity | None, other: Quantity | None) -> Quantity | None:
    """Not known where one of them is not."""
    return None if one is None or other is None else one + other
