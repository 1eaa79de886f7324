"""Where a claim or Pod that waits would go. It is loaded after its page: the search may take seconds.

Without a script the page asks for itself again, with `fit=now`, and then has it inside.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from dashboard.access.viewer import viewer_of
from dashboard.pages import near
from dashboard.pages.near import Near
from dashboard.pages.searches import BusyError, Searches, busy
from dashboard.pages.seen import Seen, seen
from dashboard.pages.shell import piece
from inventory.dra.simulator.explanation import Caveat, Verdict
from inventory.queries import claims as claim_queries
from inventory.queries import pods as pod_queries
from inventory.queries.fit import answers
from inventory.queries.fit.answers import FitRow
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

PARAMETER = "fit"
_NOW = "now"


class _Queryset(Protocol):
    def __call__(self, *, viewer: Viewer) -> QuerySet[Any]: ...


class _Search(Protocol):
    def __call__(self, pk: int, /, *, viewer: Viewer) -> FitRow | None: ...


class _Kind(NamedTuple):
    """What a page asks about; `route` is that of the part alone."""

    route: str
    queryset: _Queryset
    search: _Search


_CLAIM = _Kind("claim_fit", claim_queries.queryset, answers.of_claim)
_POD = _Kind("pod_fit", pod_queries.queryset, answers.of_pod)


class FitPart(NamedTuple):
    """`address` is that of the part alone. Without `answer` it is still to be asked for; `busy`: it was.

    `seen` is what the answer rests on: more kinds than the page around it. `of_claim`: whose page it is on.
    """

    address: str
    cluster: str
    busy: bool = False
    of_claim: bool = False
    answer: FitRow | None = None
    seen: Seen | None = None
    near: Near | None = None


def asked_for(request: HttpRequest) -> bool:
    return request.GET.get(PARAMETER) == _NOW


def claim_part(request: HttpRequest, claim_id: int, cluster: str) -> FitPart:
    return _part(request, _CLAIM, claim_id, cluster)


def pod_part(request: HttpRequest, pod_id: int, cluster: str) -> FitPart:
    return _part(request, _POD, pod_id, cluster)


def kinds(of_page: Sequence[str], part: FitPart | None) -> Sequence[str]:
    """What a page rests on with the answer inside; one that is loaded later tells for itself."""
    inside = part is not None and part.answer is not None
    return sorted({*of_page, *answers.KINDS}) if inside else of_page


@never_cache
@piece
def claim(request: HttpRequest, claim_id: int) -> HttpResponse:
    return _shown(request, _CLAIM, claim_id, _("There is no such claim; it may have been deleted since."))


@never_cache
@piece
def pod(request: HttpRequest, pod_id: int) -> HttpResponse:
    return _shown(request, _POD, pod_id, _("There is no such Pod; it may have ended since."))


def _part(request: HttpRequest, kind: _Kind, pk: int, cluster: str) -> FitPart:
    later = FitPart(reverse(kind.route, args=(pk,)), cluster)
    if not asked_for(request):
        return later
    try:
        return _answered(kind, pk, viewer_of(request.user)) or later
    except BusyError:
        return later._replace(busy=True)


def _shown(request: HttpRequest, kind: _Kind, pk: int, missing: str) -> HttpResponse:
    try:
        found = _answered(kind, pk, viewer_of(request.user))
    except BusyError:
        return busy()
    if found is None:
        raise Http404(missing)
    return render(request, "parts/fit.html", {"part": found, "fit": found.answer})


def _answered(kind: _Kind, pk: int, viewer: Viewer) -> FitPart | None:
    """None where it is gone, or not the viewer's to see. Raises BusyError."""
    with snapshot():
        found = kind.queryset(viewer=viewer).filter(pk=pk).first()
        if found is None:
            return None
        cluster, address = found.cluster, reverse(kind.route, args=(pk,))
        subject = (kind.route, pk, viewer.scope)
        answer = _searches.answer(cluster, subject, lambda: kind.search(pk, viewer=viewer))
        if answer is None:
            return None
        return FitPart(
            address,
            cluster.name,
            of_claim=kind is _CLAIM,
            answer=answer,
            seen=seen(cluster.name, answers.KINDS, viewer=viewer),
            near=near.of(cluster.name, answer, viewer=viewer),
        )


def _is_settled(row: FitRow | None) -> bool:
    """Whether a search for the same would come to the same: not where there was no time for all of it."""
    if row is None or row.verdict == Verdict.CANNOT_SIMULATE:
        return False
    return all(one.caveat != Caveat.NODES_LEFT for one in row.doubts)


# As many answers as people look at while the cluster stays as it is.
_searches: Searches[FitRow | None] = Searches(64, _is_settled)
