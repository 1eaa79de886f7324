from argparse import ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.serving.server import serve
from dashboard.supervisor import address
from dashboard.supervisor.address import Address
from dashboard.supervisor.errors import SupervisorError


class Command(BaseCommand):
    help = (
        "Serve pages and API, and nothing else: `run` starts this with all that belongs to it. "
        "SLICEBOARD_WEB_PROCESSES and SLICEBOARD_WEB_THREADS say how many answer at a time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", type=_address, help="HOST:PORT to listen at; default: HOST and PORT")
        parser.add_argument(
            "--grace",
            type=int,
            default=20,
            metavar="SECONDS",
            help="how long what is being answered has to end, once it is asked to stop; default: 20",
        )

    def handle(self, *args: Any, bind: Address | None, grace: int, **options: Any) -> None:
        try:
            listening = bind or address.from_environment()
        except SupervisorError as error:
            raise CommandError(str(error)) from None
        serve(listening, settings.SLICEBOARD_WEB_PROCESSES, grace)


def _address(text: str) -> Address:
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdecimal() and 0 < int(port) < 65536):
        raise ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return Address(host.strip("[]"), int(port))
