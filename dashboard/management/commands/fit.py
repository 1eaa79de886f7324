import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from dashboard.words import ages
from dashboard.words import fit as wording
from inventory.dra.simulator.explanation import Verdict
from inventory.kube.manifests import LONGEST_BYTES, ManifestError, manifests
from inventory.kube.untrusted import printable
from inventory.models import Cluster
from inventory.queries.fit import answers
from inventory.queries.fit.answers import FitRow
from inventory.queries.fit.questions import SubjectError, Waiting
from inventory.queries.freshness import Freshness, freshness
from inventory.snapshot import snapshot

# Of what a claim may wait for, these do not keep it from being allocated as the answer says.
_NO_OBSTACLE = (Waiting.CONSUMER, Waiting.NOTHING)


class Command(BaseCommand):
    help = (
        "Say where a claim or Pod would go now, or what stops it on every device. Nothing is written. "
        "Ends with 0 if everything fits, 1 if something does not, 2 if the question cannot be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "subject",
            help="namespace/name of a claim or Pod, or a file with manifests; - reads them from stdin",
        )
        parser.add_argument("--cluster", help="name of the cluster; needed where there are several")
        parser.add_argument("--namespace", default="default", help="for manifests that name none")

    def handle(self, *args: Any, **options: Any) -> None:
        text = _text(options["subject"])
        with snapshot():
            cluster = _cluster(options["cluster"])
            rows = _answered(cluster, options["subject"], text, options["namespace"])
            seen = freshness(timezone.now(), ids=[cluster.pk], kinds=answers.KINDS)
        self._tell(cluster, rows, seen)
        if not all(map(_may_go, rows)):
            sys.exit(1)

    def _tell(self, cluster: Cluster, rows: list[FitRow], seen: Freshness) -> None:
        """Names and expressions of a cluster may hold what a terminal takes for a command."""
        as_of = "never read in full" if seen.as_of is None else f"as of {ages.instant(seen.as_of)}"
        self.stdout.write(f"Cluster {cluster.name}, {as_of}{', which is stale' if seen.stale else ''}")
        for row in rows:
            self.stdout.write("")
            for line in wording.lines(row):
                self.stdout.write(printable(line))


def _may_go(row: FitRow) -> bool:
    fits = row.verdict in (Verdict.FITS, Verdict.NOTHING_TO_PLACE)
    return fits and (row.wait is None or row.wait.waiting in _NO_OBSTACLE)


def _text(subject: str) -> str | None:
    """What is in the file; None for a name."""
    if subject == "-":
        return sys.stdin.buffer.read(LONGEST_BYTES + 1).decode(errors="replace")
    try:
        with Path(subject).open("rb") as file:
            return file.read(LONGEST_BYTES + 1).decode(errors="replace")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _refusal(f"{subject}: {error}") from error


def _cluster(name: str | None) -> Cluster:
    found = list(Cluster.objects.filter(name=name) if name else Cluster.objects.all()[:2])
    if len(found) == 1:
        return found[0]
    known = ", ".join(Cluster.objects.values_list("name", flat=True)) or "none"
    raise _refusal(f"{f'no such cluster: {name}' if name else 'name one with --cluster'}; known: {known}")


def _answered(cluster: Cluster, subject: str, text: str | None, namespace: str) -> list[FitRow]:
    within, _, name = subject.partition("/")
    if text is None and (not within or not name or "/" in name):
        raise _refusal(f"{subject}: no such file; expected a file, - or namespace/name")
    try:
        if text is None:
            return [answers.of_name(cluster, within, name)]
        return answers.of_manifests(cluster, manifests(text), namespace)
    except (ManifestError, SubjectError) as error:
        raise _refusal(f"{subject}: {printable(str(error))}") from error


def _refusal(told: str) -> CommandError:
    return CommandError(told, returncode=2)
