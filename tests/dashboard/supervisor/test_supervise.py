import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from dashboard.supervisor.errors import SupervisorError
from dashboard.supervisor.processes import Processes, Program
from dashboard.supervisor.supervise import Stopped, StopRequest, Supervisor, stop_signals
from tests.dashboard.supervisor.test_processes import is_up, until

SLEEP = "import time; time.sleep(600)"


def python(code: str, name: str = "child") -> Program:
    return Program(name, (sys.executable, "-c", code))


@pytest.fixture
def stop_request() -> StopRequest:
    return StopRequest()


@pytest.fixture
def supervisor(tmp_path: Path, stop_request: StopRequest) -> Iterator[Supervisor]:
    with Processes(tmp_path) as processes:
        yield Supervisor(processes, stop_request)


def test_a_child_that_ends_stops_the_watch_and_is_named_with_its_last_words(supervisor: Supervisor) -> None:
    supervisor.start(python(SLEEP, "calm"))
    supervisor.start(python("import sys; sys.exit('out of slices')", "broken"))
    with pytest.raises(SupervisorError, match=r"(?s)broken ended with exit code 1.*out of slices"):
        supervisor.watch()


def test_a_child_that_was_killed_is_told_as_killed(supervisor: Supervisor) -> None:
    supervisor.start(python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed"))
    with pytest.raises(SupervisorError, match="killed was ended by signal 9"):
        supervisor.watch()


def test_a_request_to_stop_ends_the_watch(supervisor: Supervisor, stop_request: StopRequest) -> None:
    supervisor.start(python(SLEEP))
    stop_request.ask(signal.SIGTERM)
    with pytest.raises(Stopped):
        supervisor.watch()


def test_a_request_to_stop_ends_the_wait_for_a_child(
    supervisor: Supervisor, stop_request: StopRequest
) -> None:
    process = supervisor.start(python(SLEEP))
    stop_request.ask(signal.SIGTERM)
    with pytest.raises(Stopped):
        supervisor.wait_for(process, lambda: False)


def test_a_step_that_completes_gives_what_it_said(supervisor: Supervisor) -> None:
    assert supervisor.complete(python("print('ready')")) == "ready\n"


def test_a_step_that_fails_is_told_with_its_last_words(supervisor: Supervisor) -> None:
    with pytest.raises(SupervisorError, match=r"(?s)step failed.*no such table"):
        supervisor.complete(python("import sys; sys.exit('no such table')", "step"))


def test_the_first_one_started_ends_last(tmp_path: Path, stop_request: StopRequest) -> None:
    log = tmp_path / "ends"
    code = f"""
import signal, sys, time
def end(*_):
    open({str(log)!r}, "a").write(sys.argv[1] + "\\n")
    sys.exit()
signal.signal(signal.SIGTERM, end)
print("up", flush=True)
time.sleep(600)
"""
    with Processes(tmp_path) as processes:
        supervisor = Supervisor(processes, stop_request)
        for name in ("broker", "web"):
            process = supervisor.start(Program(name, (sys.executable, "-c", code, name)))
            until(partial(is_up, process))
        supervisor.stop()
    assert log.read_text() == "web\nbroker\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_ask_to_stop_and_afterwards_mean_what_they_did(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with stop_signals() as request:
        signal.raise_signal(number)
        signal.raise_signal(number)
        with pytest.raises(Stopped, match=number.name):
            request.wait(0)
    assert signal.getsignal(number) == before
