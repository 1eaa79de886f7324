"""Complaints about fields in the form of Kubernetes (apimachinery/pkg/util/validation/field)."""

from collections.abc import Iterable, Iterator

from inventory.hami.webhook.go import quote


def invalid(path: str, value: str, detail: str) -> str:
    """`value` as Kubernetes prints it: a text in quotes, a number as it is."""
    return f"{path}: Invalid value: {value}: {detail}"


def required(path: str, detail: str = "") -> str:
    return f"{path}: Required value" + (f": {detail}" if detail else "")


def duplicate(path: str, value: str) -> str:
    return f"{path}: Duplicate value: {quote(value)}"


def forbidden(path: str, detail: str) -> str:
    return f"{path}: Forbidden: {detail}"


def not_found(path: str, value: str, detail: str) -> str:
    return f"{path}: Not found: {quote(value)}: {detail}"


def unsupported(path: str, value: str, supported: Iterable[str]) -> str:
    listed = ", ".join(quote(one) for one in supported)
    return f"{path}: Unsupported value: {quote(value)}: supported values: {listed}"


def too_long(path: str, longest: int) -> str:
    return f"{path}: Too long: may not be more than {longest} bytes"


def names(path: str, name: str, faults: Iterable[str]) -> Iterator[str]:
    return (invalid(path, quote(name), fault) for fault in faults)
