import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.supervisor.processes import Process, Processes, Program

SLEEP = "import time; print('up', flush=True); time.sleep(600)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEP!r}])"


def python(code: str, name: str = "child") -> Program:
    return Program(name, (sys.executable, "-c", code))


def until(holds: Callable[[], bool]) -> None:
    """The time limit of the test is the limit."""
    while not holds():
        time.sleep(0.01)


def is_up(process: Process) -> bool:
    return process.log.read_text() == "up\n"


def members(group: int) -> list[str]:
    listed = subprocess.run(("ps", "-A", "-o", "pgid=,stat="), capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [state for number, state in rows if int(number) == group and not state.startswith("Z")]


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    with Processes(tmp_path) as started:
        yield started


def test_a_child_has_a_session_of_its_own(processes: Processes) -> None:
    process = processes.start(python(SLEEP))
    assert os.getsid(process.group) == process.group != os.getsid(0)


def test_what_a_child_writes_is_in_its_log(processes: Processes, tmp_path: Path) -> None:
    process = processes.start(python("print('a'); import sys; sys.exit('b')", "talker"))
    until(lambda: process.exit_code() == 1)
    assert process.log == tmp_path / "talker.log"
    assert process.last_lines() == "a\nb"
    assert process.last_lines(1) == "b"


def test_a_child_is_asked_to_stop_by_its_own_signal(processes: Processes) -> None:
    process = processes.start(Program("child", (sys.executable, "-c", SLEEP), stop_signal=signal.SIGUSR1))
    until(lambda: is_up(process))
    processes.stop([process])
    assert process.exit_code() == -signal.SIGUSR1


def test_a_child_that_does_not_listen_is_killed(processes: Processes) -> None:
    process = processes.start(python(DEAF))
    until(lambda: is_up(process))
    processes.stop([process], grace_seconds=0.1)
    assert process.exit_code() == -signal.SIGKILL


def test_children_of_a_child_end_with_it(processes: Processes) -> None:
    process = processes.start(python(PARENT))
    until(lambda: is_up(process))
    processes.stop([process])
    until(lambda: not members(process.group))


def test_at_the_end_of_the_block_everything_has_ended(tmp_path: Path) -> None:
    with Processes(tmp_path) as processes:
        process = processes.start(python(SLEEP))
    assert process.exit_code() == -signal.SIGTERM


OWNER = f"""
import sys, time
from pathlib import Path
from dashboard.supervisor.processes import Processes, Program
folder = Path(sys.argv[1])
with Processes(folder) as processes:
    processes.remove_at_the_end(folder)
    child = processes.start(Program("child", (sys.executable, "-c", {DEAF!r})))
    while child.log.read_text() != "up\\n":
        time.sleep(0.01)
    print(child.group, flush=True)
    time.sleep(600)
"""


def test_the_children_of_an_owner_who_was_killed_end_and_his_folder_goes(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    owner = subprocess.Popen((sys.executable, "-c", OWNER, str(folder)), stdout=subprocess.PIPE, text=True)
    assert owner.stdout
    with owner.stdout as told:
        group = int(told.readline())
    assert members(group)
    owner.kill()
    owner.wait()
    until(lambda: not members(group) and not folder.exists())
