import re
import sys
from argparse import ArgumentParser
from collections.abc import Collection
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.utils import timezone

from dashboard.words import ages
from dashboard.words import fit as wording
from inventory.dra.simulator.explanation import Verdict
from inventory.kube.manifests import LONGEST_BYTES, ManifestError, manifests
from inventory.kube.untrusted import printable
from inventory.models import Cluster
from inventory.queries.fit import answers
from inventory.queries.fit.answers import FitRow
from inventory.queries.fit.questions import Waiting
from inventory.queries.fit.subjects import ClusterChoiceError, Kind, SubjectError, cluster_named
from inventory.queries.freshness import Freshness, freshness
from inventory.snapshot import snapshot
from inventory.viewer import EVERYTHING

FITS, DOES_NOT_FIT, BAD_QUESTION, NOT_KNOWN = range(4)
# Of what a claim may wait for, these do not keep it from being allocated as the answer says.
_NO_OBSTACLE = (Waiting.CONSUMER, Waiting.NOTHING)
# Whatever files there are, a subject is read in one way: `a/b` is a name, `./a/b` and `a/b.yaml` are files.
_NAME = re.compile(r"([a-z0-9-]+)/([a-z0-9.-]+)(?<!\.yaml)(?<!\.yml)(?<!\.json)")


class Command(BaseCommand):
    help = (
        "Say where a claim or Pod would go now, or what stops it on every device. Nothing is written. "
        "Ends with 0 if everything fits, 1 if something does not or has to wait for something else first, 2 "
        "if the question cannot be answered at all, 3 if of something it cannot be told and the rest fits."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "subject",
            help="namespace/name of a claim or Pod, or a file with manifests, ./a/b if it looks like a name; "
            "- reads them from stdin",
        )
        parser.add_argument(
            "--kind", choices=get_args(Kind), help="what has the name, where a claim and a Pod share it"
        )
        parser.add_argument("--cluster", help="name of the cluster; needed where there are several")
        parser.add_argument("--namespace", default="default", help="for manifests that name none")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rows = self._answered(**options)
        except DatabaseError as error:
            raise _refusal(f"the database cannot be read: {error}") from error
        if (code := _code(rows)) != FITS:
            sys.exit(code)

    def _answered(
        self, subject: str, cluster: str | None, namespace: str, kind: Kind | None, **_: Any
    ) -> list[FitRow]:
        text = None if kind or _NAME.fullmatch(subject) else _text(subject)
        with snapshot():
            asked = _cluster(cluster)
            rows = _rows(asked, subject, text, namespace, kind)
            seen = freshness(timezone.now(), viewer=EVERYTHING, ids=[asked.pk], kinds=answers.KINDS)
        self._tell(asked, rows, seen)
        return rows

    def _tell(self, cluster: Cluster, rows: list[FitRow], seen: Freshness) -> None:
        """Names and expressions of a cluster may hold what a terminal takes for a command."""
        as_of = "never read in full" if seen.as_of is None else f"as of {ages.instant(seen.as_of)}"
        self.stdout.write(f"Cluster {cluster.name}, {as_of}{', which is stale' if seen.stale else ''}")
        for row in rows:
            self.stdout.write("")
            for line in wording.lines(row):
                self.stdout.write(printable(line))


def _code(rows: Collection[FitRow]) -> int:
    """What is known to be in the way comes before what is not known."""
    known = [row for row in rows if row.verdict != Verdict.CANNOT_SIMULATE]
    if not all(map(_may_go, known)):
        return DOES_NOT_FIT
    return FITS if len(known) == len(rows) else NOT_KNOWN


def _may_go(row: FitRow) -> bool:
    fits = row.verdict in (Verdict.FITS, Verdict.NOTHING_TO_PLACE)
    return fits and (row.wait is None or row.wait.waiting in _NO_OBSTACLE)


def _text(path: str) -> str:
    if path == "-":
        return sys.stdin.buffer.read(LONGEST_BYTES + 1).decode(errors="replace")
    try:
        with Path(path).open("rb") as file:
            return file.read(LONGEST_BYTES + 1).decode(errors="replace")
    except FileNotFoundError as error:
        raise _refusal(f"{path}: no such file; expected a file, - or namespace/name") from error
    except (OSError, ValueError) as error:
        raise _refusal(f"{path}: {error}") from error


def _cluster(name: str | None) -> Cluster:
    try:
        return cluster_named(name)
    except ClusterChoiceError as error:
        raise _refusal(f"--cluster: {error}") from error


def _rows(
    cluster: Cluster, subject: str, text: str | None, namespace: str, kind: Kind | None
) -> list[FitRow]:
    try:
        if text is not None:
            return answers.of_manifests(cluster, manifests(text), namespace, viewer=EVERYTHING)
        within, _, name = subject.partition("/")
        if not within or not name:
            raise _refusal(f"{subject}: expected namespace/name")
        return [answers.of_name(cluster, within, name, kind, viewer=EVERYTHING)]
    except (ManifestError, SubjectError) as error:
        raise _refusal(f"{subject}: {printable(str(error))}") from error


def _refusal(told: str) -> CommandError:
    return CommandError(told, returncode=BAD_QUESTION)
