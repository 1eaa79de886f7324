"""The API's description as a page: every resource, a form for each list, and the body of each question."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.http import urlencode
from drf_spectacular.generators import SchemaGenerator

from dashboard.pages.shell import page, show

Described = Mapping[str, Any]


@page
def docs(request: HttpRequest) -> HttpResponse:
    """With `try`, the answer of that list."""
    generator: Any = SchemaGenerator
    schema: Described = generator().get_schema(request=None, public=True)
    paths: Described = schema["paths"]
    tried = request.GET.get("try", "")
    if "get" in paths.get(tried, ()):
        return redirect(f"{tried}?{_without_try(request.GET)}")
    return show(request, "api/docs.html", {"operations": list(_operations(schema))}, active="api")


def _without_try(parameters: QueryDict) -> str:
    return urlencode([(name, one) for name, found in parameters.lists() if name != "try" for one in found])


def _operations(schema: Described) -> Iterator[dict[str, Any]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parameters = operation.get("parameters", [])
            yield {
                "id": operation["operationId"],
                "method": method.upper(),
                "path": path,
                "about": operation.get("description", ""),
                "is_list": method == "get"
                and _ends(operation)
                and not any(one["in"] == "path" for one in parameters),
                "fields": [_field(one) for one in parameters if one["in"] == "query"],
                **_body(schema, operation),
            }


def _ends(operation: Described) -> bool:
    """A stream of events does not: there is nothing to try."""
    return "text/event-stream" not in operation["responses"]["200"].get("content", {})


def _field(parameter: Described) -> dict[str, Any]:
    schema = parameter["schema"]
    truth = ("true", "false") if schema.get("type") == "boolean" else ()
    return {
        "name": parameter["name"],
        "about": parameter.get("description", ""),
        "choices": schema.get("enum") or schema.get("items", {}).get("enum") or truth,
    }


def _body(schema: Described, operation: Described) -> dict[str, Any]:
    """The fields of the body that a question is asked by, and examples of it."""
    if "requestBody" not in operation:
        return {"body": [], "examples": []}
    content = operation["requestBody"]["content"]["application/json"]
    name = content["schema"]["$ref"].rpartition("/")[2]
    question = schema["components"]["schemas"][name]
    return {
        "about_body": question.get("description", ""),
        "body": [
            {"name": name, "about": one.get("description", "")}
            for name, one in question["properties"].items()
        ],
        "examples": [
            {"about": one["summary"], "text": json.dumps(one["value"], indent=2)}
            for one in content.get("examples", {}).values()
        ],
    }
