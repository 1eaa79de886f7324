"""What Pods that were read from clusters become. Who looks at which is recorded; the record is the page.

Many of them take seconds: they are loaded after their page, or with it where that is asked for with `now`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from dashboard.access.viewer import viewer_of
from dashboard.pages.conversion_result import Line, Result, details, lines
from dashboard.pages.paging import paged
from dashboard.pages.reader import reader
from dashboard.pages.refusal import Refused
from dashboard.pages.shell import page, piece, show
from dashboard.pages.source import Source
from dashboard.words import conversion as words
from inventory.hami.previews import Outcome, Settings
from inventory.kube.untrusted import printable
from inventory.models import Cluster, ConversionPreview, HamiPod, Namespace
from inventory.queries.conversion import previews
from inventory.queries.conversion.fitting import SECONDS
from inventory.queries.conversion.previews import GRAVEST_FIRST
from inventory.queries.conversion.rows import ConversionsRow
from inventory.queries.conversion.settings import DEFAULT_PROFILE, SettingsError, settings
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

_NOW = "now"
# Of names that a database looks for at once.
_BATCH = 500
_LONGEST_FAULT = 400
_GONE_SHOWN = 20
_A_LOOK = timedelta(minutes=15)
_NO_RECORD = gettext_lazy("There is no such preview.")


class NamedPod(NamedTuple):
    """As the record has it; it may be gone since."""

    cluster: str
    namespace: str
    name: str
    uid: str


class Gone(NamedTuple):
    """The first of those that are not there any more, and how many there are."""

    first: Sequence[NamedPod]
    total: int


@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    """Of one Pod, or of those of a record of somebody else."""
    found = _asked_for(request)
    if not found.exists():
        raise Http404(_("There is no such Pod that asks HAMi for a card; it may have ended since."))
    return redirect(ConversionPreview.record(reader(request), found))


@page
def record(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    found = _seen(request, preview_id)
    named, is_own = list(_named(request, found).values()), found.user_id == request.user.pk
    if is_own and _is_over(found):
        return _again(request, found, "conversion_preview")
    is_now = is_own and _NOW in request.GET
    context = {
        "preview": found,
        "named": named[0] if len(named) == 1 else None,
        "number": len(named),
        "is_own": is_own,
        "later": f"{reverse('conversion_preview_part', args=(preview_id,))}?{request.GET.urlencode()}",
        "seconds": SECONDS,
        **_choices(request),
    }
    with snapshot():
        if is_now:
            context |= _answered(request, found)
        return show(
            request,
            "convert_pods.html",
            context,
            active="convert",
            source=_source(named if is_own else ()),
        )


@piece
def part(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    found = _own(request, preview_id)
    if _is_over(found):
        return _again(request, found, "conversion_preview_part")
    with snapshot():
        return render(
            request,
            "parts/conversion_pods.html",
            {"seconds": SECONDS, **_choices(request), **_answered(request, found)},
        )


@page
def pod(request: HttpRequest, preview_id: UUID, number: int) -> HttpResponse:
    found = _own(request, preview_id)
    if _is_over(found):
        return _again(request, found, "conversion_pod", number)
    one = _named(request, found).get(number)
    if one is None:
        raise Http404(_("There is no Pod %(number)s in it.") % {"number": number})
    viewer = viewer_of(request.user)
    with snapshot():
        rows = previews.of_pods(_kept([one], viewer), _settings(request), viewer=viewer)
        if not (rows.conversions or rows.unreadable):
            raise Http404(_("There is no such Pod that asks HAMi for a card; it may have ended since."))
        line = next(iter(lines(rows, lambda _number: "")), None)
        return show(
            request,
            "convert_pod.html",
            {
                "preview": found,
                "named": one,
                "rows": rows,
                "details": details(line) if line is not None else None,
                **_choices(request),
            },
            active="convert",
            source=_source([one]),
        )


def _asked_for(request: HttpRequest) -> Any:
    """Raises Http404."""
    record_id, pod_id = request.POST.get("record", ""), request.POST.get("pod", "")
    viewer = viewer_of(request.user)
    seen = HamiPod.objects.visible_to(viewer)
    if record_id:
        try:
            found = _seen(request, UUID(record_id))
        except ValueError as error:
            raise Http404(_NO_RECORD) from error
        return seen.filter(pk__in=[one.pk for one in _kept(_named(request, found).values(), viewer)])
    if not pod_id.isdecimal() or len(pod_id) > 18:
        raise Http404(_("There is no such Pod that asks HAMi for a card; it may have ended since."))
    return seen.filter(pk=int(pod_id))


def _seen(request: HttpRequest, preview_id: UUID) -> ConversionPreview:
    """One's own; of an operator, anybody's. Raises Http404."""
    seen = ConversionPreview.objects.visible_to(viewer_of(request.user), request.user)
    found = seen.filter(pk=preview_id).first()
    if found is None:
        raise Http404(_NO_RECORD)
    return found


def _own(request: HttpRequest, preview_id: UUID) -> ConversionPreview:
    """Whoever looks at Pods has a record of their own. Raises Http404."""
    found = _seen(request, preview_id)
    if found.user_id != request.user.pk:
        raise Http404(_NO_RECORD)
    return found


def _is_over(found: ConversionPreview) -> bool:
    """Later the Pods may be other ones: whoever looks then looks anew, and that is recorded, too."""
    return timezone.now() - found.created_at > _A_LOOK


def _again(request: HttpRequest, found: ConversionPreview, view: str, *arguments: int) -> HttpResponse:
    with transaction.atomic():
        anew = ConversionPreview.objects.create(user=found.user, username=found.username, pods=found.pods)
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return redirect(reverse(view, args=(anew.pk, *arguments)) + query)


def _named(request: HttpRequest, found: ConversionPreview) -> dict[int, NamedPod]:
    """By their numbers, which begin with 1. Whoever has left a team since reads no names of it here."""
    named = {number: NamedPod(*one) for number, one in enumerate(found.pods, start=1)}
    viewer = viewer_of(request.user)
    if viewer.teams is None:
        return named
    namespaces = set(Namespace.objects.visible_to(viewer).values_list("cluster__name", "name"))
    rest = [one for one in named.values() if (one.cluster, one.namespace) not in namespaces]
    seen = {(pod.cluster.name, pod.uid) for pod in _kept(rest, viewer)}
    return {
        number: one
        for number, one in named.items()
        if (one.cluster, one.namespace) in namespaces or (one.cluster, one.uid) in seen
    }


def _source(named: Sequence[NamedPod]) -> Source:
    names = {one.cluster for one in named}
    known = list(Cluster.objects.filter(name__in=names).order_by("name").values_list("name", flat=True))
    return Source(clusters=known, kinds=previews.KINDS, rests=bool(known))


def _choices(request: HttpRequest) -> dict[str, Any]:
    profile, outcome = request.GET.get("profile", DEFAULT_PROFILE), request.GET.get("outcome", "")
    return {
        "profile": profile,
        "profiles": words.PROFILE.items(),
        "outcome": outcome,
        "outcomes": words.OUTCOME.items(),
    }


def _settings(request: HttpRequest) -> Settings:
    """Raises Refused."""
    try:
        return settings(request.GET.get("profile", ""))
    except SettingsError as error:
        raise Refused([(error.field, printable(str(error), _LONGEST_FAULT))]) from error


def _answered(request: HttpRequest, found: ConversionPreview) -> dict[str, Any]:
    """Raises Refused."""
    chosen, profile, viewer = _outcome(request), request.GET.get("profile", ""), viewer_of(request.user)
    named, there = _named(request, found), set[tuple[str, str]]()
    kept = _noted(_kept(named.values(), viewer), there)
    rows = previews.of_pods(kept, _settings(request), viewer=viewer, in_brief=True)
    shown = [
        line for line in _by_outcome(rows, found, named, profile) if chosen is None or line.outcome is chosen
    ]
    gone = [one for one in named.values() if (one.cluster, one.uid) not in there]
    result = Result(rows, paged(request, shown), None, "")
    return {"result": result, "gone": Gone(gone[:_GONE_SHOWN], len(gone))}


def _noted(pods: Iterable[HamiPod], there: set[tuple[str, str]]) -> Iterator[HamiPod]:
    for pod in pods:
        there.add((pod.cluster.name, pod.uid))
        yield pod


def _outcome(request: HttpRequest) -> Outcome | None:
    """Raises Refused."""
    text = request.GET.get("outcome", "")
    if text and text not in set(Outcome):
        raise Refused([("outcome", _("It is one of %(known)s.") % {"known": ", ".join(Outcome)})])
    return Outcome(text) if text else None


def _by_outcome(
    rows: ConversionsRow, found: ConversionPreview, named: Mapping[int, NamedPod], profile: str
) -> list[Line]:
    """The gravest first. The number of a Pod is its place in the record."""
    places = {(one.cluster, one.namespace, one.name): number for number, one in named.items()}
    query = f"?profile={profile}" if profile else ""

    def numbered(line: Line) -> Line:
        number = places[(line.object.cluster or "", line.object.namespace, line.object.name)]
        return line._replace(
            number=number, href=f"{reverse('conversion_pod', args=(found.pk, number))}{query}"
        )

    all_lines = map(numbered, lines(rows, lambda _number: ""))
    return sorted(all_lines, key=lambda line: (GRAVEST_FIRST.index(line.outcome), line.number))


def _kept(named: Iterable[NamedPod], viewer: Viewer) -> Iterator[HamiPod]:
    """Those that are still there and the viewer may see, in the order of the record."""
    listed = list(named)
    for start in range(0, len(listed), _BATCH):
        batch = listed[start : start + _BATCH]
        rows = (
            HamiPod.objects.visible_to(viewer)
            .filter(uid__in=[one.uid for one in batch])
            .select_related("cluster", "namespace")
        )
        by_uid = {(pod.cluster.name, pod.uid): pod for pod in rows}
        yield from (by_uid[key] for one in batch if (key := (one.cluster, one.uid)) in by_uid)
