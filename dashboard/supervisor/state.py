"""The folder that holds all that a single machine keeps: database, secret key, logs, socket of the broker."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.supervisor.errors import SupervisorError


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """The folder exists and is ours alone, until the block ends. Raises SupervisorError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "logs").mkdir(exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SupervisorError(
            f"The state folder cannot be used: {error.filename}: {error.strerror}. "
            "Name another one with SLICEBOARD_STATE."
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise SupervisorError(
            f"Sliceboard already runs with the state in {folder}. Stop it first, "
            "or name another folder with SLICEBOARD_STATE."
        ) from None
    finally:
        os.close(lock)


def ensure_secret_key(folder: Path) -> None:
    """The settings read it from there when the environment names none."""
    path = folder / "secret-key"
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
