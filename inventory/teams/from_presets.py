"""Teams of what people have already: a preview of what a preset would make, and the making."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Max

from inventory.kube.untrusted import printable
from inventory.models import Namespace, Pod, Team, TeamRule, TeamRuleValue
from inventory.ownership.described import LONGEST_VALUE
from inventory.ownership.presets import Preset, PresetRule
from inventory.ownership.rulebook import Subject
from inventory.queries.label_selector import LabelText
from inventory.teams.assignment import changing_teams

_MODELS: dict[Subject, type[Any]] = {Subject.NAMESPACE: Namespace, Subject.POD: Pod}
_LONGEST_SLUG = 63
_LONGEST_NAME = 100
_COLOURS = range(1, 9)
_NO_SLUG = re.compile(r"[^a-z0-9_]+")
_SLUG = re.compile(rf"[-a-zA-Z0-9_]{{1,{_LONGEST_SLUG}}}")


@dataclass(frozen=True)
class FoundValue:
    """A value under the key of a rule, with how many things say it.

    `team` is the one that it names already; if there is none, one with this slug would be made.
    """

    value: str
    things: int
    team: Team | None
    slug: str

    @property
    def shown(self) -> str:
        """Anybody may write any text into an annotation."""
        return printable(self.value)

    @property
    def must_be_listed(self) -> bool:
        return self.team is None and self.slug != self.value


@dataclass(frozen=True)
class PlannedRule:
    """A rule of the preset, the row that says the same already, and what stands under its key."""

    wanted: PresetRule
    row: TeamRule | None
    values: Sequence[FoundValue]


@dataclass(frozen=True)
class Plan:
    """What a preset would make."""

    preset: Preset
    rules: Sequence[PlannedRule]

    @property
    def new_teams(self) -> list[FoundValue]:
        """Each once, however many rules find its value."""
        found = {one.value: one for rule in self.rules for one in rule.values if one.team is None}
        return list(found.values())

    @property
    def new_rules(self) -> list[PresetRule]:
        return [rule.wanted for rule in self.rules if rule.row is None]

    @property
    def anything(self) -> bool:
        return bool(self.new_teams or self.new_rules)


def plan(preset: Preset) -> Plan:
    """Nothing is written. Values are looked for in what was read of all clusters."""
    taken = {team.slug: team for team in Team.objects.all()}
    slugs: dict[str, str] = {}
    return Plan(preset, [_planned(wanted, taken, slugs) for wanted in preset.rules])


def make(preset: Preset) -> Plan:
    """Make the teams and the rules that are missing, and assign by them; what was made."""
    with changing_teams():
        planned = plan(preset)
        colours = _free_colours()
        teams = {
            one.value: Team.objects.create(
                slug=one.slug, name=printable(one.value, _LONGEST_NAME), colour=next(colours)
            )
            for one in planned.new_teams
        }
        for rule in planned.rules:
            row = rule.row or _create(rule.wanted)
            for one in rule.values:
                if one.must_be_listed:
                    TeamRuleValue.objects.create(rule=row, value=one.value, team=teams[one.value])
    return planned


def _planned(wanted: PresetRule, taken: dict[str, Team], slugs: dict[str, str]) -> PlannedRule:
    source = TeamRule.Source.ANNOTATION if wanted.in_annotations else TeamRule.Source.LABEL
    rows = TeamRule.objects.filter(subject=wanted.subject, key=wanted.key, source=source, cluster=None)
    row = rows.first()
    listed = {one.value: one.team for one in row.values.select_related("team")} if row else {}
    values = []
    for value, things in _values(wanted):
        team = listed.get(value) or taken.get(value)
        if team is None and value not in slugs:
            slugs[value] = _slug(value, {*taken, *slugs.values()})
        values.append(FoundValue(value, things, team, team.slug if team else slugs[value]))
    return PlannedRule(wanted, row, values)


def _values(wanted: PresetRule) -> Iterable[tuple[str, int]]:
    column = "annotations" if wanted.in_annotations else "labels"
    said = _MODELS[wanted.subject].objects.annotate(said=LabelText(F(column), wanted.key))
    counted = said.exclude(said=None).exclude(said="").order_by("said").values_list("said")
    return [(value, things) for value, things in counted.annotate(Count("pk")) if len(value) <= LONGEST_VALUE]


def _slug(value: str, taken: set[str]) -> str:
    """The value itself where it is one, else what is left of it."""
    if _SLUG.fullmatch(value) and value not in taken:
        return value
    stem = _NO_SLUG.sub("-", value.lower()).strip("-")[: _LONGEST_SLUG - 4].strip("-") or "team"
    return next(slug for slug in _numbered(stem) if slug not in taken)


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem}-{number}"
        number += 1


def _create(wanted: PresetRule) -> TeamRule:
    """Behind those that there are: whoever wrote them meant them to decide."""
    last = TeamRule.objects.aggregate(last=Max("position"))["last"] or 0
    return TeamRule.objects.create(
        position=last + 10,
        subject=wanted.subject,
        key=wanted.key,
        source=TeamRule.Source.ANNOTATION if wanted.in_annotations else TeamRule.Source.LABEL,
    )


def _free_colours() -> Iterator[int]:
    """Those that no team has yet, and then the colour of all others."""
    taken = set(Team.objects.values_list("colour", flat=True))
    yield from (colour for colour in _COLOURS if colour not in taken)
    while True:
        yield 0
