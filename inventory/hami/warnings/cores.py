"""Cores that are left out, and cores that come to mean something else."""

from collections.abc import Iterator

from inventory.hami.asked import quantity
from inventory.hami.warnings.chips import chip_cut
from inventory.hami.warnings.view import Use, View
from inventory.hami.warnings.warning import Code, ConversionWarning, Correction, Severity
from inventory.hami.webhook.configuration import ASCEND, HYGON, NVIDIA
from inventory.kube.quantity import NANO

ALL = 100
# How many Pods HAMi lets share a card (deviceSplitCount of its chart).
_SHARERS = 10
_PERCENTAGE = "nvidia.com/gpumem-percentage"


def cores(view: View) -> Iterator[ConversionWarning]:
    for use in view.uses:
        if use.device.cores_are_percent_of_units:
            yield from _units(view, use)
        elif use.device.vendor in (NVIDIA, ASCEND):
            yield from _percent(view, use)


def _units(view: View, use: Use) -> Iterator[ConversionWarning]:
    """Compute units of a card as the webhook is told; the driver counts those that the card has."""
    amount, resource = use.given(use.device.cores), use.device.cores
    if amount is None:
        return
    if amount.nanos < 0:
        yield use.warning(Code.UNITS_NEGATIVE, Severity.DIFFERS, resource, instead=Correction({resource: 0}))
        return
    if amount.nanos > ALL * NANO:
        instead = Correction({resource: ALL})
        yield use.warning(Code.CORES_ABOVE_ALL, Severity.NEVER_FITS, resource, instead=instead)
    elif amount.nanos % NANO:
        whole = amount.rounded_up()
        yield use.warning(
            Code.CORES_ROUNDED, Severity.DIFFERS, resource, {"cores": whole}, Correction({resource: whole})
        )
    units = view.requested(use, "cores")
    if use.device.reference_units <= 0:
        told = f"{HYGON}:\n  referenceComputeUnits: <the compute units of a card>"
        yield use.warning(Code.UNITS_NOT_CONFIGURED, Severity.NEVER_FITS, resource, instead=told)
    elif units:
        values = {"units": units, "reference": use.device.reference_units}
        yield use.warning(Code.UNITS_OF_ONE_REFERENCE, Severity.NOTE, use.device.cores, values)


def _percent(view: View, use: Use) -> Iterator[ConversionWarning]:
    resource = use.device.cores
    amount = use.given(resource)
    if amount is None:
        is_left_out = resource not in use.asked.limits and chip_cut(view, use) is None
        if is_left_out and _is_part_of_a_card(use):
            yield _taking_all(use)
    elif amount.nanos < 0:
        yield use.warning(Code.CORES_NEGATIVE, Severity.DIFFERS, resource, instead=Correction({resource: 0}))
    elif amount.nanos > ALL * NANO:
        instead = Correction({resource: ALL})
        yield use.warning(Code.CORES_ABOVE_ALL, Severity.NEVER_FITS, resource, instead=instead)
    elif amount.nanos % NANO:
        whole = amount.rounded_up()
        yield use.warning(
            Code.CORES_ROUNDED, Severity.DIFFERS, resource, {"cores": whole}, Correction({resource: whole})
        )
    elif amount.nanos == ALL * NANO and use.device.vendor == NVIDIA and _is_part_of_a_card(use):
        instead = Correction({use.device.memory: None})
        yield use.warning(Code.CORES_NOT_EXCLUSIVE, Severity.NOTE, resource, instead=instead)


def _taking_all(use: Use) -> ConversionWarning:
    """About what is not there, so placed where there is something: at the memory."""
    place = use.device.memory if use.device.memory in use.asked.limits else use.device.count
    values = {"cores": use.device.cores, "all": ALL, "sharers": _SHARERS}
    return use.warning(
        Code.CORES_TAKE_ALL, Severity.DIFFERS, place, values, Correction({use.device.cores: 0})
    )


def _is_part_of_a_card(use: Use) -> bool:
    """Whether HAMi leaves memory to others; without an amount, or with zero, it takes a card as a whole."""
    amount = use.given(use.device.memory)
    if amount is not None and amount.nanos:
        return True
    share = quantity(use.asked.amount(_PERCENTAGE)) if _PERCENTAGE in use.asked.names() else None
    return use.device.vendor == NVIDIA and share is not None and 0 < share.nanos < ALL * NANO
