"""Ends what a supervisor leaves behind, whatever killed it: a script of its own, that knows no other module.

Each line of its standard input names something to remember or to forget; the end of the input means that
the supervisor is gone. `+group 123` is a process group to end, `+folder /path` a folder to remove then.
"""

import os
import shutil
import signal
import sys
import time

GRACE_SECONDS = 5.0


def main() -> None:
    groups: set[int] = set()
    folders: set[str] = set()
    for line in sys.stdin:
        what, _, value = line.rstrip("\n").partition(" ")
        if what == "+group":
            groups.add(int(value))
        elif what == "-group":
            groups.discard(int(value))
        elif what == "+folder":
            folders.add(value)
        elif what == "-folder":
            folders.discard(value)
    end(groups)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def end(groups: set[int]) -> None:
    """Ask first; kill those that are still there after a while."""
    left = {group for group in groups if sent(group, signal.SIGTERM)}
    deadline = time.monotonic() + GRACE_SECONDS
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = {group for group in left if sent(group, 0)}
    for group in left:
        sent(group, signal.SIGKILL)


def sent(group: int, number: int) -> bool:
    """False: nobody of the group is left (on macOS: only zombies, which nobody may signal)."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main()
