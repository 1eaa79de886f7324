import gzip
import json
import ssl
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from demo.access import Grant
from demo.server import ApiServer, Tls
from tests.demo.asking import CLAIMS, PODS, ask, connect, watching
from tests.demo.factories import store_of_pods


def test_a_connection_serves_many_requests(recorded_url: str) -> None:
    connection = connect(recorded_url)
    for path in (PODS, "/nowhere", CLAIMS):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        assert not response.will_close
    connection.close()


def test_a_large_list_is_compressed_for_who_accepts_it(recorded_url: str) -> None:
    accepting = {"Accept-Encoding": "gzip, deflate"}
    compressed = ask(recorded_url, PODS, accepting)
    plain = ask(recorded_url, PODS)
    assert compressed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(compressed.body) == plain.body
    assert "content-encoding" not in plain.headers
    assert "content-encoding" not in ask(recorded_url, CLAIMS, accepting, limit=1).headers


def test_a_watch_is_never_compressed(recorded_url: str) -> None:
    accepting = {"Accept-Encoding": "gzip"}
    answered = ask(recorded_url, PODS, accepting, watch=1, timeoutSeconds=1)
    assert len(answered.body) > 128 * 1024
    assert "content-encoding" not in answered.headers


def test_stopping_ends_watches_and_idle_connections() -> None:
    before = set(threading.enumerate())
    server = ApiServer(store_of_pods(1)).start()
    idle = connect(server.url)
    idle.request("GET", PODS)
    idle.getresponse().read()
    with watching(server.url, PODS) as events:
        next(events)
        server.stop()
        assert list(events) == []
    assert set(threading.enumerate()) <= before
    idle.close()


def test_a_server_that_was_never_started_can_be_stopped() -> None:
    ApiServer(store_of_pods(0)).stop()


def test_the_kubeconfig_leads_to_the_server(tmp_path: Path) -> None:
    with ApiServer(store_of_pods(0), tokens={"t": Grant("me")}) as server:
        path = server.kubeconfig(tmp_path / "config", token="t", name="story")
        config = json.loads(path.read_text())
        assert config["current-context"] == "story"
        assert config["clusters"][0]["cluster"]["server"] == server.url
        assert config["users"][0]["user"] == {"token": "t"}
        assert path.stat().st_mode & 0o077 == 0


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=demo"
    files = ["-keyout", "key.pem", "-out", "cert.pem", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *files], cwd=folder, check=True, capture_output=True, timeout=30)
    return Tls(folder / "cert.pem", folder / "key.pem")


def test_tls_is_served_with_the_given_certificate(tls: Tls, tmp_path: Path) -> None:
    with ApiServer(store_of_pods(1), tls=tls) as server:
        context = ssl.create_default_context(cafile=str(tls.certificate))
        with urllib.request.urlopen(f"{server.url}{PODS}", context=context, timeout=10) as response:
            assert len(json.load(response)["items"]) == 1
        cluster = json.loads(server.kubeconfig(tmp_path / "config").read_text())["clusters"][0]["cluster"]
        assert cluster["certificate-authority-data"]


def test_a_client_that_does_not_trust_the_certificate_does_no_harm(tls: Tls) -> None:
    with ApiServer(store_of_pods(1), tls=tls) as server:
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(f"{server.url}{PODS}", timeout=10)
        context = ssl.create_default_context(cafile=str(tls.certificate))
        with urllib.request.urlopen(f"{server.url}/livez", context=context, timeout=10) as response:
            assert response.read() == b"ok"
