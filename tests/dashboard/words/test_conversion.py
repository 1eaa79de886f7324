"""The words of conversions: every code has one, and every text says the same in every language."""

from collections.abc import Iterator
from string import Formatter

import msgspec
import pytest
from django.utils import translation

from dashboard.words import conversion as words
from inventory.hami.converted import Rule
from inventory.hami.previews import Outcome
from inventory.hami.proposals import Lost, WithoutProposal
from inventory.hami.warnings.warning import Code, Severity
from inventory.hami.warnings.wording import ENGLISH
from inventory.hami.webhook.profiles import Profile
from inventory.hami.wording import LOSSES, REMARKS, WITHOUT_PROPOSAL
from inventory.hami.workloads import Note
from inventory.queries.conversion.rows import (
    LossRow,
    RemarkRow,
    Searched,
    SummaryRow,
    UnavailableRow,
    WarningRow,
)


def _texts() -> Iterator[str]:
    for wording in ENGLISH.values():
        yield from msgspec.structs.astuple(wording)
    for texts in (REMARKS, LOSSES, WITHOUT_PROPOSAL):
        yield from texts.values()


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _summary(**counts: int) -> SummaryRow:
    none = dict.fromkeys(SummaryRow.__struct_fields__, 0)
    return SummaryRow(**{**none, **counts})


def _warning(code: Code, **values: str) -> WarningRow:
    return WarningRow(code, Severity.DIFFERS, "spec", None, values, "", "", "", "", None)


def test_every_code_has_a_word() -> None:
    assert set(words.OUTCOME) == set(Outcome)
    assert set(words.SEVERITY) == set(Severity)
    assert set(words.SEARCHED) == set(Searched) - {Searched.YES}
    assert set(words.RULE) == set(Rule)
    assert set(words.PROFILE) == set(Profile)
    assert (set(REMARKS), set(LOSSES), set(WITHOUT_PROPOSAL)) == (set(Note), set(Lost), set(WithoutProposal))


@pytest.mark.parametrize("text", sorted(set(_texts())))
def test_every_text_beside_the_rules_is_translated_with_its_values(text: str) -> None:
    with translation.override("zh-hans"):
        told = translation.gettext(text)
    assert told != text
    assert _names(told) == _names(text)


def test_values_are_filled_in_and_are_no_templates() -> None:
    row = _warning(Code.COUNT_ZERO, resource="nvidia.com/gpu", given="{0.__class__}%(x)s")
    assert words.warning(row).before == "“nvidia.com/gpu: {0.__class__}%(x)s” gives the container no card."
    assert (
        words.loss(LossRow(Lost.CORES, "", "{x}")) == "The driver has no share of cores; “{x}” is not said."
    )
    assert "{x}" in words.remark(RemarkRow(Note.OWNED, None, "{x}"))
    assert "{x}" in words.unavailable(UnavailableRow("{x}", "app", (), WithoutProposal.NONE_KNOWN))


def test_a_summary_names_only_what_there_is() -> None:
    assert words.summary(_summary(objects=1, converted=1)) == ("1 object: 1 converted.")
    assert words.summary(_summary(objects=1200, refused=1199, unreadable=1)) == (
        "1,200 objects: 1,199 refused, 1 not readable."
    )
    assert words.summary(_summary()) == "There is nothing in it."
