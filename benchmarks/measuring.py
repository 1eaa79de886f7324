"""What all benchmarks share: medians with their spread, memory, CPU time, the machine's size."""

import gc
import os
import platform
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

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


def clock(do: Callable[[], T]) -> tuple[float, T]:
    """Seconds, and what comes of it."""
    gc.collect()
    began = time.perf_counter()
    result = do()
    return time.perf_counter() - began, result


def ratio_to_floor(runs: Sequence[Mapping[str, Any]], part: str) -> float:
    """The median over runs, each by its own floor."""
    return summary([run["seconds"][part] / run["seconds"]["floor"] for run in runs])["median"]


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
    return _kib(Path("/proc/self/status"), "VmHWM:") / 1024


@dataclass(frozen=True)
class Usage:
    """What the descendants of this process with a word in their command line have used up to now."""

    cpu: float
    largest_mib: float
    together_mib: float


def usage(word: str) -> Usage:
    """`largest_mib` is the highest resident size of any of them; together they are without shared pages."""
    parents: dict[int, int] = {}
    found: dict[int, tuple[float, float, float]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        # It may end at any moment.
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[_PARENT])
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
            if word in command.decode(errors="replace"):
                # The times of children that have ended are among them.
                cpu = sum(map(int, fields[_TIMES])) / _TICKS
                peak, own = _kib(folder / "status", "VmHWM:"), _kib(folder / "smaps_rollup", "Pss:")
                found[int(folder.name)] = cpu, peak / 1024, own / 1024
    ours = [values for pid, values in found.items() if _descends(pid, parents)]
    return Usage(
        cpu=sum(one[0] for one in ours),
        largest_mib=max((one[1] for one in ours), default=0.0),
        together_mib=sum(one[2] for one in ours),
    )


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def _kib(path: Path, name: str) -> int:
    """Zero for a process that is just ending."""
    lines = (line.split() for line in path.read_text().splitlines())
    return next((int(line[1]) for line in lines if line[0] == name), 0)


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
