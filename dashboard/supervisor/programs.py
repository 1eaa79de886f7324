"""The programs that make up a running Sliceboard."""

import sys
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from dashboard.supervisor.address import Address
from dashboard.supervisor.processes import Program

# Below the time that we give it ourselves.
_GRACE = "--grace=5"
# There is one worker: nobody to gossip with. Who follows a cluster mostly waits for it, so threads will do.
_WORKER = ("--pool=threads", "--concurrency=16", "--without-gossip", "--without-mingle")


class Programs:
    """How each is started, with one environment for all of them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def web(self, address: Address) -> Program:
        return self._managed("web", "serve", f"--bind={address}", _GRACE)

    def worker(self) -> Program:
        return self._python("worker", "celery", "--app=dashboard", "worker", *_WORKER)

    def beat(self) -> Program:
        # Without a file that tells of a process which may be long gone: the state folder is locked already.
        return self._python("beat", "celery", "--app=dashboard", "beat", "--pidfile=")

    def command(self, name: str, *arguments: str) -> Program:
        """A management command of the project."""
        return self._managed(name, name, *arguments)

    def demo_cluster(self, scenario: str, kubeconfig: Path) -> Program:
        return self._python(
            f"cluster-{scenario}", "demo", f"--scenario={scenario}", f"--kubeconfig-out={kubeconfig}"
        )

    def _managed(self, name: str, command: str, *arguments: str) -> Program:
        return self._of(name, str(settings.BASE_DIR / "manage.py"), command, *arguments)

    def _python(self, name: str, module: str, *arguments: str) -> Program:
        return self._of(name, "-m", module, *arguments)

    def _of(self, name: str, *arguments: str) -> Program:
        return Program(name, (sys.executable, *arguments), self._environment, settings.BASE_DIR)
