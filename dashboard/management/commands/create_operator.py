import sys
from getpass import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import operators


class Command(BaseCommand):
    help = (
        "Make a user who is an operator. The password is asked for, or read from standard input where that "
        "is no terminal. A user who exists is left as he is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what he signs in as")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            operators.create(options["name"], _password())
        except operators.OperatorError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{options['name']} is an operator and may sign in.")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass("Password: ")
    if getpass("Once more: ") != first:
        raise CommandError("The two are not the same; nobody was made.")
    return first
