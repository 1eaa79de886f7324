"""Where a claim or Pod that waits would go. It is loaded after its page: the search may take seconds.

Without a script the page asks for itself again, with `fit=now`, and then has it inside.
"""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard.pages.shell import page
from inventory.queries import claims as claim_queries
from inventory.queries import pods as pod_queries
from inventory.queries.fit import answers
from inventory.queries.fit.answers import FitRow

PARAMETER = "fit"
_NOW = "now"


class FitPart(NamedTuple):
    """`address` is that of the part alone; without `answer` it is still to be asked for."""

    address: str
    cluster: str
    answer: FitRow | None = None


def asked_for(request: HttpRequest) -> bool:
    return request.GET.get(PARAMETER) == _NOW


def claim_part(request: HttpRequest, claim_id: int, cluster: str) -> FitPart:
    answer = _of_claim(claim_id) if asked_for(request) else None
    return answer or FitPart(reverse("claim_fit", args=(claim_id,)), cluster)


def pod_part(request: HttpRequest, pod_id: int, cluster: str) -> FitPart:
    answer = _of_pod(pod_id) if asked_for(request) else None
    return answer or FitPart(reverse("pod_fit", args=(pod_id,)), cluster)


@page
def claim(request: HttpRequest, claim_id: int) -> HttpResponse:
    return _shown(request, _of_claim(claim_id), _("There is no such claim; it may have been deleted since."))


@page
def pod(request: HttpRequest, pod_id: int) -> HttpResponse:
    return _shown(request, _of_pod(pod_id), _("There is no such Pod; it may have ended since."))


def _of_claim(claim_id: int) -> FitPart | None:
    found = claim_queries.queryset().filter(pk=claim_id).first()
    answer = answers.of_claim(claim_id)
    if found is None or answer is None:
        return None
    return FitPart(reverse("claim_fit", args=(claim_id,)), found.cluster.name, answer)


def _of_pod(pod_id: int) -> FitPart | None:
    found = pod_queries.queryset().filter(pk=pod_id).first()
    answer = answers.of_pod(pod_id)
    if found is None or answer is None:
        return None
    return FitPart(reverse("pod_fit", args=(pod_id,)), found.cluster.name, answer)


def _shown(request: HttpRequest, found: FitPart | None, missing: str) -> HttpResponse:
    if found is None:
        raise Http404(missing)
    return render(request, "parts/fit.html", {"part": found, "fit": found.answer})
