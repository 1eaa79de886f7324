"""Counts and memory that come to mean something else."""

from collections.abc import Iterator

from inventory.dra.simulator.claims import MOST_RESULTS
from inventory.hami.surroundings import mebibytes
from inventory.hami.warnings.view import Use, View
from inventory.hami.warnings.warning import Code, ConversionWarning, Correction, Severity
from inventory.hami.webhook.amounts import from_json
from inventory.hami.webhook.go import int64
from inventory.kube.quantity import NANO, Notation, Quantity

MEBIBYTE = 1024 * 1024
# More MiB than any card has: the amount was meant in other units.
_IMPLAUSIBLE = 1024 * 1024
# From here on, MiB in bytes are more than an int64 holds.
_OVERFLOW = 2**43


def counts(view: View) -> Iterator[ConversionWarning]:
    for use in view.uses:
        resource = use.device.count
        count = use.given(resource)
        if count is None:
            continue
        # What the webhook reads: an int64, of which too large a number wraps around.
        whole = from_json(use.asked.limits[resource]).value()
        if whole == 0:
            instead = Correction({resource: None})
            yield use.warning(Code.COUNT_ZERO, Severity.DIFFERS, resource, instead=instead)
        elif whole > 0 and count.nanos % NANO:
            values, instead = {"count": whole}, Correction({resource: whole})
            yield use.warning(Code.COUNT_ROUNDED, Severity.DIFFERS, resource, values, instead)
        if whole > MOST_RESULTS:
            # Fewer cards are another demand, not another way to write it.
            yield use.warning(Code.TOO_MANY_RESULTS, Severity.NEVER_FITS, resource, {"most": MOST_RESULTS})


def memory(view: View) -> Iterator[ConversionWarning]:
    for use in view.uses:
        amount = use.given(use.device.memory)
        if amount is not None:
            yield from _memory(view, use, amount)


def _memory(view: View, use: Use, amount: Quantity) -> Iterator[ConversionWarning]:
    resource, whole = use.device.memory, amount.rounded_up()
    if not -_OVERFLOW <= whole < _OVERFLOW:
        yield _overflowing(use, amount)
    elif whole > _IMPLAUSIBLE:
        yield _huge(use, amount)
    elif whole < 0:
        yield use.warning(Code.MEMORY_NEGATIVE, Severity.DIFFERS, resource, instead=Correction({resource: 1}))
    elif whole == 0:
        yield use.warning(Code.MEMORY_ZERO, Severity.DIFFERS, resource, instead=Correction({resource: None}))
    else:
        yield from _plausible(view, use, amount)


def _overflowing(use: Use, amount: Quantity) -> ConversionWarning:
    """What is left of it, once its upper bits are gone, may be anything."""
    left = int64(from_json(use.asked.limits[use.device.memory]).value() * MEBIBYTE)
    severity = Severity.DIFFERS if left <= _IMPLAUSIBLE * MEBIBYTE else Severity.NEVER_FITS
    instead = _in_mebibytes(use, amount) if amount.nanos > 0 else ""
    return use.warning(Code.MEMORY_OVERFLOWS, severity, use.device.memory, {"bytes": left}, instead)


def _huge(use: Use, amount: Quantity) -> ConversionWarning:
    whole = amount.rounded_up()
    values = {"bytes": Quantity.of(whole * MEBIBYTE, Notation.BINARY), "mebibytes": whole}
    instead = _in_mebibytes(use, amount)
    return use.warning(Code.MEMORY_SUFFIX_HUGE, Severity.NEVER_FITS, use.device.memory, values, instead)


def _in_mebibytes(use: Use, amount: Quantity) -> Correction:
    """What was meant if the amount was given in bytes."""
    return Correction({use.device.memory: -(-amount.rounded_up() // MEBIBYTE)})


def _plausible(view: View, use: Use, amount: Quantity) -> Iterator[ConversionWarning]:
    resource, whole = use.device.memory, amount.rounded_up()
    size = {"mebibytes": str(whole), "bytes": str(Quantity.of(whole * MEBIBYTE, Notation.BINARY))}
    if amount.nanos % NANO:
        yield use.warning(
            Code.MEMORY_ROUNDED, Severity.DIFFERS, resource, size, Correction({resource: whole})
        )
    elif use.written(resource).strip()[-1:].isalpha():
        yield use.warning(Code.MEMORY_SUFFIX, Severity.NOTE, resource, size, Correction({resource: whole}))
    largest = _largest(view, use)
    if largest is not None and whole > largest:
        most = {"largest": str(largest), "driver": use.device.driver}
        instead = Correction({resource: largest})
        yield use.warning(Code.MEMORY_ABOVE_EVERY_CARD, Severity.NEVER_FITS, resource, most, instead)


def _largest(view: View, use: Use) -> int | None:
    """The MiB of the largest card there is for it; None where that is not known."""
    cards = view.surroundings.cards_of(use.device.driver)
    largest = cards.largest if cards else None
    return None if largest is None else mebibytes(largest)
