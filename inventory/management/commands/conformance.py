import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.dra.conformance import KINDS, VectorError


class Command(BaseCommand):
    help = "Compare with recorded answers of a real scheduler: where it places claims, selectors, amounts."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=sorted(KINDS), help="what the file has answers about")
        parser.add_argument("file", type=Path, help="JSON with a list `cases`, as docs/conformance.md tells")

    def handle(self, *args: Any, **options: Any) -> None:
        """-v 2 names every case, also those that agree."""
        try:
            outcomes = list(KINDS[options["kind"]](_read(options["file"])))
        except VectorError as error:
            raise CommandError(f"{options['file']}: {error}") from error
        for outcome in outcomes:
            if not outcome.agrees:
                self.stdout.write(
                    f"{outcome.name}\n  expected: {outcome.expected}\n  found:    {outcome.found}"
                )
            elif options["verbosity"] > 1:
                self.stdout.write(f"{outcome.name}: {outcome.found}")
        agreeing = sum(outcome.agrees for outcome in outcomes)
        told = f"{agreeing} of {len(outcomes)} agree"
        if agreeing < len(outcomes):
            raise CommandError(told, returncode=1)
        self.stdout.write(told)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(f"{path}: no JSON: {error}") from error
    if not isinstance(found, dict):
        raise VectorError("expected a JSON object")
    return found
