"""A limit as a bar: what is held, what waits, and a line where the limit is."""

from decimal import Decimal
from fractions import Fraction

from django.utils.translation import gettext as _

from dashboard.charts.segments import WHOLE, Bar, Ghost, Segment
from dashboard.words import amounts, quotas
from inventory.dra.quotas.standing import measured
from inventory.kube.quantity import Quantity
from inventory.queries.quotas import QuotaRow

# The scale ends past the larger of limit and use.
_PAST = Fraction(11, 10)


def quota_bar(row: QuotaRow, colour: int) -> Bar:
    """What is not known is not drawn; the words beside it say so."""
    held, waits, limit = (measured(one) for one in (row.used_at_least, row.pending_at_least, row.limit))
    scale = max(limit, held + waits) * _PAST
    if not scale:
        return Bar(label(row), [])
    used, waiting = _width(held, scale), _width(waits, scale)
    text = _held(row)
    return Bar(
        label(row),
        [Segment(colour, Decimal(0), used, text)] if used else [],
        ghost=Ghost(used, waiting, held + waits <= limit) if waiting else None,
        limit=_width(limit, scale),
    )


def label(row: QuotaRow) -> str:
    """`memory: 226.7 GiB held of a limit of 320 GiB`, for those who do not see the bar."""
    words = {"dimension": quotas.dimension(row.dimension), "limit": _amount(row.limit, row)}
    if row.used is None:
        words["held"] = _amount(row.used_at_least, row)
        return _("%(dimension)s: at least %(held)s held, limit %(limit)s") % words
    text = _("%(dimension)s: %(held)s held, limit %(limit)s") % {**words, "held": _amount(row.used, row)}
    if row.pending_at_least:
        waits = _amount(row.pending_at_least, row)
        text = _("%(text)s; %(waits)s more is asked for") % {"text": text, "waits": waits}
    return text


def _held(row: QuotaRow) -> str:
    return _("%(amount)s held") % {"amount": _amount(row.used_at_least, row)}


def _amount(quantity: Quantity, row: QuotaRow) -> str:
    return amounts.amount(quantity, row.unit)


def _width(part: Fraction, scale: Fraction) -> Decimal:
    """In hundredths of a per cent, which is all that a screen shows."""
    return Decimal(int(part / scale * 10_000)) * WHOLE / 10_000
