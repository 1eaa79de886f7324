"""What all benchmarks share: medians with their spread, memory, CPU time, the machine's size."""

import os
import platform
import sqlite3
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")
# Of /proc/<pid>/stat, counted behind the name: the parent, and the four times in ticks.
_PARENT, _TIMES = 1, slice(11, 15)


class Stopwatch:
    """Seconds by part; a part may be entered many times."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


def summary(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Of many values: the middle, what all but one in twenty stay below, and the largest."""
    ordered = sorted(values)
    return {
        "p50": ordered[len(ordered) // 2],
        "p95": ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)],
        "max": ordered[-1],
        "count": len(ordered),
    }


def peak_mib() -> float:
    """The largest resident size of this process so far."""
    status = Path("/proc/self/status").read_text()
    kib = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(kib) / 1024


def cpu_seconds(word: str) -> float:
    """CPU time so far of all descendants of this process that have the word in their command line."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        pid = int(folder.name)
        parents[pid] = int(fields[_PARENT])
        if word in command:
            # The times of children that have ended are among them.
            seconds[pid] = sum(map(int, fields[_TIMES])) / _TICKS
    return sum(value for pid, value in seconds.items() if _descends(pid, parents))


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def machine() -> dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30),
        "cpu": models[0] if models else platform.processor(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def machine_line() -> str:
    size = machine()
    return (
        f"{size['cores']} cores ({size['cpu']}), {size['memory_gib']} GiB, Python {size['python']}, "
        f"SQLite {size['sqlite']}"
    )
