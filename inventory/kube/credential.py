"""The Authorization header, and what a credential plugin said when it failed.

The client library runs the plugin of a kubeconfig's user and, when that fails, only writes to the root
logger; some of those records quote the user entry with its token. So they are caught here: none reaches a
log, and the operator reads the cause where the cluster's error is shown.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inventory.kube.errors import KubeconfigError

_QUOTED = 300
_SAFE_BEGINNINGS = ("exec: ", "[Errno ")


class PluginFailures(logging.Filter):
    """Catches the library's records of this thread while a credential is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = threading.get_ident()
        self.texts: list[str] = []

    def filter(self, record: logging.LogRecord) -> bool:
        if record.thread != self.thread or record.module != "kube_config":
            return True
        self.texts.append(record.getMessage())
        return False


@contextmanager
def plugin_failures() -> Iterator[PluginFailures]:
    root, failures = logging.getLogger(), PluginFailures()
    # With no handler at all, logging.error() would set one up for the whole process.
    quiet = logging.NullHandler()
    root.addHandler(quiet)
    root.addFilter(failures)
    try:
        yield failures
    finally:
        root.removeFilter(failures)
        root.removeHandler(quiet)


def plugin_error(origin: str, command: str, failures: PluginFailures) -> KubeconfigError:
    cause = next((text for text in failures.texts if text.startswith(_SAFE_BEGINNINGS)), "")
    said = f" It says: {' '.join(cause.split())[:_QUOTED]}." if cause else ""
    return KubeconfigError(
        f"The credential plugin {command!r} ({origin}) gave no credential.{said} "
        "It has to be installed and signed in where the Celery worker runs; run it there by hand."
    )


class Credential:
    """Gives the Authorization header of the next request, refreshed when its time is over."""

    def __init__(self, current: Callable[[], str | None], origin: str, plugin: str = "") -> None:
        self._current, self._origin, self._plugin = current, origin, plugin
        self._lock = threading.Lock()

    def headers(self) -> dict[str, str]:
        with self._lock, plugin_failures() as failures:
            value = self._value()
        if failures.texts:
            raise plugin_error(self._origin, self._plugin, failures)
        if not value:
            return {}
        if not value.isascii() or not value.isprintable():
            raise KubeconfigError(
                f"The token of {self._origin} holds a line break or another character no token has."
            )
        return {"Authorization": value}

    def _value(self) -> str:
        try:
            return (self._current() or "").strip()
        # The token file is gone, or the identity provider does not answer; the text may quote the token.
        except Exception as error:
            raise KubeconfigError(
                f"The credential of {self._origin} could not be renewed ({type(error).__name__})."
            ) from None
