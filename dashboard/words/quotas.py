"""Quotas in words: how a team stands, and why the native ones differ."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dashboard.words import amounts
from dashboard.words.states import NO_TEAM, Badge
from inventory.dra.quotas.pending import CARD_EQUIVALENTS, CARDS
from inventory.dra.quotas.standing import State
from inventory.models import TeamQuota
from inventory.queries.native_quotas import Counts
from inventory.queries.quotas import QuotaRow

_STATES = {
    State.WITHIN: Badge(gettext_lazy("within quota"), "ok", "ok"),
    State.USED_UP: Badge(gettext_lazy("used up"), "warn", "warn"),
    State.PENDING_OVER: Badge(gettext_lazy("what waits is over"), "wait", "warn"),
    State.UNKNOWN: Badge(gettext_lazy("not known"), "part", "warn"),
}
_OVER_HARD = Badge(gettext_lazy("over quota"), "bad", "bad")
# A soft limit is there to be told of, not to be kept at any price.
_OVER_SOFT = Badge(gettext_lazy("over the soft limit"), "warn", "warn")
_LATER = Badge(gettext_lazy("not yet in force"), "note")


def badge(row: QuotaRow) -> Badge:
    if not row.in_force:
        return _LATER
    if row.state is State.OVER:
        return _OVER_HARD if row.hard else _OVER_SOFT
    return _STATES[row.state]


def dimension(name: str) -> str:
    words = {CARDS: pgettext("dimension", "cards"), CARD_EQUIVALENTS: _("card-equivalents")}
    return words.get(name) or amounts.dimension_label(name)


def dimension_title(name: str) -> str:
    if name in (CARDS, CARD_EQUIVALENTS):
        text = dimension(name)
        return text[:1].upper() + text[1:]
    return amounts.dimension_title(name)


def devices(row: QuotaRow | TeamQuota) -> str:
    """On which devices a limit is."""
    named = [str(one) for one in (row.product, row.driver, row.device_class, row.cluster) if one]
    return ", ".join(named) or _("any card")


def whose(team: str | None, *, withheld: bool) -> str:
    if team is not None:
        return team
    return _("another team") if withheld else str(NO_TEAM)


def why_different(counts: Counts) -> str:
    """What a key of a ResourceQuota counts, which is not what a team holds."""
    match counts:
        case Counts.CLAIMS:
            return _(
                "counts ResourceClaim objects, allocated or not; nothing of how many devices, or how much of "
                "them."
            )
        case Counts.TEMPLATES:
            return _("counts ResourceClaimTemplate objects; they hold nothing themselves.")
        case Counts.DEVICES_OF_CLASS:
            return _(
                "counts devices from the spec when a claim is made: waiting claims and admin access too, "
                "“all” as 32 devices, of alternatives the most; a share of 1 GiB counts like a whole card."
            )
        case Counts.EXTENDED:
            return _(
                "counts what Pods request as an extended resource, and the devices of claims of its class, "
                "from their specs; nothing of memory or cores."
            )
    return _(
        "is HAMi's own count, of Pods that ask for its classic resources; shares of ResourceClaims are not "
        "in it."
    )
