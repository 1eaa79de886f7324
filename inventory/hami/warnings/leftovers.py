"""Names of HAMi's that the webhook leaves where they are: an extended resource that no node has to give."""

from collections.abc import Iterator

from inventory.hami.asked import CONTAINERS, INIT_CONTAINERS, LIMITS, REQUESTS, Asked, mapping
from inventory.hami.percentages import PercentageError, percentage, resolved
from inventory.hami.vendors import VENDORS
from inventory.hami.warnings.view import View
from inventory.hami.warnings.warning import Code, ConversionWarning, Correction, Severity, warn, written
from inventory.hami.webhook.configuration import NVIDIA
from inventory.hami.webhook.devices import DraDevice
from inventory.kube.untrusted import printable

PERCENTAGE = "nvidia.com/gpumem-percentage"
PRIORITY = "nvidia.com/priority"
# What HAMi turns the priority into, for the library that it puts into the container.
_PRIORITY_VARIABLE = "CUDA_TASK_PRIORITY"
_VENDORS = {name: vendor.vendor for vendor in VENDORS for name in vendor.names()}


def leftovers(view: View) -> Iterator[ConversionWarning]:
    yield from _of_all(view)
    for asked in view.left:
        names = _left(view, asked)
        if not names:
            continue
        if asked.part == CONTAINERS:
            yield from _of_container(view, asked, names)
        else:
            is_init = asked.part == INIT_CONTAINERS
            code = Code.INIT_CONTAINER if is_init else Code.EPHEMERAL_CONTAINER
            yield _warning(view, asked, code, names)


def _of_all(view: View) -> Iterator[ConversionWarning]:
    resources = mapping(view.spec.get("resources"))
    for section in (LIMITS, REQUESTS):
        if names := [name for name in mapping(resources.get(section)) if name in view.known]:
            values = {"names": ", ".join(names)}
            yield warn(Code.POD_AS_A_WHOLE, Severity.NEVER_FITS, f"spec.resources.{section}", "", values)


def _left(view: View, asked: Asked) -> list[str]:
    """In their order. What a denied Pod would have had converted is not left, but refused."""
    refused: set[str] = set()
    if view.mutation.failure is not None and asked.part == CONTAINERS:
        refused = {name for one in view.devices if one.count in asked.limits for name in one.names()}
    found = (*asked.limits, *(name for name in asked.requests if name not in asked.limits))
    return [name for name in found if name in view.known and name not in refused]


def _of_container(view: View, asked: Asked, names: list[str]) -> Iterator[ConversionWarning]:
    rest = list(names)
    for name, told in ((PERCENTAGE, _percentage), (PRIORITY, _priority)):
        if name in rest:
            rest.remove(name)
            yield told(view, asked)
    for device in view.devices:
        if own := [name for name in rest if name in device.names()]:
            rest = [name for name in rest if name not in own]
            yield _of_device(view, asked, device, own)
    for vendor in dict.fromkeys(_VENDORS[name] for name in rest):
        of_vendor = [name for name in rest if _VENDORS[name] == vendor]
        yield _warning(view, asked, Code.OTHER_VENDOR, of_vendor, values={"vendor": vendor})


def _of_device(view: View, asked: Asked, device: DraDevice, names: list[str]) -> ConversionWarning:
    """The webhook looks at limits alone, and at nothing of a card without their count of cards."""
    counted = any(use.device == device and use.asked.index == asked.index for use in view.uses)
    if counted or device.count in names:
        moved = [name for name in names if name not in asked.limits]
        instead = written({"limits": {name: asked.requests[name] for name in moved}})
        return _warning(view, asked, Code.ONLY_REQUESTED, moved, instead)
    one_card, values = Correction({device.count: 1}), {"count": device.count}
    return _warning(view, asked, Code.WITHOUT_COUNT, names, one_card, values)


def _percentage(view: View, asked: Asked) -> ConversionWarning:
    given = asked.amount(PERCENTAGE)
    values = {"given": str(given)}
    return _warning(view, asked, Code.PERCENTAGE_LEFT, [PERCENTAGE], _amounts(view, given), values)


def _amounts(view: View, given: object) -> str:
    """A line for each model of card; empty where no card is known."""
    device = next((one for one in view.devices if one.vendor == NVIDIA), None)
    if device is None:
        return ""
    try:
        found = resolved(percentage(given), view.surroundings.cards_of(device.driver))
    except PercentageError:
        return ""
    return "\n".join(
        printable(f"{device.memory}: {one.mebibytes} # {one.model}, as {one.card}") for one in found
    )


def _priority(view: View, asked: Asked) -> ConversionWarning:
    given = str(asked.amount(PRIORITY))
    instead = written({"env": [{"name": _PRIORITY_VARIABLE, "value": given}]})
    return _warning(view, asked, Code.PRIORITY_LEFT, [PRIORITY], instead, {"given": given})


def _warning(
    view: View,
    asked: Asked,
    code: Code,
    names: list[str],
    instead: str | Correction = "",
    values: dict[str, str] | None = None,
) -> ConversionWarning:
    """Where nodes have all of it to give, the Pod runs, and HAMi's device plugin serves it as before."""
    given = view.surroundings.resources
    runs = given is not None and given.issuperset(names)
    severity = Severity.DIFFERS if runs else Severity.NEVER_FITS
    named = {"names": ", ".join(names), "resource": names[0], **(values or {})}
    return warn(code, severity, asked.place(names[0]), asked.name, named, instead)
