"""A question put to the simulator, with what quotas say before it and what was not read beside it."""

from collections.abc import Iterator
from time import monotonic

import msgspec

from inventory.dra.simulator.explanation import Caveat, Doubt, Explanation, Verdict, explain
from inventory.dra.simulator.refusals import CannotSimulateError
from inventory.models import Cluster
from inventory.queries.fit.questions import Question, Wait, Waiting
from inventory.queries.fit.quotas import refusing
from inventory.queries.fit.scheduler import NotReadError, scheduler_view
from inventory.queries.fit.unread import unread
from inventory.viewer import Viewer


def searched(
    cluster: Cluster, question: Question, until: float, *, viewer: Viewer
) -> tuple[Question, Explanation]:
    """Inside of a snapshot, with the cluster as read there; the search ends at `until` (monotonic).

    The question comes back with what has to happen first.
    """
    doubts = tuple(_doubts(cluster, question))
    question = _with_quota(cluster, question, viewer)
    found = _with_unknown(question, _explained(cluster, question, until))
    return question, msgspec.structs.replace(found, doubts=(*found.doubts, *doubts))


def _explained(cluster: Cluster, question: Question, until: float) -> Explanation:
    if not question.claims:
        return Explanation(Verdict.NOTHING_TO_PLACE)
    try:
        view = scheduler_view(cluster, tuple(question.replaced))
        return explain(view, question.claims, question.rules, lambda: monotonic() < until)
    except (NotReadError, CannotSimulateError) as error:
        return Explanation(Verdict.CANNOT_SIMULATE, str(error))


def _with_unknown(question: Question, found: Explanation) -> Explanation:
    """What fits without a claim that nobody knows may not fit with it; what does not fit will not."""
    could_be = (Verdict.FITS, Verdict.POD_RULES, Verdict.NOTHING_TO_PLACE)
    if not question.unknown or found.verdict not in could_be:
        return found
    message = f"what {', '.join(question.unknown)} asks for is not known before it is there"
    if found.fits:
        nodes = "1 node" if len(found.fits) == 1 else f"{len(found.fits):,} nodes"
        message += f"; the other claims alone would fit on {nodes}"
    return msgspec.structs.replace(
        found, verdict=Verdict.CANNOT_SIMULATE, message=message, fits=(), elsewhere=()
    )


def _with_quota(cluster: Cluster, question: Question, viewer: Viewer) -> Question:
    """A claim that is not made may not be allowed to be: only its Pod's events would say so."""
    if not question.unmade:
        return question
    refused = refusing(cluster, question.subject.namespace, question.unmade, viewer=viewer)
    if not refused:
        return question
    wait = Wait(Waiting.QUOTA, tuple(one.quota for one in refused), "; ".join(map(str, refused)))
    return msgspec.structs.replace(question, wait=wait)


def _doubts(cluster: Cluster, question: Question) -> Iterator[Doubt]:
    for kind in unread(cluster, tuple(_beside_devices(question))):
        yield Doubt(Caveat.KIND_UNREAD, detail=kind)
    for name in question.replaced.values():
        yield Doubt(Caveat.REPLACED, detail=name)


def _beside_devices(question: Question) -> Iterator[str]:
    """The kinds that bear on the answer besides those without which there is none."""
    waiting = question.wait.waiting if question.wait is not None else None
    if question.claims:
        yield "devicetaintrules"
    if question.unmade:
        yield "resourcequotas"
    if waiting is Waiting.CLAIM:
        yield "resourceclaimtemplates"
    if waiting is Waiting.CONSUMER:
        yield "pods"
