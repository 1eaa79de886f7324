"""The fields of a conversion: what of the Pod each comes from, and whether it means the same."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from dashboard.words import conversion as words
from dashboard.words.states import Badge
from inventory.hami.converted import Rule
from inventory.hami.warnings.warning import Code, Severity
from inventory.queries.conversion.rows import ConvertedClaimRow, OriginRow, PodConversionRow, WarningRow

_IN_REQUEST = re.compile(r"^(?:spec\.)?spec\.devices\.requests\[0\]\.exactly\.")
_RESOURCE = re.compile(r'^spec\.containers\[\d+\]\.resources\.(limits|requests)\["(.*)"\]$')
_ANNOTATION = re.compile(r'^metadata\.annotations\["(.*)"\]$')
_GRAVEST = tuple(Severity)
# About cores that are not written: told at another field, for want of one.
_CORES_LEFT_OUT = frozenset({Code.CORES_TAKE_ALL, Code.CORES_OF_TEMPLATE})
# What the driver decides where the claim does not say it.
_DIMENSIONS = ("memory", "cores")


class FieldLine(NamedTuple):
    """`path` and `source_path` are whole, `field` and `source` as people say them.

    Without `value` the field is left out. `meaning` is only told of what a claim says.
    """

    field: str
    path: str
    value: str | None
    source: str
    source_path: str
    given: str | None
    rule: str | Promise
    meaning: Badge | None


class ClaimFields(NamedTuple):
    claim: ConvertedClaimRow
    lines: Sequence[FieldLine]


def of_claims(pod: PodConversionRow) -> list[ClaimFields]:
    severities = _severities(pod.warnings)
    return [ClaimFields(claim, list(_of_claim(claim, pod, severities))) for claim in pod.claims]


def of_pod(pod: PodConversionRow) -> list[FieldLine]:
    return [_line(origin, None) for origin in pod.origins]


def _severities(warnings: Iterable[WarningRow]) -> Mapping[str, Severity]:
    """The gravest by the path in the Pod."""
    found: dict[str, Severity] = {}
    for one in sorted(warnings, key=lambda row: _GRAVEST.index(row.severity)):
        if one.code not in _CORES_LEFT_OUT:
            found.setdefault(one.field, one.severity)
    return found


def _of_claim(
    claim: ConvertedClaimRow, pod: PodConversionRow, severities: Mapping[str, Severity]
) -> Iterator[FieldLine]:
    for origin in claim.origins:
        yield _line(origin, _meaning(severities.get(origin.source or "")))
    written = {origin.field.rpartition(".")[2] for origin in claim.origins}
    for dimension in _DIMENSIONS:
        if dimension not in written:
            yield _left_out(dimension, claim, pod)


def _meaning(severity: Severity | None) -> Badge:
    return words.SAME if severity is None else words.SEVERITY[severity]


def _line(origin: OriginRow, meaning: Badge | None) -> FieldLine:
    return FieldLine(
        _IN_REQUEST.sub("", origin.field),
        origin.field,
        None if origin.rule is Rule.REMOVED else origin.value,
        _source(origin),
        origin.source or "",
        origin.given,
        words.RULE[origin.rule],
        meaning,
    )


def _left_out(dimension: str, claim: ConvertedClaimRow, pod: PodConversionRow) -> FieldLine:
    takes_all = dimension == "cores" and any(
        one.code in _CORES_LEFT_OUT and one.container == claim.container for one in pod.warnings
    )
    return FieldLine(
        field=f"capacity.requests.{dimension}",
        path="",
        value=None,
        source=_("nothing"),
        source_path="",
        given=None,
        rule=_("left out: the driver’s default counts"),
        meaning=_meaning(Severity.DIFFERS if takes_all else None),
    )


def _source(origin: OriginRow) -> str:
    """`limits · nvidia.com/gpumem`"""
    path = origin.source or ""
    if found := _RESOURCE.match(path):
        return f"{found[1]} · {found[2]}"
    if found := _ANNOTATION.match(path):
        return _("annotation · %(name)s") % {"name": found[1]}
    if path:
        return path
    return (
        _("namespace, Pod, container, kind of card") if origin.rule is Rule.NAMED else _("the kind of card")
    )
