"""Serve demo clusters in the foreground: `python -m demo --scenario story --port 8001`."""

import argparse
import signal
import sys
import threading
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from demo import generated, recorded
from demo.access import Grant
from demo.churn import Churn, run
from demo.server import ApiServer
from demo.store import Store
from demo.story import Story
from demo.story.player import Player

SCENARIOS = ("recorded", "story", "generated")


class Served(NamedTuple):
    """One cluster to serve: `story:8002`; port 0 takes any free one."""

    scenario: str
    port: int


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with ExitStack() as stack:
        for served in options.serve or [Served(options.scenario, options.port)]:
            try:
                server = stack.enter_context(_server(served, options, stack))
            except (OSError, ValueError) as error:
                sys.stderr.write(f"{served.scenario} cannot be served on port {served.port}: {error}\n")
                return 1
            _announce(served, server, options)
        stopped.wait()
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m demo", description="Serve demo clusters until interrupted."
    )
    parser.add_argument("--scenario", choices=SCENARIOS, default="recorded")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes any free port")
    parser.add_argument(
        "--serve",
        type=_served,
        action="append",
        metavar="SCENARIO:PORT",
        help="serve several clusters from one process; takes the place of --scenario and --port",
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument(
        "--kubeconfig-out",
        type=Path,
        metavar="FILE",
        help="write a kubeconfig; with several clusters, {} in the name stands for the scenario",
    )
    parser.add_argument("--token", help="a bearer token that clients must show")
    parser.add_argument("--speed", type=float, default=1.0, help="seconds of the story per second")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--devices", type=int, default=1_000, help="of the generated cluster")
    parser.add_argument("--claims", type=int, default=5_000, help="of the generated cluster")
    parser.add_argument(
        "--churn-per-second", type=float, default=0.0, help="writes per second to the generated cluster"
    )
    parser.add_argument(
        "--stamp", action="store_true", help="label every claim that is written with the instant of the write"
    )
    options = parser.parse_args(arguments)
    if options.kubeconfig_out and len(options.serve or ()) > 1 and "{}" not in str(options.kubeconfig_out):
        parser.error("several clusters need a {} in --kubeconfig-out")
    return options


def _served(text: str) -> Served:
    scenario, _, port = text.partition(":")
    if scenario not in SCENARIOS or not port.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not SCENARIO:PORT; scenarios are {', '.join(SCENARIOS)}"
        )
    return Served(scenario, int(port))


def _server(served: Served, options: argparse.Namespace, stack: ExitStack) -> ApiServer:
    tokens = {options.token: Grant("demo")} if options.token else None
    store = _store(served.scenario, options, stack)
    return ApiServer(store, tokens=tokens, host=options.host, port=served.port)


def _store(scenario: str, options: argparse.Namespace, stack: ExitStack) -> Store:
    if scenario == "story":
        return _played(options, stack)
    if scenario == "generated":
        return _living(options, stack)
    return recorded.store()


def _living(options: argparse.Namespace, stack: ExitStack) -> Store:
    store = generated.cluster(options.devices, options.claims, options.seed)
    if options.churn_per_second > 0:
        churn, stopped = Churn(store, options.seed, stamp=options.stamp), threading.Event()
        thread = threading.Thread(target=run, args=(churn, options.churn_per_second, stopped))
        thread.start()
        stack.callback(thread.join)
        stack.callback(stopped.set)
    return store


def _played(options: argparse.Namespace, stack: ExitStack) -> Store:
    story = Story(seed=options.seed, clock=lambda: datetime.now(UTC))
    stack.enter_context(Player(story, options.speed))
    return story.store


def _announce(served: Served, server: ApiServer, options: argparse.Namespace) -> None:
    """One line per cluster, when it can be asked."""
    if options.kubeconfig_out:
        path = Path(str(options.kubeconfig_out).replace("{}", served.scenario))
        server.kubeconfig(path, token=options.token, name=served.scenario)
    sys.stdout.write(f"{served.scenario} {server.url}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
