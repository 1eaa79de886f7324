"""What manifests of HAMi become. Nothing is sent to a cluster; nothing is kept unless somebody saves it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.access.viewer import viewer_of
from dashboard.pages import conversion_file
from dashboard.pages.around import cluster_names
from dashboard.pages.conversion_question import Question, address, from_address, from_form, resolved
from dashboard.pages.conversion_result import Result, chosen, details, lines
from dashboard.pages.paging import numbered, page_of
from dashboard.pages.reader import reader
from dashboard.pages.refusal import Refused
from dashboard.pages.shell import page, piece, show
from dashboard.pages.source import Source
from dashboard.words import conversion as words
from inventory.kube.manifests import LONGEST_BYTES, ManifestError
from inventory.kube.untrusted import printable
from inventory.models import SavedConversion
from inventory.queries.conversion import previews
from inventory.queries.conversion.files import What
from inventory.queries.conversion.fitting import SECONDS
from inventory.queries.conversion.rows import ConversionsRow
from inventory.snapshot import snapshot

_LONGEST_FAULT = 400
_CHUNK = 64 * 1024
_FRESH = "fresh"
# A browser shows no answer before all that it sends was taken; whoever sends more than this is no browser.
_MOST_TAKEN = 64 * 1024 * 1024

Asked = Callable[[HttpRequest, Question], HttpResponse]


def _form(view: Asked) -> Callable[[HttpRequest], HttpResponse]:
    """A form with manifests: what is wrong with it is told above it, and it stays as it was.

    What is too long is not read, and not even looked at for where it comes from: nothing is done with it.
    """

    @csrf_protect
    def asked(request: HttpRequest) -> HttpResponse:
        question = from_form(request)
        try:
            if not question.manifest.strip():
                raise Refused([("manifest", _("Paste a manifest, or choose a file."))])
            return view(request, question)
        except Refused as refused:
            return _shown(request, question, faults=refused.faults, status=400)

    @csrf_exempt
    @wraps(view)
    def bounded(request: HttpRequest) -> HttpResponse:
        if not _is_too_long(request):
            return asked(request)
        _take(request)
        most = _("More than %(n)d KiB were sent; convert fewer manifests at once.") % {
            "n": LONGEST_BYTES // 1024
        }
        return _shown(request, Question(), faults=[("manifest", most)], status=413)

    return bounded


def _is_too_long(request: HttpRequest) -> bool:
    length = request.META.get("CONTENT_LENGTH") or "0"
    return int(length) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) if length.isdecimal() else True


def _take(request: HttpRequest) -> None:
    taken = 0
    # Our own server has taken it before, and kept no more of it than a form may have.
    with suppress(UnreadablePostError):
        while taken < _MOST_TAKEN and (chunk := request.read(_CHUNK)):
            taken += len(chunk)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def convert(request: HttpRequest) -> HttpResponse:
    return _of_form(request) if request.method == "POST" else _at_address(request)


@page
def _at_address(request: HttpRequest) -> HttpResponse:
    question = from_address(request.GET)
    if not question.manifest:
        resolved(question)
        return _shown(request, question)
    asked = request.GET.urlencode()
    return _answered(request, question, download=f"{reverse('convert_download')}?{asked}&what=")


@_form
def _of_form(request: HttpRequest, question: Question) -> HttpResponse:
    """What fits into an address is shown there."""
    resolved(question)
    if (found := address(question)) is not None:
        return redirect(found)
    return _answered(request, question)


@require_POST
@_form
def save(request: HttpRequest, question: Question) -> HttpResponse:
    asked, user = resolved(question), reader(request)
    with snapshot():
        # What cannot be shown is not kept.
        _converted(request, question)
    # Together with its entry in the audit log, or not at all.
    with transaction.atomic():
        kept = SavedConversion.objects.create(
            user=user,
            username=user.get_username(),
            manifest=question.manifest,
            profile=asked.settings.profile.value,
            cluster=asked.cluster,
            namespace=question.namespace,
            vendors=question.vendors,
            config=question.config,
        )
    return redirect(kept)


@page
def saved(request: HttpRequest, saved_id: UUID) -> HttpResponse:
    kept = _kept(request, saved_id)
    download = f"{reverse('saved_conversion_download', args=(saved_id,))}?what="
    return _answered(request, _question(kept), download=download, kept=kept)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def download(request: HttpRequest) -> HttpResponse:
    return _download_of_form(request) if request.method == "POST" else _download_at_address(request)


@piece
def _download_at_address(request: HttpRequest) -> HttpResponse:
    question = from_address(request.GET)
    if not question.manifest:
        raise Refused([("manifest", _("There is none in the address."))])
    return _file(request, question, request.GET.get("what", ""))


@_form
def _download_of_form(request: HttpRequest, question: Question) -> HttpResponse:
    return _file(request, question, request.POST.get("what", ""))


@piece
def saved_download(request: HttpRequest, saved_id: UUID) -> HttpResponse:
    return _file(request, _question(_kept(request, saved_id)), request.GET.get("what", ""))


def _file(request: HttpRequest, question: Question, what: str) -> HttpResponse:
    if what not in set(What):
        raise Refused([("what", _("It is one of %(known)s.") % {"known": ", ".join(What)})])
    with snapshot():
        return conversion_file.answer(_converted(request, question), What(what))


@require_POST
def forget(request: HttpRequest, saved_id: UUID) -> HttpResponse:
    """Whoever saved it may delete it."""
    kept = _kept(request, saved_id)
    if kept.user_id != request.user.pk:
        raise PermissionDenied
    kept.delete()
    return redirect("convert")


def _kept(request: HttpRequest, saved_id: UUID) -> SavedConversion:
    """One's own; of an operator, anybody's. Raises Http404."""
    seen = SavedConversion.objects.visible_to(viewer_of(request.user), request.user)
    kept = seen.select_related("cluster").filter(pk=saved_id).first()
    if kept is None:
        raise Http404(_("There is no such saved conversion; it may have been deleted since."))
    return kept


def _question(kept: SavedConversion) -> Question:
    cluster = kept.cluster.name if kept.cluster is not None else ""
    return Question(kept.manifest, kept.profile, cluster, kept.namespace, kept.vendors, kept.config)


def _answered(
    request: HttpRequest, question: Question, *, download: str = "", kept: SavedConversion | None = None
) -> HttpResponse:
    """Raises Refused."""
    asked = request.GET if download else request.POST
    # Another manifest has other Pods.
    where = QueryDict() if _FRESH in asked else asked

    def href(number: int) -> str:
        query = request.GET.copy()
        query["at"] = str(number)
        return f"?{query.urlencode()}#details" if download else ""

    with snapshot():
        rows = _converted(request, question)
        found = lines(rows, href)
        at = chosen(found, where.get("at", ""))
        paged = numbered(where.get("page", "") or page_of(found, at), found)
        result = Result(rows, paged, details(at) if at is not None else None, download)
        return _shown(request, question, result=result, kept=kept)


def _converted(request: HttpRequest, question: Question) -> ConversionsRow:
    """Raises Refused."""
    asked = resolved(question)
    try:
        return previews.of_text(
            question.manifest,
            asked.settings,
            asked.cluster,
            question.namespace,
            viewer=viewer_of(request.user),
        )
    except ManifestError as error:
        raise Refused([("manifest", printable(str(error), _LONGEST_FAULT))]) from error


def _shown(
    request: HttpRequest,
    question: Question,
    *,
    faults: Sequence[tuple[str, str]] = (),
    result: Result | None = None,
    kept: SavedConversion | None = None,
    status: int = 200,
) -> HttpResponse:
    clusters = cluster_names(request)
    used = [question.cluster] if result is not None and question.cluster else []
    context: dict[str, Any] = {
        "asked": question,
        "faults": faults,
        "faulty": {name for name, _fault in faults},
        "clusters": clusters,
        "profiles": words.PROFILE.items(),
        "result": result,
        "kept": kept,
        "is_own": kept is not None and kept.user_id == request.user.pk,
        "seconds": SECONDS,
    }
    source = Source(clusters=used, kinds=previews.KINDS, rests=bool(used))
    response = show(request, "convert.html", context, active="convert", source=source)
    response.status_code = status
    return response
