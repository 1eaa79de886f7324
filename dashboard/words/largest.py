"""The largest request that still fits, in words."""

from django.utils.translation import gettext as _

from dashboard.words.amounts import amount, dimension_label
from inventory.queries.largest import LargestRow, OmittedRow, ProductRow, RoomRow


def request(row: LargestRow) -> str:
    """As it is written under `capacity.requests`: `memory: 80Gi, cores: 0`."""
    return ", ".join(f"{name}: {quantity}" for name, quantity in row.request)


def omitted(row: OmittedRow) -> str:
    words = {
        "what": dimension_label(row.amount.dimension),
        "amount": amount(row.amount.quantity, row.amount.unit),
    }
    if row.left:
        return _("leaving out %(what)s takes %(amount)s of it") % words
    return _("leaving out %(what)s takes %(amount)s of it, which is not left") % words


def nothing(row: RoomRow | ProductRow, dimension: str) -> str:
    """Why there is no largest amount of a dimension; empty where it is not known."""
    if dimension not in row.published:
        return _("none published")
    if row.unknown == row.cards:
        return ""
    # What is left of cards that cannot be had, or of which nothing is known, may be much.
    return _("none to be had") if row.unknown or row.barred else _("none left")
