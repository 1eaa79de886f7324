"""The API's description: resources from the row types, parameters from the filters that read them."""

from typing import Any

import msgspec
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from drf_spectacular.drainage import warn
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import Direction, OpenApiParameter, OpenApiResponse

from dashboard.api.conditional import AS_OF
from dashboard.api.serializers import RowSerializer

_PROBLEM_JSON = "application/problem+json"
_PROBLEM = {
    "type": "object",
    "description": "RFC 9457 problem details.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["detail"],
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
}
_REFUSALS = {
    400: "A parameter, field or value is not known; `errors` names it.",
    401: "Not signed in, or the token is not valid.",
    404: "There is no such object.",
    406: "None of the accepted media types is on offer.",
    429: "Too many requests; `Retry-After` says when to come back.",
}
_OF_WRITES = {412: "Somebody has changed it in the meantime: read it again."}
_OF_BODIES = {
    400: "The body cannot be read; `errors` names the field and says what is wrong in it.",
    403: "A browser's session without its CSRF token, or somebody who may not do this.",
    411: "The body comes in chunks, and the server does not tell where they end.",
    413: "The body is too long.",
    415: "The body is not `application/json`.",
}
_QUANTITY = {
    "type": "object",
    "description": "An exact amount: as Kubernetes writes it, and as a number in the dimension's base unit.",
    "required": ["quantity", "value"],
    "properties": {
        "quantity": {"type": "string", "examples": ["8Gi"]},
        "value": {"type": "number", "examples": [8589934592]},
    },
}
_SEEN = {
    "as_of": {"type": ["string", "null"], "format": "date-time"},
    "stale": {"type": "boolean"},
}


def problems(*statuses: int) -> dict[Any, OpenApiResponse]:
    """The refusals that a view of its own may answer with."""
    told = {**_REFUSALS, **_OF_BODIES, **_OF_WRITES}
    return {
        (status, _PROBLEM_JSON): OpenApiResponse(_PROBLEM, description=told[status]) for status in statuses
    }


class ResourceSchema(AutoSchema):
    """Adds what every resource answers and understands."""

    view: Any

    def get_override_parameters(self) -> Any:
        if self.method != "GET":
            return []
        fields = ", ".join(f"`{name}`" for name in self.view.row.__struct_fields__)
        known = ["json", "csv"] if self._is_list_view() else ["json"]
        return [
            OpenApiParameter("fields", str, description=f"Only these fields, comma separated: {fields}."),
            OpenApiParameter("format", str, enum=known, description="Instead of the `Accept` header."),
            OpenApiParameter(
                "If-None-Match",
                str,
                OpenApiParameter.HEADER,
                description="An earlier `ETag`; 304 if it still holds.",
            ),
            OpenApiParameter(
                AS_OF,
                OpenApiTypes.DATETIME,
                OpenApiParameter.HEADER,
                description="The oldest observation that the answer rests on; missing before the first.",
                response=[200, 304],
            ),
        ]

    def get_response_serializers(self) -> Any:
        found: dict[Any, Any] = {200: self.view.get_serializer()}
        if self._is_list_view():
            found[200, "text/csv"] = OpenApiTypes.STR
        found[304] = OpenApiResponse(
            description="No poll since the answer with that ETag has found a change."
        )
        for status, told in _REFUSALS.items():
            if status != 404 or not self._is_list_view():
                found[status, _PROBLEM_JSON] = OpenApiResponse(_PROBLEM, description=told)
        return found

    def _is_list_view(self, serializer: Any = None) -> bool:
        if serializer is None:
            return bool(getattr(self.view, "action", "") == "list")
        return super()._is_list_view(serializer)

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        bodies = super()._get_response_bodies(direction)
        if self.method == "GET" and not self._is_list_view():
            body = bodies["200"]["content"]["application/json"]
            body["schema"] = {"allOf": [body["schema"], {"type": "object", "properties": _SEEN}]}
        return bodies


class QuestionSchema(AutoSchema):
    """Of a view that is asked by a body, which is never left out."""

    def _get_request_body(self, direction: Direction = "request") -> Any:
        body = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        return body and {**body, "required": True}


class TokenScheme(KnoxTokenScheme):  # type: ignore[no-untyped-call]
    target_class = "dashboard.access.tokens.TokenAuthentication"


class RowSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """A resource is described by the type of its rows."""

    target_class = RowSerializer
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:
        return _name(self.target.row.__name__)

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        row = self.target.row
        _, components = msgspec.json.schema_components([row], ref_template="#/components/schemas/{name}")
        described = {name: _described(name, schema) for name, schema in components.items()}
        own: dict[str, Any] = described.pop(row.__name__)
        # Only the wire form of a quantity is seen.
        described.pop("Notation", None)
        for name, schema in described.items():
            _register(auto_schema, name, schema)
        return own


def _register(auto_schema: AutoSchema, row: str, schema: dict[str, Any]) -> None:
    """One that is a resource of its own, too, is known as that, whichever comes first."""
    name = _name(row)
    of_row = (one for one in RowSerializer.__subclasses__() if one.row.__name__ == row)
    component = ResolvedComponent(  # type: ignore[no-untyped-call]
        name=name, type=ResolvedComponent.SCHEMA, schema=schema, object=next(of_row, name)
    )
    # Not `in`: it warns of a row that is a resource of its own and a part of another.
    try:
        known = auto_schema.registry[component]
    except KeyError:
        auto_schema.registry.register(component)
        return
    if known.schema != schema:
        warn(f"two components are named {name}")


def _described(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return _QUANTITY if name == "Quantity" else _mended(schema)


def _mended(schema: Any) -> Any:
    """Decimals as numbers, and references by the names that the components have here."""
    if isinstance(schema, list):
        return [_mended(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "decimal":
        return {"type": "number"}
    if "$ref" in schema:
        head, _, name = schema["$ref"].rpartition("/")
        return {"$ref": f"{head}/{_name(name)}"}
    return {key: _mended(value) for key, value in schema.items() if key != "title"}


def _name(row: str) -> str:
    return row.removesuffix("Row")
