"""What changed, in words."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from dashboard.words import published, quotas, spans
from dashboard.words.amounts import amount
from dashboard.words.states import Badge
from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS
from inventory.dra.units import Unit, unit_of
from inventory.queries.history.changes import Changes, QuotaChange
from inventory.queries.history.device_changes import DeviceChange, Kind

_KINDS = {
    Kind.CAME: Badge(pgettext_lazy("device", "came"), "ok"),
    Kind.WENT: Badge(pgettext_lazy("device", "went"), "warn", "warn"),
    Kind.CHANGED: Badge(pgettext_lazy("device", "changed"), "note", "note"),
}


def badge(kind: Kind) -> Badge:
    return _KINDS[kind]


def what(one: DeviceChange) -> str:
    """What it is, or what became of it."""
    if one.before is not None and one.after is not None:
        changed = published.differences(one.driver, one.before, one.after)
        return "; ".join(changed) or _("published in another way")
    offer = one.offer
    return published.offered(one.driver, offer) if offer else ""


def where(one: DeviceChange) -> str:
    node = one.offer.node if one.offer else ""
    return node or one.pool


def quota(one: QuotaChange) -> str:
    """`memory 320 GiB, hard, on any card`."""
    words = {
        "dimension": quotas.dimension_title(one.dimension),
        "limit": amount(one.limit, _unit(one)),
        "kind": _("hard limit") if one.hard else _("soft limit"),
        "devices": ", ".join(one.devices) or _("any card"),
    }
    return _("%(dimension)s: %(kind)s of %(limit)s on %(devices)s") % words


def say(found: Changes) -> str:
    """All of it in one sentence; what did not change is left out."""
    numbers = found.devices.numbers
    told = [
        _many(ngettext("%(n)s device came", "%(n)s devices came", numbers[Kind.CAME]), numbers[Kind.CAME]),
        _many(ngettext("%(n)s device went", "%(n)s devices went", numbers[Kind.WENT]), numbers[Kind.WENT]),
        _many(
            ngettext("%(n)s device changed", "%(n)s devices changed", numbers[Kind.CHANGED]),
            numbers[Kind.CHANGED],
        ),
        _many(ngettext("%(n)s share began", "%(n)s shares began", found.begun), found.begun),
        _many(ngettext("%(n)s share ended", "%(n)s shares ended", found.ended), found.ended),
        _many(
            ngettext(
                "%(n)s claim waits that did not exist before",
                "%(n)s claims wait that did not exist before",
                found.claims.number,
            ),
            found.claims.number,
        ),
        *(_unread(found)),
    ]
    said = [one for one in told if one]
    return _joined(said) if said else _("Nothing changed in this time, as far as it was read.")


def _many(words: str, number: int) -> str:
    return words % {"n": f"{number:,}"} if number else ""


def _unread(found: Changes) -> Sequence[str]:
    return [
        _("%(cluster)s was not read for %(time)s")
        % {"cluster": one.cluster, "time": spans.duration(sum(gap.end - gap.start for gap in one.unread))}
        for one in found.unread[:3]
    ]


def _joined(parts: Sequence[str]) -> str:
    return _("%(changes)s.") % {"changes": "; ".join(parts)}


def _unit(one: QuotaChange) -> Unit:
    if one.dimension in (CARDS, CARD_EQUIVALENTS):
        return Unit.COUNT
    return unit_of(one.driver or "*.project-hami.io", one.dimension, one.limit.notation)
