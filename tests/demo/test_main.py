import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from demo.__main__ import main
from demo.churn import WRITTEN_AT
from tests.demo.asking import CLAIMS, PODS, ask

ROOT = Path(__file__).parents[2]


@contextmanager
def served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The process, and the URLs that it has announced."""
    clusters = max(1, arguments.count("--serve"))
    process = subprocess.Popen(
        [sys.executable, "-m", "demo", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        yield process, [process.stdout.readline().split()[1] for _ in range(clusters)]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_comes(number: signal.Signals) -> None:
    with served("--scenario", "recorded") as (process, urls):
        assert len(ask(urls[0], PODS).json["items"]) == 69
        os.kill(process.pid, number)
        assert process.wait(timeout=20) == 0


def test_two_clusters_from_one_process_with_their_kubeconfigs(tmp_path: Path) -> None:
    out = str(tmp_path / "{}.kubeconfig")
    both = ("--serve", "recorded:0", "--serve", "story:0", "--token", "secret", "--kubeconfig-out", out)
    with served(*both) as (process, urls):
        assert urls[0] != urls[1]
        for url, name in zip(urls, ("recorded", "story"), strict=True):
            config = json.loads((tmp_path / f"{name}.kubeconfig").read_text())
            assert config["clusters"][0]["cluster"]["server"] == url
            assert config["users"][0]["user"]["token"] == "secret"
            assert ask(url, CLAIMS).status == 403
            assert ask(url, CLAIMS, {"Authorization": "Bearer secret"}).status == 200
        process.terminate()
        assert process.wait(timeout=20) == 0


def test_a_generated_cluster_has_the_size_asked_for() -> None:
    with served("--scenario", "generated", "--devices", "16", "--claims", "20") as (_, urls):
        assert len(ask(urls[0], CLAIMS).json["items"]) == 20


def test_a_generated_cluster_changes_at_the_rate_asked_for(
    until: Callable[[Callable[[], bool]], None],
) -> None:
    size = ("--devices", "16", "--claims", "20")
    with served("--scenario", "generated", *size, "--churn-per-second", "200", "--stamp") as (process, urls):
        until(
            lambda: any(
                WRITTEN_AT in claim["metadata"].get("labels", {})
                for claim in ask(urls[0], CLAIMS).json["items"]
            )
        )
        process.terminate()
        assert process.wait(timeout=20) == 0


def test_a_port_in_use_is_named(capsys: pytest.CaptureFixture[str], recorded_url: str) -> None:
    port = recorded_url.rpartition(":")[2]
    assert main(["--scenario", "recorded", "--port", port]) == 1
    assert f"recorded cannot be served on port {port}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--serve", "nothing:1"], "is not SCENARIO:PORT"),
        (["--serve", "story"], "is not SCENARIO:PORT"),
        (["--serve", "story:1", "--serve", "recorded:2", "--kubeconfig-out", "one"], "need a {}"),
    ],
)
def test_wrong_arguments_are_explained(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert complaint in capsys.readouterr().err
