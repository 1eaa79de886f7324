"""Where the web server listens."""

import ipaddress
import os
import socket
from typing import NamedTuple

from dashboard.supervisor.errors import SupervisorError


class Address(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def local_host(self) -> str:
        """How this machine itself reaches it."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (the names of "all of them")
        return everywhere.get(self.host, self.host)

    @property
    def url(self) -> str:
        return f"http://{Address(self.local_host, self.port)}/"

    @property
    def is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def from_environment() -> Address:
    """HOST and PORT. Raises SupervisorError."""
    port = os.environ.get("PORT") or "8000"
    if not (port.isascii() and port.isdecimal()) or not 0 < int(port) < 65536:
        raise SupervisorError(f"PORT: {port!r} is not a port; write a number from 1 to 65535.")
    return Address(os.environ.get("HOST") or "127.0.0.1", int(port))


def ensure_free(address: Address) -> None:
    """Raises SupervisorError, now and with the reason, instead of a web server that dies later."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise SupervisorError(
                f"Nothing can listen at {address}: {error.strerror or error}. "
                "Stop what listens there, or take another port with PORT=8001."
            ) from None
