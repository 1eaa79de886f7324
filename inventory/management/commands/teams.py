from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.kube.untrusted import printable
from inventory.models import Cluster
from inventory.ownership.presets import PRESETS
from inventory.teams import from_presets, whose
from inventory.teams.from_presets import FoundValue, Plan, PlannedRule


class Command(BaseCommand):
    help = (
        "Whose each namespace is, and why. With --preset: which teams and rules would be made of what "
        "clusters have already, for example Rancher projects; with --make they are."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", nargs="*", help="names of clusters; none: all of them")
        parser.add_argument("--preset", choices=sorted(PRESETS), help="what to make teams of")
        parser.add_argument("--make", action="store_true", help="make what --preset shows")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["preset"] is None:
            if options["make"]:
                raise CommandError("--make makes what a preset shows: give --preset as well")
            self._list(options["cluster"])
            return
        if options["cluster"]:
            raise CommandError("a preset makes teams for all clusters; rules for one are made in the admin")
        self._preset(options["preset"], make=options["make"])

    def _list(self, names: Sequence[str]) -> None:
        clusters = Cluster.objects.filter(name__in=names) if names else Cluster.objects.all()
        if unknown := set(names) - set(clusters.values_list("name", flat=True)):
            raise CommandError(f"no such cluster: {', '.join(sorted(unknown))}")
        rows = [
            (one.namespace.cluster.name, one.namespace.name, _slug(one), one.reason or "nobody's")
            for one in whose.namespaces(clusters)
        ]
        self._table(("CLUSTER", "NAMESPACE", "TEAM", "WHY"), rows)
        for rule, error in whose.unread_rules():
            self.stderr.write(f"rule {rule.position} never applies: {error}")

    def _preset(self, name: str, *, make: bool) -> None:
        preset = PRESETS[name]
        found = from_presets.make(preset) if make else from_presets.plan(preset)
        self._tell(f"{preset.title}. {preset.about}", f"Keys as in {preset.source}")
        for rule in found.rules:
            self._rule(rule, made=make)
        self._tell(_summary(found, made=make))

    def _rule(self, rule: PlannedRule, *, made: bool) -> None:
        place = "annotation" if rule.wanted.in_annotations else "label"
        there = "is there" if rule.row else "made" if made else "would be made"
        things = "NAMESPACES" if rule.wanted.subject == "namespace" else "PODS"
        self._tell("", f"Rule on the {place} {rule.wanted.key}: {there}")
        rows = [(one.value, str(one.things), one.slug, _fate(one, made=made)) for one in rule.values]
        self._table(("VALUE", things, "TEAM", ""), rows)

    def _table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        lines = [head, *([printable(text) for text in row] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
            self._tell("  ".join(padded).rstrip())

    def _tell(self, *lines: str) -> None:
        for line in lines:
            self.stdout.write(line)


def _slug(one: whose.Whose) -> str:
    return one.namespace.team.slug if one.namespace.team else "-"


def _fate(one: FoundValue, *, made: bool) -> str:
    if one.team is not None:
        return "is there"
    return "made" if made else "would be made"


def _summary(found: Plan, *, made: bool) -> str:
    if not found.anything:
        return "\nNothing to make."
    counted = f"\nNew teams: {len(found.new_teams)}, new rules: {len(found.new_rules)}."
    return f"{counted} {'Everything is assigned by them.' if made else 'Add --make to make them.'}"
