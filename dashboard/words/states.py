"""The word, the icon and the tone of every state. The colour only repeats what icon and word say."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from inventory.dra.features import FeatureState
from inventory.models import Claim, ClaimEvent, KindState, Pool
from inventory.models.devices import DeviceState
from inventory.queries.pods import PodState
from inventory.queries.slices import TeamBrief


class Badge(NamedTuple):
    """`tone` is a class of the style sheet: empty (neutral), ok, warn, bad or note."""

    word: str | Promise
    icon: str
    tone: str = ""
    mark: str = ""


DEVICE: dict[str, Badge] = {
    DeviceState.FREE: Badge(pgettext_lazy("device", "free"), "free", mark="○"),
    DeviceState.PARTLY_ALLOCATED: Badge(_("partly used"), "half", mark="◐"),
    DeviceState.FULL: Badge(pgettext_lazy("device", "full"), "full", mark="●"),
    DeviceState.DEDICATED: Badge(_("held whole"), "whole", mark="■"),
    DeviceState.OVER_ALLOCATED: Badge(_("over-allocated"), "bad", "bad", mark="⬡"),
    DeviceState.UNAVAILABLE: Badge(_("unavailable"), "warn", "warn", mark="▲"),
    DeviceState.NOT_PUBLISHED: Badge(_("not published"), "part", "warn", mark="▲"),
    DeviceState.UNKNOWN: Badge(_("not known"), "part", "warn", mark="▲"),
}

CLAIM: dict[str, Badge] = {
    Claim.State.PENDING: Badge(_("pending"), "wait", "warn"),
    Claim.State.ALLOCATED: Badge(_("allocated, not in use"), "half"),
    Claim.State.RESERVED: Badge(_("in use"), "full"),
    Claim.State.DELETED: Badge(_("being deleted"), "wait", "warn"),
    Claim.State.DELETED_ALLOCATED: Badge(_("being deleted, still allocated"), "wait", "warn"),
    Claim.State.DELETED_RESERVED: Badge(_("being deleted, still in use"), "wait", "warn"),
}

POOL: dict[str, Badge] = {
    Pool.State.COMPLETE: Badge(_("complete"), "ok", "ok"),
    Pool.State.INCOMPLETE: Badge(_("incomplete"), "part", "warn"),
    Pool.State.INCONSISTENT: Badge(_("inconsistent"), "warn", "warn"),
    Pool.State.INVALID: Badge(_("invalid"), "bad", "bad"),
    Pool.State.NOT_PUBLISHED: Badge(_("not published"), "part", "warn"),
}

KIND: dict[str, Badge] = {
    KindState.State.NEVER: Badge(_("never read"), "never"),
    KindState.State.READ: Badge(pgettext_lazy("kind", "read"), "ok", "ok"),
    KindState.State.FORBIDDEN: Badge(_("not allowed to read"), "deny", "bad"),
    KindState.State.FAILED: Badge(_("reading failed"), "bad", "bad"),
}

GATE: dict[str, Badge] = {
    FeatureState.SEEN: Badge(_("in use"), "ok", "ok"),
    FeatureState.ON_BY_DEFAULT: Badge(_("on by default"), "note"),
    FeatureState.OFF_BY_DEFAULT: Badge(_("off by default"), "note"),
    FeatureState.ABSENT: Badge(_("not in this release"), "never"),
    FeatureState.UNKNOWN: Badge(_("not known"), "part", "warn"),
}

POD: dict[str, Badge] = {
    PodState.FINISHED: Badge(_("ended"), "ok"),
    PodState.WAITING: Badge(_("waiting"), "wait", "warn"),
    PodState.HOLDING: Badge(_("holds"), "full"),
    PodState.PLACED: Badge(_("holds nothing"), "free"),
}

EVENT: dict[str, Badge] = {
    ClaimEvent.Kind.CREATED: Badge(pgettext_lazy("event", "created"), "free"),
    ClaimEvent.Kind.ALLOCATED: Badge(pgettext_lazy("event", "allocated"), "half"),
    ClaimEvent.Kind.RESERVED: Badge(pgettext_lazy("event", "reserved for a Pod"), "full"),
    ClaimEvent.Kind.DEALLOCATED: Badge(pgettext_lazy("event", "deallocated"), "free"),
    ClaimEvent.Kind.DELETED: Badge(pgettext_lazy("event", "deleted"), "never"),
}

TAINTED = Badge(_("tainted"), "warn", "warn", "▲")
NO_TEAM = _("no team")
ANOTHER_TEAM = _("another team")


def team_name(team: TeamBrief | None) -> str:
    """Whose it is, where that may be told."""
    if team is None:
        return str(NO_TEAM)
    return team.name or str(ANOTHER_TEAM)
