"""Child processes, each in a session of its own, and none that outlives us."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from dashboard.supervisor import watchdog


@dataclass(frozen=True)
class Program:
    """What to start. `user`: the id of the user and the group to become, None: stay who we are."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    folder: Path = field(default_factory=Path.cwd)
    stop_signal: signal.Signals = signal.SIGTERM
    user: tuple[int, int] | None = None
    # −1: ours.
    umask: int = -1


class Process:
    """A started program; its output goes to a log file."""

    def __init__(self, program: Program, log: Path) -> None:
        self.name = program.name
        self.log = log
        self._stop_signal = program.stop_signal
        user, group = program.user or (None, None)
        with log.open("wb") as output:
            self._popen = subprocess.Popen(  # noqa: S603 (no shell, and the arguments are ours)
                program.argv,
                env=program.environment,
                cwd=program.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Ctrl-C reaches us alone: we say in which order to stop.
                start_new_session=True,
                user=user,
                group=group,
                extra_groups=[] if program.user else None,
                umask=program.umask,
            )

    @property
    def group(self) -> int:
        return self._popen.pid

    def exit_code(self) -> int | None:
        """None while it runs; negative: the number of the signal that ended it."""
        return self._popen.poll()

    def ask_to_stop(self) -> None:
        if self.exit_code() is None:
            self._popen.send_signal(self._stop_signal)

    def wait_or_kill(self, seconds: float) -> None:
        """Afterwards nobody of its process group is left."""
        try:
            self._popen.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            self._popen.kill()
        watchdog.sent(self.group, signal.SIGKILL)
        self._popen.wait()

    def last_lines(self, count: int = 20) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])


class Processes:
    """Starts programs and ends them all, also when this process itself is killed."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._running: list[Process] = []
        self._watchdog = subprocess.Popen(  # noqa: S603
            (sys.executable, "-I", "-S", watchdog.__file__),
            stdin=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(tuple(self._running))
        self._tell_watchdog(None)

    def start(self, program: Program) -> Process:
        process = Process(program, self._logs / f"{program.name}.log")
        self._running.append(process)
        self._tell_watchdog(f"+group {process.group}")
        return process

    def remove_at_the_end(self, folder: Path) -> None:
        self._tell_watchdog(f"+folder {folder}")

    def stop(self, processes: Iterable[Process], grace_seconds: float = 10.0) -> None:
        """Ask all of them at once, wait for all of them, kill what is still there."""
        stopping = tuple(processes)
        for process in stopping:
            process.ask_to_stop()
        deadline = time.monotonic() + grace_seconds
        for process in stopping:
            process.wait_or_kill(deadline - time.monotonic())
            self._running.remove(process)
            self._tell_watchdog(f"-group {process.group}")

    def _tell_watchdog(self, line: str | None) -> None:
        """None: there is nothing more to watch, and it ends."""
        if self._watchdog.stdin is None:
            raise RuntimeError("the watchdog was started without a pipe")
        if line is None:
            self._watchdog.stdin.close()
            self._watchdog.wait()
        else:
            self._watchdog.stdin.write(line + "\n")
            self._watchdog.stdin.flush()
