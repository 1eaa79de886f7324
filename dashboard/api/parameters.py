"""Query parameters: one that is not known, empty, or given twice where once is meant, is refused by name."""

from collections.abc import Collection
from typing import Any

import django_filters
from django.db.models import QuerySet
from django.http import QueryDict
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from dashboard.access.viewer import viewer_of
from inventory.queries.filters import Filters, LabelSelector, Names, Search, Truth

# On every request for a resource; `paging` adds its own on lists.
COMMON = ("fields", "format")
# Names that a list of names says in one word each.
_DESCRIPTIONS = {
    "cluster": "Name of a cluster.",
    "namespace": "Name of a namespace.",
    "team": "Short name of a team.",
    "node": "Name of a node.",
    "driver": "Name of a driver.",
    "pool": "Name of a pool.",
    "device": "Name of a device in its pool.",
    "device_class": "Name of a DeviceClass by which a request asked.",
    "product": "Product, as the driver publishes it.",
    "pod": "Name of a Pod.",
    "workload": "Name of a workload.",
    "claim": "Name of a ResourceClaim.",
    "uid": "UID of the object.",
    "uuid": "UUID of the device.",
    "q": "Part of a name, in any case.",
    "label_selector": "Kubernetes label selector, e.g. `app=train,tier in (a,b),!debug`.",
}


def refuse_unknown(parameters: QueryDict, known: Collection[str]) -> None:
    """Raises ValidationError naming every parameter that is not known or has no value."""
    errors: dict[str, list[str]] = {}
    for name in parameters:
        if name not in known:
            errors[name] = [f"unknown parameter; known are {', '.join(sorted(known))}"]
        elif not all(parameters.getlist(name)):
            errors[name] = ["has no value; leave it out, or give one"]
    if errors:
        raise ValidationError(errors)


def single(parameters: QueryDict, name: str) -> str | None:
    """Raises ValidationError where it is given more than once."""
    values = parameters.getlist(name)
    if len(values) > 1:
        raise ValidationError({name: ["give it once"]})
    return values[0] if values else None


def chosen_fields(parameters: QueryDict, known: Collection[str]) -> list[str] | None:
    """The fields asked for, in the order of the row; None: all of them."""
    asked = [name for text in parameters.getlist("fields") for name in text.split(",")]
    unknown = [name for name in asked if name not in known]
    if unknown:
        told = [f"unknown field {name!r}; known are {', '.join(known)}" for name in unknown]
        raise ValidationError({"fields": told})
    return [name for name in known if name in asked] if asked else None


class FilterBackend(BaseFilterBackend):
    """Narrows a list by the view's filters, and says in the schema which there are."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        viewer = viewer_of(request.user)
        filters: Filters = filters_of(view)(request.query_params, queryset=queryset, viewer=viewer)
        if not filters.is_valid():
            raise ValidationError({name: list(map(str, told)) for name, told in filters.errors.items()})
        return filters.filter_queryset(queryset)

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        if getattr(view, "action", "") != "list":
            return []
        return [_parameter(name, one) for name, one in filters_of(view).base_filters.items()]


def filters_of(view: APIView) -> type[Filters]:
    found: type[Filters] = view.filters  # type: ignore[attr-defined]
    return found


def _parameter(name: str, one: django_filters.Filter) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": _description(name, one),
        **_form(one),
    }


def _description(name: str, one: django_filters.Filter) -> str:
    if isinstance(one, django_filters.OrderingFilter):
        return "Order; `-` in front turns it round. Unknown values come last."
    told = _DESCRIPTIONS.get(name, "")
    many = "Repeated: any of them." if isinstance(one, Names | Search | LabelSelector) else ""
    return " ".join(filter(None, (told, many)))


def _form(one: django_filters.Filter) -> dict[str, Any]:
    if isinstance(one, Truth):
        return {"schema": {"type": "boolean"}}
    choices = [str(value) for value, _ in one.extra.get("choices") or ()]
    item = {"type": "string", **({"enum": choices} if choices else {})}
    separated = isinstance(one, django_filters.OrderingFilter)
    return {"schema": {"type": "array", "items": item}, "style": "form", "explode": not separated}
