"""What HAMi's Pods become, in words: by code, so that it can be read in every language.

The English of warnings, remarks and losses stands beside their rules in inventory.hami, and is the key of its
translation here.
"""

from collections.abc import Iterator

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from dashboard.words.states import Badge
from inventory.dra.simulator.explanation import Verdict
from inventory.hami.converted import Rule
from inventory.hami.previews import Outcome
from inventory.hami.warnings.warning import Severity
from inventory.hami.warnings.wording import ENGLISH, Wording
from inventory.hami.webhook.profiles import Profile
from inventory.hami.wording import LOSSES, REMARKS, WITHOUT_PROPOSAL
from inventory.queries.conversion.rows import (
    LossRow,
    PodConversionRow,
    RemarkRow,
    Searched,
    SummaryRow,
    UnavailableRow,
    WarningRow,
)

OUTCOME: dict[str, Badge] = {
    Outcome.REFUSED: Badge(pgettext_lazy("conversion", "refused"), "bad", "bad"),
    Outcome.WITH_WARNINGS: Badge(gettext_lazy("with warnings"), "warn", "warn"),
    Outcome.CONVERTED: Badge(pgettext_lazy("conversion", "converted"), "ok", "ok"),
    Outcome.UNCHANGED: Badge(pgettext_lazy("conversion", "unchanged"), "free"),
}
SEVERITY: dict[str, Badge] = {
    Severity.NEVER_FITS: Badge(gettext_lazy("never fits"), "bad", "bad"),
    Severity.DIFFERS: Badge(gettext_lazy("differs"), "warn", "warn"),
    Severity.NOTE: Badge(pgettext_lazy("severity", "note"), "note", "note"),
}
# A field that means what it meant before.
SAME = Badge(pgettext_lazy("meaning", "same"), "ok", "ok")
SEARCHED: dict[str, Badge] = {
    Searched.NO_CLUSTER: Badge(gettext_lazy("not asked"), "never"),
    Searched.NOT_CREATED: Badge(gettext_lazy("nothing to place"), "note"),
    Searched.NO_TIME: Badge(gettext_lazy("no time left"), "wait", "warn"),
    Searched.NOT_POSSIBLE: Badge(gettext_lazy("cannot be told"), "part", "warn"),
}
# Something else keeps the Pod from running.
FITS_IN_VAIN = Badge(gettext_lazy("its claims fit"), "warn", "warn")
RULE: dict[str, str | Promise] = {
    Rule.AS_IS: gettext_lazy("as it is"),
    Rule.COUNT: gettext_lazy("a whole number, rounded up"),
    Rule.MIB_TO_BYTES: gettext_lazy("MiB to bytes, × 1,048,576"),
    Rule.PERCENT_OF_UNITS: gettext_lazy("percent of the card’s compute units, rounded up"),
    Rule.LIST_OF_UUIDS: gettext_lazy("text to a list, whole UUIDs only"),
    Rule.LIST_OF_MODELS: gettext_lazy("text to a list, whole names only"),
    Rule.CONFIGURED: gettext_lazy("always the same, as the webhook is configured"),
    Rule.NAMED: gettext_lazy("put together"),
    Rule.REMOVED: gettext_lazy("taken away"),
    Rule.REPRINTED: gettext_lazy("the same amount, printed anew"),
}
PROFILE: dict[str, str | Promise] = {
    Profile.V0_2_3: "0.2.3",
    Profile.V0_0_1: "0.0.1",
    Profile.LATER: gettext_lazy("later than 0.2.3"),
    Profile.TEMPLATE: gettext_lazy("later, with claim templates"),
}
_SAID: dict[str, str | Promise] = {
    Outcome.UNCHANGED: gettext_lazy("It stays as it is: the webhook finds nothing to convert in it."),
    Outcome.CONVERTED: gettext_lazy("It is converted, and means the same."),
    Outcome.WITH_WARNINGS: gettext_lazy(
        "It is converted, but comes to mean something else: see the warnings."
    ),
}


def outcome(pod: PodConversionRow) -> str:
    """In one sentence."""
    if pod.failure is not None:
        return _("The webhook refuses the Pod.")
    if pod.refusals:
        return _("The webhook converts it, and Kubernetes refuses what comes out.")
    if pod.warnings and not pod.claims:
        return _("Nothing in it is converted, but it does not go on as before: see the warnings.")
    if pod.outcome is Outcome.CONVERTED and pod.warnings:
        return _("It is converted, and means the same. The notes say what else is good to know.")
    return str(_SAID[pod.outcome])


def fits_in_vain(pod: PodConversionRow) -> bool:
    """Whether there is room for its claims, and something else keeps it from running."""
    fits = pod.fit is not None and pod.fit.verdict is Verdict.FITS
    return fits and any(one.severity is Severity.NEVER_FITS for one in pod.warnings)


def warning(row: WarningRow) -> Wording:
    """With the values filled in; those come from a manifest or a cluster."""
    texts = msgspec.structs.astuple(ENGLISH[row.code])
    return Wording(*(_(text).format_map(row.values) for text in texts))


def remark(row: RemarkRow) -> str:
    return _(REMARKS[row.note]).format(text=row.text or "")


def loss(row: LossRow) -> str:
    return _(LOSSES[row.lost]).format(given=row.given)


def unavailable(row: UnavailableRow) -> str:
    return _(WITHOUT_PROPOSAL[row.reason]).format(vendor=row.vendor)


def searched(pod: PodConversionRow) -> str:
    """Why it was not looked for room."""
    match pod.searched:
        case Searched.NO_CLUSTER:
            return _("Choose a cluster to see where it would go.")
        case Searched.NOT_CREATED:
            return _("No claim would be made of it, so there is nothing to place.")
        case Searched.NO_TIME:
            return _("The time for looking was over before it was its turn.")
        case Searched.NOT_POSSIBLE:
            return _("Something else that it names stands in the way.")
    return ""


def summary(row: SummaryRow) -> str:
    """How many came to what, in one sentence."""
    objects = ngettext("%(n)s object", "%(n)s objects", row.objects) % {"n": f"{row.objects:,}"}
    counted = pgettext("list", ", ").join(_counted(row))
    if not counted:
        return _("There is nothing in it.")
    return _("%(objects)s: %(counted)s.") % {"objects": objects, "counted": counted}


def _counted(row: SummaryRow) -> Iterator[str]:
    for n, message in (
        (row.converted, _("%(n)s converted")),
        (row.with_warnings, _("%(n)s with warnings")),
        (row.refused, _("%(n)s refused")),
        (row.unchanged, _("%(n)s unchanged")),
        (row.unreadable, _("%(n)s not readable")),
    ):
        if n:
            yield message % {"n": f"{n:,}"}
