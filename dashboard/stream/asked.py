"""What a request for the stream asks for."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from dashboard.api.parameters import refuse_unknown, single
from dashboard.stream.feed import Question
from inventory.kube.kinds import KINDS
from inventory.models import Share
from inventory.queries.filters import Filters, Names, States, Truth, cluster_filter, team_filter
from inventory.viewer import Viewer

LAST_ID = "last_event_id"
_KINDS = [kind.resource for kind in KINDS]
_NAMES = {"type": "array", "items": {"type": "string"}}

PARAMETERS = [
    OpenApiParameter("cluster", _NAMES, description="Name of a cluster. Repeated: any of them."),
    OpenApiParameter("namespace", _NAMES, description="Shares of claims in this namespace. Repeated: any."),
    OpenApiParameter("team", _NAMES, description="Shares of this team, by its short name. Repeated: any."),
    OpenApiParameter(
        "kind",
        {"type": "array", "items": {"type": "string", "enum": _KINDS}},
        description="Of which kind `as_of` and `stale` are. Repeated: of all of them; default: all kinds.",
    ),
    OpenApiParameter("shares", bool, default=True, description="false: only snapshots and freshness."),
    OpenApiParameter(LAST_ID, str, description="As the header `Last-Event-ID`, for who cannot set that."),
    OpenApiParameter(
        "Last-Event-ID", str, OpenApiParameter.HEADER, description="The id of the last event: go on after it."
    ),
]


class StreamFilter(Filters):
    """Those of shares that cost nothing, and what else is told."""

    cluster = cluster_filter()
    namespace = Names(field_name="claim__namespace__name")
    team = team_filter("claim__team__slug")
    kind = States(choices=[(kind, kind) for kind in _KINDS])
    shares = Truth()

    class Meta:
        model = Share
        fields = ()


def question(request: Request, viewer: Viewer) -> Question:
    """Raises ValidationError that names what is not known."""
    refuse_unknown(request.query_params, (*StreamFilter.base_filters, LAST_ID))
    filters = StreamFilter(request.query_params, queryset=Share.objects.none(), viewer=viewer)
    if not filters.is_valid():
        raise ValidationError({name: list(map(str, told)) for name, told in filters.errors.items()})
    asked = filters.form.cleaned_data
    return Question(
        viewer,
        clusters=frozenset(asked["cluster"]),
        namespaces=frozenset(asked["namespace"]),
        teams=frozenset(asked["team"]),
        kinds=frozenset(asked["kind"]),
        shares=asked["shares"] != "false",
    )


def last_id(request: Request) -> str | None:
    """The header is the newer one: a browser sends it when it comes again, under the address of before."""
    return request.headers.get("Last-Event-ID") or single(request.query_params, LAST_ID)
