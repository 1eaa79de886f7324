"""A whole Sliceboard on one machine, in the foreground."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from dashboard.supervisor import broker
from dashboard.supervisor.address import Address, ensure_free
from dashboard.supervisor.environment import with_broker
from dashboard.supervisor.errors import SupervisorError
from dashboard.supervisor.processes import Process, Processes
from dashboard.supervisor.programs import Programs
from dashboard.supervisor.state import claimed, ensure_secret_key
from dashboard.supervisor.supervise import Stopped, Supervisor, answers, stop_signals

Say = Callable[[str], object]


class Service(NamedTuple):
    """What to run, and with what.

    `prepare` is the management command that runs before anything is served. `demo_clusters` are the
    scenarios of the demo API server, each with the kubeconfig that it writes once it serves.
    """

    state: Path
    address: Address
    environment: Mapping[str, str]
    embedded_broker: bool
    prepare: str
    demo_clusters: Mapping[str, Path]


def serve(service: Service, greeting: str, say: Say) -> int:
    """Until Ctrl-C, a signal, or the end of a part. The exit code."""
    try:
        ensure_free(service.address)
        with (
            claimed(service.state),
            stop_signals() as stop_request,
            broker.socket_path(service.state) as socket,
            Processes(service.state / "logs") as processes,
        ):
            ensure_secret_key(service.state)
            return _serve(service, Supervisor(processes, stop_request), socket, greeting, say)
    except SupervisorError as error:
        say(f"Error: {error}")
        return 1


def _serve(service: Service, supervisor: Supervisor, socket: Path, greeting: str, say: Say) -> int:
    try:
        _start(service, supervisor, socket, say)
        say(greeting)
        supervisor.watch()
    except Stopped as stopped:
        say(f"\nStopping, for {stopped} …")
        return 0
    except SupervisorError as error:
        say(f"\nError: {error}")
        return 1
    finally:
        supervisor.stop()


def _start(service: Service, supervisor: Supervisor, socket: Path, say: Say) -> None:
    programs = Programs(_environment(service, supervisor, socket))
    clusters = _start_demo_clusters(service, supervisor, programs)
    say("Preparing the database and the static files …")
    for kubeconfig, process in clusters.items():
        supervisor.wait_for(process, kubeconfig.exists)
    if told := supervisor.complete(programs.command(service.prepare)).strip():
        say(told)
    web = supervisor.start(programs.web(service.address))
    # It polls as soon as it is up; beat is needed a period later.
    supervisor.start(programs.worker())
    supervisor.wait_for(web, lambda: answers(service.address))
    supervisor.start(programs.beat())


def _environment(service: Service, supervisor: Supervisor, socket: Path) -> Mapping[str, str]:
    """With the broker that is embedded, once it serves."""
    if not service.embedded_broker:
        return service.environment
    process = supervisor.start(broker.program(socket))
    supervisor.wait_for(process, socket.exists)
    return with_broker(service.environment, broker.url(socket))


def _start_demo_clusters(service: Service, supervisor: Supervisor, programs: Programs) -> dict[Path, Process]:
    started = {}
    for scenario, kubeconfig in service.demo_clusters.items():
        kubeconfig.unlink(missing_ok=True)
        started[kubeconfig] = supervisor.start(programs.demo_cluster(scenario, kubeconfig))
    return started
