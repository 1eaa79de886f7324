"""What is done before a server that is asked to stop waits for what it is still answering."""

import signal
from collections.abc import Callable
from functools import partial
from types import FrameType


def before_stopping(do: Callable[[], None]) -> None:
    """Put before what the server itself does at these signals; in the main thread, once it serves."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(_first, do, signal.getsignal(number)))


def _first(do: Callable[[], None], then: object, number: int, frame: FrameType | None) -> None:
    do()
    if callable(then):
        then(number, frame)
