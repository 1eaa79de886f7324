"""A conversion as pages show it: a line for each Pod, and all of one of them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.http import Http404
from django.utils.translation import gettext as _

from dashboard.pages import conversion_fields
from dashboard.pages.conversion_fields import ClaimFields, FieldLine
from dashboard.pages.paging import Paged
from dashboard.pages.refusal import Refused
from inventory.hami.differences import difference
from inventory.hami.previews import Outcome
from inventory.queries.conversion.building import difference_row
from inventory.queries.conversion.previews import GRAVEST_FIRST
from inventory.queries.conversion.rows import (
    ConversionRow,
    ConversionsRow,
    PodConversionRow,
    UnifiedDifferenceRow,
    WarningRow,
)


class Line(NamedTuple):
    """One Pod of an object, or an object that makes no Pod which is known. Numbers begin with 1.

    `href` leads to all of it, and is empty where only the form does.
    """

    number: int
    object: ConversionRow
    pod: PodConversionRow | None
    href: str

    @property
    def outcome(self) -> Outcome:
        return self.object.outcome if self.pod is None else self.pod.outcome

    @property
    def gravest(self) -> WarningRow | None:
        """They come in this order."""
        return next(iter(self.pod.warnings), None) if self.pod is not None else None


class NamedDifference(NamedTuple):
    name: str
    is_new: bool
    row: UnifiedDifferenceRow


class Details(NamedTuple):
    line: Line
    claims: Sequence[ClaimFields]
    pod_fields: Sequence[FieldLine]
    differences: Sequence[NamedDifference]


class Result(NamedTuple):
    """`paged` are lines. `download` is an address that lacks what to download at its end.

    Without one the page cannot be asked for by its address, and its form leads on.
    """

    rows: ConversionsRow
    paged: Paged
    details: Details | None
    download: str


def lines(rows: ConversionsRow, href: Callable[[int], str]) -> list[Line]:
    pairs = [(one, pod) for one in rows.conversions for pod in one.pods or (None,)]
    return [Line(number, one, pod, href(number)) for number, (one, pod) in enumerate(pairs, start=1)]


def chosen(found: Sequence[Line], at: str) -> Line | None:
    """The first of the gravest where none is named. Raises Refused and Http404."""
    if not at:
        return min(found, key=lambda line: GRAVEST_FIRST.index(line.outcome), default=None)
    if not at.isdecimal() or len(at) > 7:
        raise Refused([("at", _("“%(text)s” is not the number of a Pod in it") % {"text": at[:40]})])
    line = next((line for line in found if line.number == int(at)), None)
    if line is None:
        raise Http404(_("There is no Pod %(number)s in it.") % {"number": at})
    return line


def details(line: Line) -> Details:
    if line.pod is None:
        return Details(line, (), (), ())
    return Details(
        line,
        conversion_fields.of_claims(line.pod),
        conversion_fields.of_pod(line.pod),
        _differences(line.object, line.pod),
    )


def _differences(found: ConversionRow, pod: PodConversionRow) -> list[NamedDifference]:
    """What changes in the Pod, and each claim, which is new."""
    name = f"Pod {found.namespace}/{pod.name}"
    changed = [NamedDifference(name, is_new=False, row=pod.difference)] if pod.difference.hunks else []
    labels = [(f"{claim.kind} {claim.namespace}/{claim.name}", claim.manifest) for claim in pod.claims]
    return [
        *changed,
        *(
            NamedDifference(label, is_new=True, row=difference_row(difference(label, None, manifest)))
            for label, manifest in labels
        ),
    ]
