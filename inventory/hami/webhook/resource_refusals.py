"""What the validation of Kubernetes 1.36 says of the resources of a container, or of a Pod."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inventory.hami.webhook import field_errors
from inventory.hami.webhook.amounts import Amount, from_json
from inventory.hami.webhook.go import quote
from inventory.hami.webhook.kubernetes_names import qualified_faults

NameFaults = Callable[[str, str], Iterator[str]]

_HUGE_PAGES, _REQUESTS, _KUBERNETES = "hugepages-", "requests.", "kubernetes.io/"
_OF_CONTAINERS = frozenset({"cpu", "memory", "ephemeral-storage"})
_OF_PODS = ("cpu", "hugepages-", "memory")
_COUNTED = frozenset(
    {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)
_STANDARD = (
    _OF_CONTAINERS
    | _COUNTED
    | {"storage", "requests.storage"}
    | {f"{kind}.{name}" for kind in ("requests", "limits") for name in _OF_CONTAINERS}
)


def reasons(
    limits: Mapping[str, Any], requests: Mapping[str, Any], path: str, name_faults: NameFaults
) -> Iterator[str]:
    """`path` is that of the resources. Go has no order in a mapping; here it is that of the names."""
    bounds = {name: from_json(value).rounded_to_milli() for name, value in limits.items()}
    for name in sorted(bounds):
        place = f"{path}.limits[{name}]"
        yield from name_faults(name, place)
        yield from _of_amount(name, bounds[name], place)
    for name in sorted(requests):
        asked, place = from_json(requests[name]).rounded_to_milli(), f"{path}.requests[{name}]"
        yield from name_faults(name, place)
        yield from _of_amount(name, asked, place)
        yield from _beside_limit(name, asked, bounds.get(name), path)


def with_defaults(limits: Mapping[str, Any], requests: Mapping[str, Any]) -> dict[str, Any]:
    """The API server makes a request of a limit that has none."""
    return {**limits, **requests}


def of_container_name(name: str, path: str) -> Iterator[str]:
    yield from _of_name(name, path)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not _is_huge_pages(name):
            yield field_errors.invalid(path, quote(name), "must be a standard resource for containers")
    elif not _is_native(name) and not _is_extended(name):
        yield field_errors.invalid(path, quote(name), "doesn't follow extended resource name standard")


def of_pod_name(name: str, path: str) -> Iterator[str]:
    faults = list(_of_name(name, path))
    yield from faults
    if not faults and name not in _OF_PODS and not _is_huge_pages(name):
        yield field_errors.unsupported(path, name, _OF_PODS)


def _of_name(name: str, path: str) -> Iterator[str]:
    faults = list(field_errors.names(path, name, qualified_faults(name)))
    yield from faults
    if faults or "/" in name:
        return
    is_huge = _is_huge_pages(name.removeprefix(_REQUESTS))
    if name not in _STANDARD and not is_huge:
        yield field_errors.invalid(path, quote(name), "must be a standard resource type or fully qualified")


def _of_amount(name: str, found: Amount, path: str) -> Iterator[str]:
    printed = quote(str(found))
    if found.unscaled < 0:
        yield field_errors.invalid(path, printed, "must be greater than or equal to 0")
    is_whole = name in _COUNTED or _is_extended(name)
    # By thousandths, which overflow: a whole number may be called none.
    if is_whole and found.milli_value() % 1000:
        yield field_errors.invalid(path, printed, "must be an integer")


def _beside_limit(name: str, asked: Amount, limit: Amount | None, path: str) -> Iterator[str]:
    may_exceed = _is_native(name) and not _is_huge_pages(name)
    if limit is None:
        if not may_exceed:
            detail = "Limit must be set for non overcommitable resources"
            yield field_errors.required(f"{path}.limits", detail)
        return
    excess = asked.billionths() - limit.billionths()
    if excess > 0 or (excess and not may_exceed):
        relation = "less than or equal to" if may_exceed else "equal to"
        detail = f"must be {relation} {name} limit of {limit}"
        yield field_errors.invalid(f"{path}.requests", quote(str(asked)), detail)


def _is_native(name: str) -> bool:
    return "/" not in name or _KUBERNETES in name


def _is_extended(name: str) -> bool:
    if _is_native(name) or name.startswith(_REQUESTS):
        return False
    return not any(qualified_faults(_REQUESTS + name))


def _is_huge_pages(name: str) -> bool:
    return name.startswith(_HUGE_PAGES)
