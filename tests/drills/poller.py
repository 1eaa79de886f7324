"""A worker that starts at once: a warm process that forks a child, which polls until it is killed.

It is told what to do line by line: `start` forks, `kill` kills as the kernel does and waits for the end.
"""

import os
import signal
import sys
import time
import traceback
from random import Random

import django

# Long enough to begin anew, to follow and to hand on within the life of a child.
_LONGEST_POLL = 1.0
_CLUSTER = 1


def main() -> None:
    django.setup()
    child = 0
    for line in sys.stdin:
        if line == "start\n":
            child = os.fork()
            if child == 0:
                _poll(os.getppid())
        elif child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            child = 0
        print("done", flush=True)  # noqa: T201 (the answer)
    if child:
        os.kill(child, signal.SIGKILL)


def _poll(parent: int) -> None:
    from inventory.sync.poll import poll_cluster

    random = Random()
    while os.getppid() == parent:
        try:
            outcome = poll_cluster(_CLUSTER, seconds=random.uniform(0, _LONGEST_POLL))
        except Exception:
            traceback.print_exc()
            outcome = None
        if outcome is None or outcome.ended != "applied":
            time.sleep(0.05)
    os._exit(0)


if __name__ == "__main__":
    main()
