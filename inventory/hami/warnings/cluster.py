"""What a cluster has, or lacks, for the claims; nothing is said of what nobody has looked up."""

from collections.abc import Iterator

from inventory.hami.warnings.view import Use, View
from inventory.hami.warnings.warning import Code, ConversionWarning, Severity

# A Pod or namespace with it is left alone by HAMi's own webhook.
IGNORE_LABEL, IGNORED = "hami.io/webhook", "ignore"
_SECTIONS = ("limits", "requests")


def classes(view: View) -> Iterator[ConversionWarning]:
    known = view.surroundings.classes
    if known is None:
        return
    for use in _first_of_each(view):
        name = use.device.device_class
        values = {"class": name}
        if name not in known:
            yield use.warning(Code.CLASS_MISSING, Severity.NEVER_FITS, use.device.count, values)
        elif known[name] == use.device.count:
            yield use.warning(Code.CLASS_ANSWERS_TO_RESOURCE, Severity.NOTE, use.device.count, values)


def both_ways(view: View) -> Iterator[ConversionWarning]:
    """HAMi's device plugin and a DRA driver may count the same card, each without the other."""
    known = view.surroundings.resources
    if known is None or view.labels.get(IGNORE_LABEL) == IGNORED:
        return
    for use in _first_of_each(view):
        if use.device.count in known:
            instead = f"labels:\n  {IGNORE_LABEL}: {IGNORED}"
            yield use.warning(Code.BOTH_WAYS, Severity.NOTE, use.device.count, instead=instead)


def sharing(view: View) -> Iterator[ConversionWarning]:
    if view.surroundings.consumable_capacity is not False:
        return
    for use in view.uses:
        yield use.warning(Code.SHARING_OFF, Severity.DIFFERS, use.device.count)


def quotas(view: View) -> Iterator[ConversionWarning]:
    """Quotas on HAMi's names count no claim."""
    keys = view.surroundings.quotas or frozenset()
    for use in _first_of_each(view):
        own = [f"{section}.{name}" for section in _SECTIONS for name in use.device.names() if name]
        if found := [key for key in own if key in keys]:
            counted = f"{use.device.device_class}.deviceclass.resource.k8s.io/devices"
            values = {"quotas": ", ".join(found)}
            instead = f"hard:\n  {counted}: <how many>"
            yield use.warning(Code.QUOTA_NOT_COUNTED, Severity.DIFFERS, use.device.count, values, instead)


def _first_of_each(view: View) -> Iterator[Use]:
    """The first container that asks for a kind of card, for what is true of all."""
    for device in view.used:
        yield next(use for use in view.uses if use.device == device)
