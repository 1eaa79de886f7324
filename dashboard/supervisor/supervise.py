"""Start everything in order, watch it, and stop everything in order."""

import http.client
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from dashboard.supervisor.address import Address
from dashboard.supervisor.errors import SupervisorError
from dashboard.supervisor.processes import Process, Processes, Program

_START_SECONDS = 60.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):
    """Somebody asked to stop; the message is the name of the signal."""


class StopRequest:
    """Whether somebody asked to stop: Ctrl-C or a signal."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._signal = ""

    def ask(self, number: int, frame: FrameType | None = None) -> None:
        self._signal = signal.Signals(number).name
        self._event.set()

    def wait(self, seconds: float) -> None:
        """Raises Stopped."""
        if self._event.wait(seconds):
            raise Stopped(self._signal)


class Supervisor:
    """Runs programs until one of them ends or somebody asks to stop."""

    def __init__(self, processes: Processes, stop_request: StopRequest) -> None:
        self._processes = processes
        self._stop_request = stop_request
        self._running: list[Process] = []

    def start(self, program: Program) -> Process:
        process = self._processes.start(program)
        self._running.append(process)
        return process

    def complete(self, program: Program) -> str:
        """Run a program to its end; what it wrote. Raises SupervisorError when it fails, and Stopped."""
        process = self._processes.start(program)
        self._wait_until(lambda: process.exit_code() is not None, f"{program.name} does not come to an end")
        if process.exit_code() != 0:
            raise SupervisorError(f"{program.name} failed.\n{process.last_lines()}")
        self._processes.stop([process])
        return process.log.read_text(errors="replace")

    def wait_for(self, process: Process, ready: Callable[[], bool]) -> None:
        """Raises SupervisorError when the process, or another one, ends before, and Stopped."""
        self._wait_until(ready, f"{process.name} does not answer; its log is {process.log}")

    def watch(self) -> NoReturn:
        """Raises SupervisorError when a process ends, and Stopped."""
        while True:
            self._look_around()

    def stop(self) -> None:
        """First those that use the others: in the opposite order of their start, the very first one last."""
        first, rest = self._running[:1], self._running[1:]
        self._processes.stop(reversed(rest))
        self._processes.stop(first)
        self._running.clear()

    def _wait_until(self, holds: Callable[[], bool], otherwise: str) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not holds():
            self._look_around(0.05)
            if time.monotonic() > deadline:
                raise SupervisorError(f"{otherwise} (waited {_START_SECONDS:.0f} s).")

    def _look_around(self, seconds: float = 0.2) -> None:
        for process in self._running:
            code = process.exit_code()
            if code is not None:
                raise SupervisorError(_obituary(process, code))
        self._stop_request.wait(seconds)


@contextmanager
def stop_signals() -> Iterator[StopRequest]:
    """Asked when Ctrl-C is pressed or a signal comes, however often."""
    request = StopRequest()
    before = {number: signal.signal(number, request.ask) for number in _SIGNALS}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def answers(address: Address) -> bool:
    connection = http.client.HTTPConnection(address.local_host, address.port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _obituary(process: Process, code: int) -> str:
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return f"{process.name} {how}, so everything stops. The end of {process.log}:\n{process.last_lines()}"
