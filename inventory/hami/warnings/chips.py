"""What HAMi does for Ascend chips and a claim does not say."""

from collections.abc import Iterator

from inventory.hami.ascend import CHIPS, MODE_ANNOTATION, SOFTWARE_MODE, Chip
from inventory.hami.warnings.view import Use, View
from inventory.hami.warnings.warning import Code, ConversionWarning, Correction, Severity, entry, warn
from inventory.hami.webhook.configuration import ASCEND

RUNTIME_CLASS = "ascend"
_MODULES_OF_TWO = "Ascend910C"


def chips(view: View) -> Iterator[ConversionWarning]:
    for use in view.uses:
        if use.device.vendor != ASCEND:
            continue
        yield from _selected(view, use)
        if use.device.word == _MODULES_OF_TWO:
            yield from _modules(use)
        if (chip := chip_cut(view, use)) is not None:
            yield from _templates(use, chip)


def chip_cut(view: View, use: Use) -> Chip | None:
    """The chip that HAMi cuts by its templates; None where it limits by software, or knows none."""
    by_software = view.annotations.get(MODE_ANNOTATION) == SOFTWARE_MODE
    if by_software or use.device.cores in use.asked.limits:
        return None
    return CHIPS.get(use.device.word)


def _selected(view: View, use: Use) -> Iterator[ConversionWarning]:
    """The selectors of every chip are the same: its name decides nothing any more."""
    chosen = (use.device.annotations.use_type, use.device.annotations.use_uuid)
    if any(name in view.annotations for name in chosen):
        return
    chip = CHIPS.get(use.device.word)
    instead = _choice(view, use, chip)
    cards = view.surroundings.cards_of(use.device.driver)
    models = sorted(cards.models) if cards else []
    values = {"chip": use.device.word, "models": ", ".join(models)}
    if not models:
        yield use.warning(Code.CHIP_NOT_SELECTED, Severity.DIFFERS, use.device.count, values, instead)
    elif chip is None or models != [chip.product_name]:
        yield use.warning(Code.OTHER_CHIPS_HERE, Severity.DIFFERS, use.device.count, values, instead)


def _choice(view: View, use: Use, chip: Chip | None) -> Correction | str:
    """Of the model; but all chips read one annotation, so that several cannot be told apart by it."""
    names = use.device.annotations
    alike = [one for one in view.used if one.annotations.use_type == names.use_type]
    if len(alike) > 1:
        return entry(names.use_uuid, "<the UUIDs of its cards>")
    return Correction(annotations={names.use_type: chip.product_name}) if chip is not None else ""


def _modules(use: Use) -> Iterator[ConversionWarning]:
    count = use.given(use.device.count)
    if count is None or count.rounded_up() < 1 or count.rounded_up() % 2 == 0:
        return
    even = count.rounded_up() + 1
    yield use.warning(
        Code.MODULES_OF_TWO,
        Severity.DIFFERS,
        use.device.count,
        {"even": even},
        Correction({use.device.count: even}),
    )


def _templates(use: Use, chip: Chip) -> Iterator[ConversionWarning]:
    """A claim takes the memory that it says, and all cores where it says none."""
    amount, resource = use.given(use.device.memory), use.device.memory
    if amount is None or amount.nanos <= 0:
        return
    asked = amount.rounded_up()
    given = chip.given(asked)
    if given is None:
        values, instead = {"capacity": chip.capacity}, Correction({resource: chip.allocatable})
        yield use.warning(Code.TEMPLATE_REFUSED, Severity.NOTE, resource, values, instead)
        return
    template = chip.template(asked)
    if template is None:
        values, instead = {"given_by_hami": given}, Correction({resource: None})
        yield use.warning(Code.WHOLE_CARD_GIVEN, Severity.DIFFERS, resource, values, instead)
        return
    if given != asked:
        values, instead = {"given_by_hami": given}, Correction({resource: given})
        yield use.warning(Code.TEMPLATE_NOT_TAKEN, Severity.DIFFERS, resource, values, instead)
    values, instead = {"cores": template.cores}, Correction({use.device.cores: chip.percent(template)})
    yield use.warning(Code.CORES_OF_TEMPLATE, Severity.DIFFERS, resource, values, instead)
    count = use.given(use.device.count)
    if count is not None and count.rounded_up() > 1:
        yield use.warning(Code.SLICES_OF_SEVERAL, Severity.NOTE, use.device.count)


def runtime_class(view: View) -> Iterator[ConversionWarning]:
    """HAMi's own webhook sets it; the converting one does not."""
    asking = [use for use in view.uses if use.device.vendor == ASCEND]
    if asking and not view.spec.get("runtimeClassName"):
        values = {"runtime_class": RUNTIME_CLASS}
        instead = f"runtimeClassName: {RUNTIME_CLASS}"
        yield warn(Code.RUNTIME_CLASS, Severity.DIFFERS, "spec.runtimeClassName", "", values, instead)
