"""Where a claim would go now: a question with a body, answered from the last poll. Nothing is written."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from msgspec import Meta
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.access.viewer import viewer_of
from dashboard.api.bodies import BodyParser, measure
from dashboard.api.conditional import AS_OF
from dashboard.api.schema import QuestionSchema, problems
from dashboard.api.serializers import RowSerializer
from dashboard.api.wire import wire, wire_time
from dashboard.words import fit as wording
from inventory.kube.manifests import Manifest, ManifestError, manifests, object_of
from inventory.kube.untrusted import printable
from inventory.models import Cluster
from inventory.queries.fit import answers
from inventory.queries.fit.answers import FitRow
from inventory.queries.fit.subjects import ClusterChoiceError, Kind, SubjectError, cluster_named
from inventory.queries.freshness import freshness
from inventory.snapshot import snapshot
from inventory.viewer import Viewer


class FitQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of claim, manifest, and name with its namespace."""

    claim: Annotated[
        dict[str, Any] | None,
        Meta(description="A ResourceClaim; apiVersion and kind may be left out."),
    ] = None
    manifest: Annotated[
        str | None,
        Meta(
            description="YAML or JSON of up to 1 MiB with claims, claim templates, Pods or workloads, up to "
            "32 of them. Claims that a Pod names and the text lacks are taken from the cluster."
        ),
    ] = None
    namespace: Annotated[
        str | None, Meta(description="Of name; else of objects which name none (default: default).")
    ] = None
    name: Annotated[str | None, Meta(description="A claim of the cluster, or else a Pod.")] = None
    kind: Annotated[
        Kind | None, Meta(description="What has the name, where a claim and a Pod may share it.")
    ] = None
    cluster: Annotated[
        str | None, Meta(description="Name of the cluster; may be left out where there is only one.")
    ] = None


class FitAnswers(msgspec.Struct, frozen=True):
    """`answers` has one entry for each Pod or claim that was asked about; `text` says the same in words, in
    the language that the request accepts.

    `as_of` and `stale` are those of every answer here.
    """

    cluster: str
    answers: tuple[FitRow, ...]
    text: str
    as_of: datetime | None
    stale: bool


class FitQuestionSerializer(RowSerializer):
    row = FitQuestion


class FitAnswersSerializer(RowSerializer):
    row = FitAnswers


_EXAMPLES = [
    OpenApiExample(
        "a claim or Pod of the cluster", {"namespace": "team-a", "name": "train-0"}, request_only=True
    ),
    OpenApiExample(
        "a claim that is not made",
        {
            "claim": {
                "metadata": {"name": "half", "namespace": "team-a"},
                "spec": {
                    "devices": {
                        "requests": [
                            {
                                "name": "card",
                                "exactly": {
                                    "deviceClassName": "gpu.example.com",
                                    "capacity": {"requests": {"memory": "8Gi"}},
                                },
                            }
                        ]
                    }
                },
            }
        },
        request_only=True,
    ),
]


class Fit(APIView):
    """Where a claim or Pod would go now, or what stops it on every device. It only reads."""

    schema = QuestionSchema()
    parser_classes = (BodyParser.of(FitQuestion),)
    # It writes nothing: a token that may only read may ask.
    asks = True
    http_method_names = ("post", "options")

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before anything else: the check of a session's CSRF token reads the body."""
        measure(request._request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="fit",
        request=FitQuestionSerializer,
        responses={200: FitAnswersSerializer, **problems(400, 401, 403, 404, 411, 413, 415, 429)},
        parameters=[
            OpenApiParameter(
                AS_OF,
                datetime,
                OpenApiParameter.HEADER,
                description="The oldest observation that the answer rests on; missing before the first.",
                response=[200],
            )
        ],
        examples=_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponseBase:
        asked, viewer = _asked(request.data), viewer_of(request.user)
        objects = _objects(asked)
        with snapshot():
            cluster = _cluster(asked.cluster)
            rows = _answered(cluster, asked, objects, viewer)
            seen = freshness(timezone.now(), viewer=viewer, ids=[cluster.pk], kinds=answers.KINDS)
        text = "\n".join(printable(line) for row in rows for line in wording.lines(row))
        response = Response(wire(FitAnswers(cluster.name, tuple(rows), text, seen.as_of, seen.stale)))
        if seen.as_of is not None:
            response[AS_OF] = wire_time(seen.as_of)
        response["Cache-Control"] = "no-store"
        return response


def _asked(body: object) -> FitQuestion:
    """Without a body, nothing has been parsed."""
    asked = body if isinstance(body, FitQuestion) else FitQuestion()
    for field in ("namespace", "name", "cluster"):
        text = getattr(asked, field)
        if text is not None and (not text or printable(text) != text):
            raise ValidationError({field: "expected a name"})
    given = [field for field in ("claim", "manifest", "name") if getattr(asked, field) is not None]
    if len(given) > 1:
        raise ValidationError({field: f"only one of {', '.join(given)} can be asked" for field in given})
    if not given:
        raise ValidationError(["expected one of claim, manifest, or namespace with name, as a JSON object"])
    if asked.name is not None and asked.namespace is None:
        raise ValidationError({"namespace": "expected the namespace of the claim or Pod"})
    if asked.kind is not None and asked.name is None:
        raise ValidationError({"kind": "goes with a name only"})
    return asked


def _objects(asked: FitQuestion) -> list[Manifest]:
    """Empty where a name is asked for."""
    try:
        if asked.manifest is not None:
            return manifests(asked.manifest)
        if asked.claim is not None:
            return [_claim(asked.claim)]
    except ManifestError as error:
        raise _refused(asked, error) from error
    return []


def _claim(written: dict[str, Any]) -> Manifest:
    """Version and kind go without saying here. Raises ManifestError."""
    found = object_of({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", **written})
    if found.kind != "ResourceClaim":
        raise ManifestError(
            f"the object: kind {found.kind}; expected ResourceClaim, or the object as manifest"
        )
    return found


def _refused(asked: FitQuestion, error: ManifestError) -> ValidationError:
    return ValidationError({"claim" if asked.claim is not None else "manifest": printable(str(error))})


def _cluster(name: str | None) -> Cluster:
    try:
        return cluster_named(name)
    except ClusterChoiceError as error:
        raise ValidationError({"cluster": str(error)}) from error


def _answered(cluster: Cluster, asked: FitQuestion, objects: list[Manifest], viewer: Viewer) -> list[FitRow]:
    namespace = asked.namespace or "default"
    try:
        if asked.name is not None:
            return [answers.of_name(cluster, namespace, asked.name, asked.kind, viewer=viewer)]
        return answers.of_manifests(cluster, objects, namespace, viewer=viewer)
    except SubjectError as error:
        raise NotFound(str(error)) from error
    except ManifestError as error:
        raise _refused(asked, error) from error
