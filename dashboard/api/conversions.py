"""What HAMi's Pods become: a question with a body. Nothing is written to a cluster."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from msgspec import Meta
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.access.viewer import viewer_of
from dashboard.api.bodies import BodyParser, measure
from dashboard.api.schema import QuestionSchema, problems
from dashboard.api.serializers import RowSerializer
from dashboard.api.wire import wire
from inventory.hami.previews import Settings
from inventory.hami.webhook.profiles import Profile
from inventory.kube.manifests import ManifestError
from inventory.kube.untrusted import printable
from inventory.models import Cluster, ConversionPreview, HamiPod
from inventory.queries.conversion import previews
from inventory.queries.conversion.rows import ConversionsRow
from inventory.queries.conversion.settings import SettingsError, settings
from inventory.queries.freshness import freshness
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

MOST_PODS = 1_000


class PodName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    namespace: str
    name: str


class ConversionQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Either manifest or pods."""

    manifest: Annotated[
        str | None,
        Meta(description="YAML or JSON of up to 1 MiB: Pods and workloads that ask HAMi for cards."),
    ] = None
    pods: Annotated[
        list[PodName] | None,
        Meta(
            description=f"Up to {MOST_PODS} Pods of the cluster that ask HAMi for cards. "
            "Who asked is recorded."
        ),
    ] = None
    profile: Annotated[
        str, Meta(description=f"Version of HAMi-DRA: one of {', '.join(Profile)}; default 0.2.3.")
    ] = ""
    cluster: Annotated[
        str | None,
        Meta(
            description="Against which cluster to check; without one, nothing is said of where it would fit."
        ),
    ] = None
    namespace: Annotated[str, Meta(description="Of objects that name none.")] = "default"
    vendors: Annotated[
        list[str], Meta(description="The webhook's flag device-vendors; default: all that it knows.")
    ] = []
    config: Annotated[str, Meta(description="The webhook's device configuration, as YAML.")] = ""


class ConversionsAnswer(msgspec.Struct, frozen=True):
    """`as_of` and `stale` are those of the cluster that it was checked against, null without one."""

    result: ConversionsRow
    as_of: datetime | None
    stale: bool | None


class ConversionQuestionSerializer(RowSerializer):
    row = ConversionQuestion


class ConversionsAnswerSerializer(RowSerializer):
    row = ConversionsAnswer


_EXAMPLE = OpenApiExample(
    "a Pod of HAMi",
    {
        "manifest": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: embed\nspec:\n  containers:\n"
        "  - name: app\n    image: registry.example/embed:4\n    resources:\n      limits:\n"
        "        nvidia.com/gpu: 1\n        nvidia.com/gpumem: 8192\n",
        "profile": "0.2.3",
    },
    request_only=True,
)


class ConversionsView(APIView):
    """The claims that HAMi's Pods become, field by field, and what they come to mean. It only reads."""

    schema = QuestionSchema()
    parser_classes = (BodyParser.of(ConversionQuestion),)
    # It writes nothing: a token that may only read may ask.
    asks = True
    http_method_names = ("post", "options")

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before anything else: the check of a session's CSRF token reads the body."""
        measure(request._request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="conversions",
        request=ConversionQuestionSerializer,
        responses={200: ConversionsAnswerSerializer, **problems(400, 401, 403, 404, 411, 413, 415, 429)},
        examples=[_EXAMPLE],
    )
    def post(self, request: Request) -> HttpResponseBase:
        asked, viewer = _asked(request.data), viewer_of(request.user)
        chosen = _settings(asked)
        if asked.pods is not None:
            # Outside of the snapshot, which only reads.
            ConversionPreview.record(request.user, _pods(_cluster(asked), asked.pods, viewer))
        with snapshot():
            cluster = _cluster(asked)
            found = _answered(asked, chosen, cluster, viewer)
            ids = [cluster.pk] if cluster else []
            seen = freshness(timezone.now(), viewer=viewer, ids=ids, kinds=previews.KINDS) if ids else None
        told = ConversionsAnswer(found, seen.as_of if seen else None, seen.stale if seen else None)
        response = Response(wire(told))
        response["Cache-Control"] = "no-store"
        return response


def _asked(body: object) -> ConversionQuestion:
    """Without a body, nothing has been parsed."""
    asked = body if isinstance(body, ConversionQuestion) else ConversionQuestion()
    if (asked.manifest is None) == (asked.pods is None):
        raise ValidationError(["expected one of manifest and pods, as a JSON object"])
    for field in ("namespace", "cluster"):
        text = getattr(asked, field)
        if text is not None and (not text or printable(text) != text):
            raise ValidationError({field: "expected a name"})
    if asked.pods is not None:
        if asked.cluster is None:
            raise ValidationError({"cluster": "expected the cluster of the Pods"})
        if not 0 < len(asked.pods) <= MOST_PODS:
            raise ValidationError({"pods": f"expected 1 to {MOST_PODS} Pods"})
        if any(printable(text) != text for one in asked.pods for text in (one.namespace, one.name)):
            raise ValidationError({"pods": "expected names"})
    return asked


def _settings(asked: ConversionQuestion) -> Settings:
    try:
        return settings(asked.profile, asked.vendors, asked.config)
    except SettingsError as error:
        raise ValidationError({error.field: printable(str(error))}) from error


def _cluster(asked: ConversionQuestion) -> Cluster | None:
    if asked.cluster is None:
        return None
    found = Cluster.objects.filter(name=asked.cluster).first()
    if found is None:
        raise ValidationError({"cluster": f"there is no cluster {asked.cluster}"})
    return found


def _pods(cluster: Cluster | None, names: Sequence[PodName], viewer: Viewer) -> QuerySet[HamiPod]:
    """Raises NotFound, which names the first ones that are not there, or not the viewer's to see."""
    wanted = {(one.namespace, one.name) for one in names}
    by_name = (
        HamiPod.objects.visible_to(viewer)
        .filter(
            cluster=cluster,
            namespace__name__in={one.namespace for one in names},
            name__in={one.name for one in names},
        )
        .select_related("cluster", "namespace")
    )
    found = {(pod.namespace.name, pod.name): pod.pk for pod in by_name.defer("hami_manifest")}
    if missing := sorted(wanted - found.keys()):
        told = ", ".join(f"{namespace}/{name}" for namespace, name in missing[:10])
        raise NotFound(f"no Pods that ask HAMi for cards, or not there any more: {told}")
    return by_name.filter(pk__in=[found[one] for one in wanted])


def _answered(
    asked: ConversionQuestion, chosen: Settings, cluster: Cluster | None, viewer: Viewer
) -> ConversionsRow:
    if asked.pods is not None:
        return previews.of_pods(_pods(cluster, asked.pods, viewer), chosen, viewer=viewer)
    try:
        return previews.of_text(asked.manifest or "", chosen, cluster, asked.namespace, viewer=viewer)
    except ManifestError as error:
        raise ValidationError({"manifest": printable(str(error))}) from error
