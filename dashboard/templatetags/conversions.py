"""What HAMi's Pods become, in templates. All text of manifests and clusters is escaped."""

from collections.abc import Iterator

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard.pages.conversion_result import Line
from dashboard.templatetags import fitting, marks
from dashboard.words import conversion as words
from dashboard.words.states import Badge
from inventory.dra.simulator.explanation import Verdict
from inventory.hami.differences import Mark
from inventory.hami.warnings.warning import Severity
from inventory.hami.warnings.wording import Wording
from inventory.hami.yaml_text import UnwritableError, yaml_text
from inventory.kube.objects import Raw
from inventory.queries.conversion.rows import (
    CorrectionRow,
    PodConversionRow,
    Searched,
    UnifiedDifferenceRow,
    WarningRow,
)

register = template.Library()

register.filter("conversion_said", words.outcome)
register.filter("fits_in_vain", words.fits_in_vain)
register.filter("conversion_summary", words.summary)
register.filter("conversion_searched", words.searched)
register.filter("conversion_remark", words.remark)
register.filter("conversion_loss", words.loss)
register.filter("conversion_unavailable", words.unavailable)


@register.simple_tag
def conversion_badge(known: Badge) -> SafeString:
    return marks.badge(known.word, known.icon, known.tone)


@register.simple_tag
def outcome_badge(outcome: str) -> SafeString:
    return conversion_badge(words.OUTCOME[outcome])


@register.simple_tag
def severity_badge(severity: str) -> SafeString:
    return conversion_badge(words.SEVERITY[severity])


@register.filter
def outcome_tone(outcome: str) -> str:
    return words.OUTCOME[outcome].tone


@register.filter
def outcome_icon(outcome: str) -> str:
    return words.OUTCOME[outcome].icon


@register.filter
def conversion_warning(row: WarningRow) -> Wording:
    return words.warning(row)


@register.simple_tag
def room_badge(pod: PodConversionRow) -> SafeString:
    """Whether it would be placed now, or why that was not looked for."""
    if words.fits_in_vain(pod):
        return conversion_badge(words.FITS_IN_VAIN)
    if pod.searched is Searched.YES and pod.fit is not None:
        return fitting.fit_verdict(pod.fit)
    return conversion_badge(words.SEARCHED[pod.searched])


@register.filter
def correction_title(row: CorrectionRow, pod: PodConversionRow) -> str:
    """The warning whose advice is added last."""
    last = next(one for one in pod.warnings if one.code is row.codes[-1])
    return words.warning(last).title


@register.simple_tag
def correction_badge(row: CorrectionRow) -> SafeString:
    if row.fit is not None and row.fit.verdict is Verdict.FITS and row.never_fits:
        return conversion_badge(words.FITS_IN_VAIN)
    if row.searched is Searched.YES and row.fit is not None:
        return fitting.fit_verdict(row.fit)
    return conversion_badge(words.SEARCHED[row.searched])


@register.filter
def severities(line: Line) -> list[tuple[int, Badge]]:
    """How many warnings of each, the gravest first."""
    found = [one.severity for one in line.pod.warnings] if line.pod is not None else []
    return [(n, words.SEVERITY[one]) for one in Severity if (n := found.count(one))]


@register.filter
def as_yaml(manifest: Raw) -> str:
    try:
        return yaml_text(manifest)
    except UnwritableError as error:
        return str(error)


@register.simple_tag
def difference_lines(row: UnifiedDifferenceRow) -> SafeString:
    """Signs say what a line is, and elements say it to those who do not see the signs."""
    return format_html_join("", "{}", ((line,) for line in _lines(row)))


def _lines(row: UnifiedDifferenceRow) -> Iterator[SafeString]:
    added, removed = _("added:"), _("removed:")
    for hunk in row.hunks:
        yield format_html('<span class="h">{}\n</span>', hunk.heading)
        for line in hunk.lines:
            if line.mark == Mark.ADDED:
                yield format_html('<ins><i class="vh">{} </i>+ {}\n</ins>', added, line.text)
            elif line.mark == Mark.REMOVED:
                yield format_html('<del><i class="vh">{} </i>- {}\n</del>', removed, line.text)
            else:
                yield format_html("<span>  {}\n</span>", line.text)
