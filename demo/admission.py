"""Which resource claims an API server refuses to create (pkg/apis/resource/validation upstream)."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from demo.refusals import FieldError, bad_request, invalid
from demo.resources import RESOURCE_CLAIMS
from demo.store import Object
from inventory.kube.quantity import QuantityError, parse

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_ONE_OF = "exactly one of `exactly` or `firstAvailable` is required"
_REFERENCE_RULE = (
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)
_MOST_REQUESTS = 32
_MOST_ALTERNATIVES = 8
_MOST_SELECTORS = 32
_LONGEST_EXPRESSION = 10 * 1024

Errors = Iterator[FieldError]


def admitted(claim: Object) -> Object:
    """The claim with its defaults. Raises Refusal: 400 when its shape is wrong, 422 when its content is."""
    try:
        errors = list(_claim_errors(claim))
    except (AttributeError, TypeError, KeyError) as error:
        raise bad_request(
            f"ResourceClaim in version {claim.get('apiVersion')!r} cannot be handled: {error}"
        ) from error
    if errors:
        raise invalid(RESOURCE_CLAIMS.kind, RESOURCE_CLAIMS.group, claim["metadata"].get("name", ""), errors)
    return {**claim, "spec": _with_defaults(claim["spec"]), "status": {}}


def _claim_errors(claim: Object) -> Errors:
    metadata = claim["metadata"]
    if metadata.get("name"):
        yield from _name_errors(metadata["name"], "metadata.name", _SUBDOMAIN, _SUBDOMAIN_RULE)
    elif not metadata.get("generateName"):
        yield _required("metadata.name", "name or generateName is required")
    devices = (claim.get("spec") or {}).get("devices") or {}
    requests = devices.get("requests") or []
    yield from _set_errors(requests, "spec.devices.requests", _MOST_REQUESTS, _request_errors)
    known = {request.get("name") for request in requests}
    for at, constraint in enumerate(devices.get("constraints") or []):
        yield from _reference_errors(constraint, f"spec.devices.constraints[{at}]", known)


def _set_errors(members: list[Any], path: str, most: int, check: Callable[[Object, str], Errors]) -> Errors:
    names: set[str] = set()
    for at, member in enumerate(members):
        yield from check(member, f"{path}[{at}]")
        name = member.get("name", "")
        if name and name in names:
            yield FieldError(f"{path}[{at}]", "FieldValueDuplicate", f"Duplicate value: {_quoted(name)}")
        names.add(name)
    if len(members) > most:
        message = f"Too many: {len(members)}: must have at most {most} items"
        yield FieldError(path, "FieldValueTooMany", message)


def _request_errors(request: Object, path: str) -> Errors:
    yield from _request_name_errors(request, path)
    exactly, alternatives = request.get("exactly"), request.get("firstAvailable")
    if exactly is None and not alternatives:
        yield _required(path, _ONE_OF)
    elif exactly is not None and alternatives:
        yield _invalid(path, "null", f"{_ONE_OF}, but multiple fields are set")
    elif alternatives:
        yield from _set_errors(
            alternatives, f"{path}.firstAvailable", _MOST_ALTERNATIVES, _alternative_errors
        )
    else:
        yield from _device_errors(exactly or {}, f"{path}.exactly")


def _alternative_errors(alternative: Object, path: str) -> Errors:
    yield from _request_name_errors(alternative, path)
    yield from _device_errors(alternative, path)


def _request_name_errors(request: Object, path: str) -> Errors:
    if not request.get("name"):
        yield _required(f"{path}.name", "")
    else:
        yield from _name_errors(request["name"], f"{path}.name", _LABEL, _LABEL_RULE)


def _device_errors(wanted: Object, path: str) -> Errors:
    if not wanted.get("deviceClassName"):
        yield _required(f"{path}.deviceClassName", "")
    else:
        yield from _name_errors(
            wanted["deviceClassName"], f"{path}.deviceClassName", _SUBDOMAIN, _SUBDOMAIN_RULE
        )
    yield from _selector_errors(wanted.get("selectors") or [], f"{path}.selectors")
    yield from _mode_errors(wanted, path)
    requested = (wanted.get("capacity") or {}).get("requests") or {}
    for key, amount in requested.items():
        yield from _quantity_errors(amount, f"{path}.capacity.requests[{key}]")


def _selector_errors(selectors: list[Any], path: str) -> Errors:
    for at, selector in enumerate(selectors):
        expression = (selector.get("cel") or {}).get("expression", "")
        if not expression:
            yield _required(f"{path}[{at}].cel.expression", "")
        elif len(expression.encode()) > _LONGEST_EXPRESSION:
            message = f"Too long: may not be more than {_LONGEST_EXPRESSION} bytes"
            yield FieldError(f"{path}[{at}].cel.expression", "FieldValueTooLong", message)
    if len(selectors) > _MOST_SELECTORS:
        message = f"Too many: {len(selectors)}: must have at most {_MOST_SELECTORS} items"
        yield FieldError(path, "FieldValueTooMany", message)


def _mode_errors(wanted: Object, path: str) -> Errors:
    mode, count = wanted.get("allocationMode", "ExactCount"), wanted.get("count", 0)
    if mode == "All" and count:
        yield _invalid(f"{path}.count", str(count), "must not be specified when allocationMode is 'All'")
    elif mode == "ExactCount" and count < 0:
        yield _invalid(f"{path}.count", str(count), "must be greater than zero")
    elif mode not in ("All", "ExactCount"):
        message = f'Unsupported value: {_quoted(mode)}: supported values: "All", "ExactCount"'
        yield FieldError(f"{path}.allocationMode", "FieldValueNotSupported", message)


def _quantity_errors(amount: object, path: str) -> Errors:
    try:
        parse(str(amount))
    except QuantityError as error:
        yield _invalid(path, _quoted(str(amount)), str(error))


def _reference_errors(constraint: Object, path: str, known: set[str]) -> Errors:
    for at, name in enumerate(constraint.get("requests") or []):
        if name.partition("/")[0] not in known:
            yield _invalid(f"{path}.requests[{at}]", _quoted(name), _REFERENCE_RULE)
    if not constraint.get("matchAttribute") and not constraint.get("distinctAttribute"):
        yield _required(f"{path}.matchAttribute", "")


def _name_errors(name: str, path: str, form: re.Pattern[str], rule: str) -> Errors:
    if not form.fullmatch(name):
        yield _invalid(path, _quoted(name), rule)


def _with_defaults(spec: Object) -> Object:
    """ExactCount and a count of one, where nothing else is said (pkg/apis/resource/v1/defaults.go)."""
    devices = spec.get("devices") or {}
    requests = [_request_with_defaults(request) for request in devices.get("requests") or []]
    return {**spec, "devices": {**devices, "requests": requests}}


def _request_with_defaults(request: Object) -> Object:
    if request.get("exactly") is not None:
        return {**request, "exactly": _counted(request["exactly"])}
    return {**request, "firstAvailable": [_counted(each) for each in request["firstAvailable"]]}


def _counted(wanted: Object) -> Object:
    mode = wanted.get("allocationMode") or "ExactCount"
    counted = {**wanted, "allocationMode": mode}
    if mode == "ExactCount":
        counted["count"] = wanted.get("count") or 1
    return counted


def _required(path: str, detail: str) -> FieldError:
    message = f"Required value: {detail}" if detail else "Required value"
    return FieldError(path, "FieldValueRequired", message)


def _invalid(path: str, value: str, detail: str) -> FieldError:
    return FieldError(path, "FieldValueInvalid", f"Invalid value: {value}: {detail}")


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()
