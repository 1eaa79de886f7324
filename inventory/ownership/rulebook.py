"""From what things say of themselves to the teams that they belong to, and why.

The first that applies decides: for a claim the rules on claims, then those on its Pods; for a Pod those on
Pods; and where none of them applies, the namespace. That belongs to whom it is assigned in this cluster, else
to whom it is assigned in all clusters, else, where it could be read, by the rules on namespaces.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from inventory.kube.label_selector import Selector, matches
from inventory.ownership.described import Described


class Subject(StrEnum):
    """What a rule looks at."""

    NAMESPACE = "namespace"
    CLAIM = "claim"
    POD = "pod"


@dataclass(frozen=True)
class Rule:
    """What its selector selects is the team's; without a selector, the value under its key names the team."""

    id: int
    subject: Subject
    selector: Selector | None = None
    team: int | None = None
    key: str = ""
    in_annotations: bool = False
    # Teams of values that are no slugs.
    named: Mapping[str, int] = field(default_factory=dict)

    def team_of(self, one: Described, slugs: Mapping[str, int]) -> int | None:
        if self.selector is not None:
            return self.team if matches(self.selector, one.labels) else None
        value = self.value_of(one)
        return None if value is None else self.named.get(value, slugs.get(value))

    def value_of(self, one: Described) -> str | None:
        """What stands under its key."""
        return (one.annotations if self.in_annotations else one.labels).get(self.key)


class Why(StrEnum):
    """What decided."""

    RULE = "rule"
    ASSIGNED_HERE = "assigned in this cluster"
    ASSIGNED_EVERYWHERE = "assigned in every cluster"


class Owner(NamedTuple):
    """`rule`: which one, where it was one."""

    team: int
    why: Why
    rule: Rule | None = None


@dataclass(frozen=True)
class Rulebook:
    """All that decides in one cluster; rules in the order in which they are tried.

    `slugs` are those of all teams, `here` and `everywhere` the assigned namespaces.
    """

    slugs: Mapping[str, int] = field(default_factory=dict)
    here: Mapping[str, int] = field(default_factory=dict)
    everywhere: Mapping[str, int] = field(default_factory=dict)
    rules: Sequence[Rule] = ()

    def of_namespace(self, name: str, one: Described | None) -> Owner | None:
        """`one` is None where nothing but the name is known: no label is then known to be missing either."""
        if (team := self.here.get(name)) is not None:
            return Owner(team, Why.ASSIGNED_HERE)
        if (team := self.everywhere.get(name)) is not None:
            return Owner(team, Why.ASSIGNED_EVERYWHERE)
        return None if one is None else self._by_rule(Subject.NAMESPACE, one)

    def of_pod(self, one: Described) -> Owner | None:
        """None: as its namespace."""
        return self._by_rule(Subject.POD, one)

    def of_claim(self, one: Described, pods: Iterable[Described]) -> Owner | None:
        """None: as its namespace. `pods` are those that use it."""
        return self._by_rule(Subject.CLAIM, one) or self._by_pods(pods)

    def slug_of(self, team: int | None) -> str:
        """Empty where there is no team."""
        return "" if team is None else self._slugs_by_team.get(team, "")

    @cached_property
    def looks_at_pods(self) -> bool:
        return bool(self._of_subject[Subject.POD])

    def annotations(self, subject: Subject) -> set[str]:
        """The keys of those that its rules look at."""
        return {rule.key for rule in self._of_subject[subject] if rule.key and rule.in_annotations}

    @cached_property
    def _slugs_by_team(self) -> Mapping[int, str]:
        return {team: slug for slug, team in self.slugs.items()}

    @cached_property
    def _of_subject(self) -> Mapping[Subject, Sequence[Rule]]:
        return {subject: tuple(rule for rule in self.rules if rule.subject is subject) for subject in Subject}

    @cached_property
    def _positions(self) -> Mapping[int, int]:
        """By the identity of each rule."""
        return {id(rule): position for position, rule in enumerate(self.rules)}

    def _by_rule(self, subject: Subject, one: Described) -> Owner | None:
        for rule in self._of_subject[subject]:
            if (team := rule.team_of(one, self.slugs)) is not None:
                return Owner(team, Why.RULE, rule)
        return None

    def _by_pods(self, pods: Iterable[Described]) -> Owner | None:
        """The team of all of them.

        Where two Pods lead to two teams, or one to none, no Pod decides: so it does not matter which of them
        came first, and nobody takes over a claim by a Pod beside those of others. Of the rules that lead to
        the one team, the first is told.
        """
        owners = [self.of_pod(one) for one in pods] if self.looks_at_pods else []
        found = [owner for owner in owners if owner is not None]
        if not found or len(found) < len(owners) or len({owner.team for owner in found}) > 1:
            return None
        return min(found, key=lambda owner: self._positions[id(owner.rule)])
