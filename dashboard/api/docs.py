"""The API's description as a page: every resource with a form for its parameters."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """With `try`, the answer of that list: a form sends empty fields, which the API would refuse."""
    generator: Any = SchemaGenerator
    description = generator().get_schema(request=None, public=True)
    tried = request.GET.get("try", "")
    if tried in description["paths"]:
        return redirect(f"{tried}?{_filled(request.GET)}")
    operations = list(_operations(description))
    return render(request, "api/docs.html", {"info": description["info"], "operations": operations})


def _filled(parameters: QueryDict) -> str:
    return urlencode(
        [(name, one) for name, found in parameters.lists() if name != "try" for one in found if one]
    )


def _operations(description: dict[str, Any]) -> Any:
    for path, methods in description["paths"].items():
        operation = methods["get"]
        parameters = operation.get("parameters", [])
        yield {
            "id": operation["operationId"],
            "path": path,
            "about": operation.get("description", ""),
            "in_path": [one for one in parameters if one["in"] == "path"],
            "in_query": [_field(one) for one in parameters if one["in"] == "query"],
        }


def _field(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter["schema"]
    choices = schema.get("enum") or schema.get("items", {}).get("enum") or ()
    return {
        "name": parameter["name"],
        "about": parameter.get("description", ""),
        "choices": ["true", "false"] if schema.get("type") == "boolean" else choices,
    }
