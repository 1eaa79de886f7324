"""What teams should hold at most. Who may see a team reads its quotas; operators write them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, cast

import msgspec
from django.core.exceptions import ValidationError as ModelError
from django.db import transaction
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from msgspec import UNSET, Meta, UnsetType
from rest_framework.exceptions import APIException, NotFound, PermissionDenied, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.access.roles import is_operator
from dashboard.access.viewer import viewer_of
from dashboard.api.bodies import BodyParser, measure
from dashboard.api.resource import Resource
from dashboard.api.schema import problems
from dashboard.api.serializers import RowSerializer
from inventory.models import Cluster, Team, TeamQuota
from inventory.queries import quotas

_OPERATORS = "Quotas are written by operators."


_Instant = Annotated[datetime, Meta(tz=True)]


class QuotaBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a quota says. Nothing of it is enforced in a cluster."""

    team: Annotated[str, Meta(description="Short name of the team.")]
    dimension: Annotated[
        str,
        Meta(
            description="memory, cores, cards, card_equivalents (per card the larger share of any "
            "dimension), or a dimension as a driver names it."
        ),
    ]
    limit: Annotated[str, Meta(description="As Kubernetes writes amounts: 320Gi, 600, 2.5.")]
    hard: Annotated[bool, Meta(description="More is a breach; of a soft limit, a warning.")] = False
    cluster: Annotated[str | None, Meta(description="Name of a cluster; null: every cluster.")] = None
    driver: Annotated[str | None, Meta(description="null: every driver.")] = None
    product: Annotated[str | None, Meta(description="null: every product.")] = None
    device_class: Annotated[
        str | None, Meta(description="DeviceClass that a request names; null: every class.")
    ] = None
    starts_at: Annotated[_Instant | None, Meta(description="null: it has always been so.")] = None
    ends_at: Annotated[_Instant | None, Meta(description="From then on it is void; null: never.")] = None
    note: str = ""


class QuotaChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Only what is to change."""

    team: str | UnsetType = UNSET
    dimension: str | UnsetType = UNSET
    limit: str | UnsetType = UNSET
    hard: bool | UnsetType = UNSET
    cluster: str | UnsetType | None = UNSET
    driver: str | UnsetType | None = UNSET
    product: str | UnsetType | None = UNSET
    device_class: str | UnsetType | None = UNSET
    starts_at: _Instant | UnsetType | None = UNSET
    ends_at: _Instant | UnsetType | None = UNSET
    note: str | UnsetType = UNSET


class QuotaSerializer(RowSerializer):
    row = quotas.QuotaRow


class QuotaBodySerializer(RowSerializer):
    row = QuotaBody


class QuotaChangeSerializer(RowSerializer):
    row = QuotaChange


class ChangedMeanwhile(APIException):
    status_code = 412
    default_detail = (
        "The quota has changed since you read it. Read it again, and send its version as If-Match."
    )


_IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="`version` of the quota as you read it, in double quotes; 412 if it has changed since.",
)
_EXAMPLE = OpenApiExample(
    "at most 320 GiB of A100",
    {"team": "nlp", "dimension": "memory", "limit": "320Gi", "product": "NVIDIA A100-SXM4-80GB"},
    request_only=True,
)
_READ = {200: QuotaSerializer}
_PARSERS: Mapping[str, type[BaseParser]] = {
    "POST": BodyParser.of(QuotaBody),
    "PUT": BodyParser.of(QuotaBody),
    "PATCH": BodyParser.of(QuotaChange),
}


class Quotas(Resource):
    """Limits of teams, and how each team stands against them. Nothing of it is enforced in a cluster."""

    serializer_class = QuotaSerializer
    row = quotas.QuotaRow
    filters = quotas.QuotaFilter
    kinds = quotas.KINDS
    http_method_names = ("get", "head", "options", "post", "put", "patch", "delete")

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        measure(request._request)
        super().initial(request, *args, **kwargs)

    def get_parsers(self) -> list[BaseParser]:
        method = getattr(self.request, "method", "")
        return [_PARSERS[method]()] if method in _PARSERS else []

    def get_queryset(self) -> QuerySet[TeamQuota]:
        return quotas.queryset(viewer=viewer_of(self.request.user))

    def rows(self, page: Iterable[TeamQuota]) -> list[quotas.QuotaRow]:
        return quotas.rows(page, self.now)

    def generation(self) -> Sequence[str]:
        return (*super().generation(), *quotas.generation(self.now, viewer=self.viewer))

    def _look(self, *, names: Sequence[str] = (), ids: Sequence[int | None] = ()) -> None:
        """A quota may concern every cluster."""
        super()._look(names=names, ids=[one for one in ids if one is not None])

    @extend_schema(
        request=QuotaBodySerializer,
        responses={201: QuotaSerializer, **problems(400, 401, 403, 411, 413, 415, 429)},
        examples=[_EXAMPLE],
    )
    def create(self, request: Request) -> HttpResponseBase:
        self._refuse_others(request)
        quota = TeamQuota()
        with transaction.atomic():
            # With its entry in the audit log.
            _fill(quota, _given(request.data, QuotaBody))
        response = self._answer(quota, 201)
        response["Location"] = request.build_absolute_uri(f"{quota.pk}/")
        return response

    @extend_schema(
        request=QuotaBodySerializer,
        responses={**_READ, **problems(400, 401, 403, 404, 411, 412, 413, 415, 429)},
        parameters=[_IF_MATCH],
    )
    def update(self, request: Request, pk: int) -> HttpResponseBase:
        given = _given(request.data, QuotaBody)
        return self._answer(self._changed(request, pk, lambda quota: _fill(quota, given)), 200)

    @extend_schema(
        request=QuotaChangeSerializer,
        responses={**_READ, **problems(400, 401, 403, 404, 411, 412, 413, 415, 429)},
        parameters=[_IF_MATCH],
    )
    def partial_update(self, request: Request, pk: int) -> HttpResponseBase:
        given = _given(request.data, QuotaChange)
        return self._answer(self._changed(request, pk, lambda quota: _fill(quota, given)), 200)

    @extend_schema(
        responses={204: None, **problems(401, 403, 404, 412, 429)},
        parameters=[_IF_MATCH],
    )
    def destroy(self, request: Request, pk: int) -> HttpResponseBase:
        self._changed(request, pk, lambda quota: quota.delete())
        return Response(status=204)

    def _changed(self, request: Request, pk: int, change: Callable[[TeamQuota], Any]) -> TeamQuota:
        """Whoever may not see it is told that it is not there; whoever may only see it, that they may not."""
        if pk >= 2**63 or not self.get_queryset().filter(pk=pk).exists():
            raise NotFound
        self._refuse_others(request)
        with transaction.atomic():
            quota = TeamQuota.objects.select_for_update().filter(pk=pk).first()
            if quota is None:
                raise NotFound
            _refuse_changed(request, quota)
            change(quota)
        return quota

    def _refuse_others(self, request: Request) -> None:
        if not is_operator(cast("Any", request.user)):
            raise PermissionDenied(_OPERATORS)

    def _answer(self, quota: TeamQuota, status: int) -> HttpResponseBase:
        row = quotas.one(quota.pk, timezone.now(), viewer=viewer_of(self.request.user))
        if row is None:
            raise NotFound
        response = Response(self.get_serializer(row).data, status=status)
        response["Cache-Control"] = "no-store"
        response["ETag"] = f'"{row.version}"'
        return response


def _refuse_changed(request: Request, quota: TeamQuota) -> None:
    asked = request.headers.get("If-Match", "").strip()
    if (
        asked
        and asked != "*"
        and f'"{quotas.version(quota)}"' not in [one.strip() for one in asked.split(",")]
    ):
        raise ChangedMeanwhile


def _given(body: Any, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Without a body, nothing has been parsed."""
    if not isinstance(body, kind):
        raise ValidationError(["expected the quota as a JSON object"])
    found = {name: getattr(body, name) for name in body.__struct_fields__}
    return {name: value for name, value in found.items() if value is not UNSET}


def _fill(quota: TeamQuota, given: Mapping[str, Any]) -> None:
    """Raises ValidationError, by the fields of the body."""
    if faulty := [name for name, value in given.items() if isinstance(value, str) and "\x00" in value]:
        raise ValidationError({name: ["a text has no null character"] for name in faulty})
    values = {
        ("quantity" if name == "limit" else name): _in_utc(name, value) for name, value in given.items()
    }
    for name in ("driver", "product", "device_class"):
        if name in values:
            values[name] = values[name] or ""
    if "team" in values:
        values["team"] = _named(Team.objects.filter(slug=values["team"]), "team", values["team"])
    if values.get("cluster") is not None:
        name = values["cluster"]
        values["cluster"] = _named(Cluster.objects.filter(name=name), "cluster", name)
    for name, value in values.items():
        setattr(quota, name, value)
    try:
        quota.full_clean()
    except ModelError as error:
        raise ValidationError(_by_field(error)) from error
    quota.save()


def _in_utc(name: str, value: Any) -> Any:
    """Near the first and the last year, an instant of another time zone may have no date in UTC."""
    if not isinstance(value, datetime):
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValidationError({name: ["expected an instant of the years 1 to 9999 in UTC"]}) from error


def _named(found: QuerySet[Any], field: str, name: str) -> Any:
    one = found.first()
    if one is None:
        raise ValidationError({field: [f"there is no {field} {name!r}"]})
    return one


def _by_field(error: ModelError) -> dict[str, list[str]]:
    names = {"quantity": "limit", "__all__": "non_field_errors"}
    return {names.get(name, name): list(map(str, told)) for name, told in error.message_dict.items()}
