"""The CEL expressions by which a claim chooses among the cards."""

from collections.abc import Iterator, Mapping

import msgspec

from inventory.hami.converted import Rule
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.go import quote, trimmed


class NoUsableValueError(ValueError):
    """The message is the webhook's own."""


class Choice(msgspec.Struct, frozen=True):
    """One expression, and the annotation it comes from."""

    expression: str
    rule: Rule
    annotation: str = ""


def of_type(device: DraDevice) -> Choice:
    """The driver is not quoted: one with a quote in its name gives no valid expression."""
    of_attribute = f'device.attributes["{device.driver}"].type == "{device.type_value}"'
    of_driver = f'device.driver == "{device.driver}" && ' if device.selects_driver else ""
    return Choice(of_driver + of_attribute, Rule.CONFIGURED)


def of_annotations(device: DraDevice, annotations: Mapping[str, str]) -> Iterator[Choice]:
    """In the order of the webhook. Raises NoUsableValueError."""
    names = device.annotations
    for annotation, attribute, excludes, rule in (
        (names.use_uuid, "uuid", False, Rule.LIST_OF_UUIDS),
        (names.no_use_uuid, "uuid", True, Rule.LIST_OF_UUIDS),
        (names.use_type, "productName", False, Rule.LIST_OF_MODELS),
        (names.no_use_type, "productName", True, Rule.LIST_OF_MODELS),
    ):
        if annotation in annotations:
            listed = ",".join(_literals(annotation, annotations[annotation]))
            expression = f"device.attributes[{quote(device.driver)}].{attribute} in [{listed}]"
            yield Choice(f"!({expression})" if excludes else expression, rule, annotation)


def of_raw_annotations(device: DraDevice, annotations: Mapping[str, str]) -> Iterator[Choice]:
    """Those of 0.0.1: the text goes into the expression as it is, whatever it does there."""
    names = device.annotations
    for annotation, attribute in ((names.use_uuid, "uuid"), (names.use_type, "productName")):
        if annotation in annotations:
            expression = f'device.attributes["{device.driver}"].{attribute} == "{annotations[annotation]}"'
            yield Choice(expression, Rule.AS_IS, annotation)


def _literals(annotation: str, written: str) -> list[str]:
    """An empty list would let a claim match no card, or every card: the webhook would rather fail."""
    literals = [quote(item) for part in written.split(",") if (item := trimmed(part))]
    if not literals:
        raise NoUsableValueError(f"annotation {annotation} has no usable value: {quote(written)}")
    return literals
