"""The API's description as a page: every resource, and a form for each list."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.http import urlencode
from drf_spectacular.generators import SchemaGenerator

from dashboard.pages.shell import page, show


@page
def docs(request: HttpRequest) -> HttpResponse:
    """With `try`, the answer of that list."""
    generator: Any = SchemaGenerator
    paths: dict[str, Any] = generator().get_schema(request=None, public=True)["paths"]
    tried = request.GET.get("try", "")
    if tried in paths:
        return redirect(f"{tried}?{_without_try(request.GET)}")
    return show(request, "api/docs.html", {"operations": list(_operations(paths))}, active="api")


def _without_try(parameters: QueryDict) -> str:
    return urlencode([(name, one) for name, found in parameters.lists() if name != "try" for one in found])


def _operations(paths: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path, methods in paths.items():
        operation = methods["get"]
        yield {
            "id": operation["operationId"],
            "path": path,
            "about": operation.get("description", ""),
            "is_list": not any(one["in"] == "path" for one in operation["parameters"]),
            "fields": [_field(one) for one in operation["parameters"] if one["in"] == "query"],
        }


def _field(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter["schema"]
    truth = ("true", "false") if schema.get("type") == "boolean" else ()
    return {
        "name": parameter["name"],
        "about": parameter.get("description", ""),
        "choices": schema.get("enum") or schema.get("items", {}).get("enum") or truth,
    }
