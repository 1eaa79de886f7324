import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.dra.conformance import KINDS as OF_THE_SCHEDULER
from inventory.dra.conformance import Outcome, VectorError
from inventory.hami.conformance import KINDS as OF_THE_WEBHOOK
from inventory.kube.untrusted import printable

KINDS = {**OF_THE_SCHEDULER, **OF_THE_WEBHOOK}


class Command(BaseCommand):
    help = (
        "Compare with recorded answers of a real scheduler: where it places claims, selectors, amounts; "
        "or of a real HAMi-DRA webhook: which claims it makes of a Pod. "
        "Ends with 0 if all agree, 1 if one does not, 2 if the file cannot be read."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=sorted(KINDS), help="what the file has answers about")
        parser.add_argument("file", type=Path, help="JSON with a list `cases`, as docs/conformance.md tells")

    def handle(self, *args: Any, **options: Any) -> None:
        """-v 2 names every case, also those that agree."""
        outcomes = _outcomes(options["kind"], options["file"])
        for outcome in outcomes:
            if not outcome.agrees:
                self._tell(outcome.name, f"  expected: {outcome.expected}", f"  found:    {outcome.found}")
            elif options["verbosity"] > 1:
                self._tell(f"{outcome.name}: {outcome.found}")
        agreeing = sum(outcome.agrees for outcome in outcomes)
        self._tell(f"{agreeing} of {len(outcomes)} agree")
        if agreeing < len(outcomes):
            sys.exit(1)

    def _tell(self, *lines: str) -> None:
        """The file may be somebody else's."""
        for line in lines:
            self.stdout.write(printable(line))


def _outcomes(kind: str, path: Path) -> list[Outcome]:
    try:
        return list(KINDS[kind](_read(path)))
    except VectorError as error:
        raise CommandError(f"{path}: {printable(str(error))}", returncode=2) from error


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path}: no JSON: {error}", returncode=2) from error
    if not isinstance(found, dict):
        raise VectorError("expected a JSON object")
    return found
