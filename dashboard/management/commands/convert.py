import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from dashboard.api.wire import encode, wire
from dashboard.words import conversion_text
from inventory.hami.webhook.profiles import Profile
from inventory.kube.manifests import LONGEST_BYTES, ManifestError
from inventory.kube.untrusted import printable
from inventory.models import Cluster
from inventory.queries.conversion import previews
from inventory.queries.conversion.files import Grade, What, file_of
from inventory.queries.conversion.rows import ConversionsRow
from inventory.queries.conversion.settings import DEFAULT_PROFILE, LONGEST_CONFIG, SettingsError, settings
from inventory.snapshot import snapshot
from inventory.viewer import EVERYTHING

_ERROR, _WARNINGS = 1, 2


class Command(BaseCommand):
    help = (
        "Preview what Pods and workloads that ask HAMi for cards become as ResourceClaims. Nothing is "
        "written to a cluster. Ends with 1 if something is refused or cannot be read, with 2 under --strict "
        "if a meaning changes."
    )

    # Without a cluster it needs no database.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="manifests as YAML or JSON; - reads them from stdin")
        parser.add_argument("-o", "--output", choices=("text", "yaml", "json"), default="text")
        parser.add_argument(
            "--as",
            dest="form",
            choices=tuple(map(str, What)),
            default=What.REPOSITORY.value,
            help="of -o yaml: claim templates and the whole workload for a repository (ours), or the claims "
            "and the Pod as the webhook would make them",
        )
        parser.add_argument(
            "--profile",
            choices=tuple(map(str, Profile)),
            default=DEFAULT_PROFILE.value,
            help="version of HAMi-DRA",
        )
        parser.add_argument("--cluster", default="", help="name of the cluster in which it is to fit")
        parser.add_argument("--namespace", default="default", help="of manifests that name none")
        parser.add_argument("--vendors", default="", help="the webhook's device vendors, with commas between")
        parser.add_argument("--config", type=Path, help="the webhook's device configuration, as YAML")
        parser.add_argument("--strict", action="store_true", help="end with 2 where a meaning changes")

    def handle(self, *args: Any, **options: Any) -> None:
        found, complete = _found(options), True
        match options["output"]:
            case "json":
                self.stdout.write(encode(wire(found)).decode())
            case "yaml":
                complete = self._write_yaml(found, What(options["form"]))
            case _:
                for line in conversion_text.lines(found):
                    self.stdout.write(printable(line))
        _end(found, complete=complete, strict=options["strict"])

    def _write_yaml(self, found: ConversionsRow, what: What) -> bool:
        """What is to be known beside it goes elsewhere, so that a pipe stays clean; whether all is in it."""
        file = file_of(found, what)
        for one in file.notices:
            self.stderr.write(printable(f"{one.grade}: {one.text}"))
        self.stdout.write(file.text, ending="")
        return all(one.grade is not Grade.ERROR for one in file.notices)


def _found(options: Any) -> ConversionsRow:
    vendors = [one.strip() for one in options["vendors"].split(",") if one.strip()]
    config = _read(options["config"], LONGEST_CONFIG) if options["config"] else ""
    try:
        chosen = settings(options["profile"], vendors, config)
        text, namespace = _text(options["file"]), options["namespace"]
        if not options["cluster"]:
            return previews.of_text(text, chosen, None, namespace, viewer=EVERYTHING)
        with snapshot():
            return previews.of_text(text, chosen, _cluster(options["cluster"]), namespace, viewer=EVERYTHING)
    except SettingsError as error:
        raise CommandError(f"{error.field}: {printable(str(error))}", returncode=_ERROR) from error
    except ManifestError as error:
        raise CommandError(f"{options['file']}: {printable(str(error))}", returncode=_ERROR) from error
    except DatabaseError as error:
        told = str(error).partition("\n")[0]
        raise CommandError(f"no database to look for the cluster in: {told}", returncode=_ERROR) from error


def _text(file: str) -> str:
    if file == "-":
        return sys.stdin.buffer.read(LONGEST_BYTES + 1).decode(errors="replace")
    return _read(Path(file), LONGEST_BYTES)


def _read(path: Path, longest: int) -> str:
    """One byte more than may be read tells that it is too long."""
    try:
        with path.open("rb") as file:
            return file.read(longest + 1).decode(errors="replace")
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: {error}", returncode=_ERROR) from error


def _cluster(name: str) -> Cluster:
    found = Cluster.objects.filter(name=name).first()
    if found is None:
        known = ", ".join(Cluster.objects.values_list("name", flat=True)) or "none"
        raise CommandError(f"no such cluster: {name}; known: {known}", returncode=_ERROR)
    return found


def _end(found: ConversionsRow, *, complete: bool, strict: bool) -> None:
    summary = found.summary
    if summary.refused or summary.unreadable or not complete:
        sys.exit(_ERROR)
    if strict and summary.with_warnings:
        sys.exit(_WARNINGS)
