import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demo.access import Grant
from demo.faults import CutBody, Drop, Hang, Refuse
from demo.server import ApiServer
from demo.store import Store
from inventory.kube import errors
from inventory.kube.client import Client, Timeouts
from inventory.kube.connection import Source, connect
from tests.inventory.kube.answering import SameAnswer, answering
from tests.inventory.kube.conftest import Connect
from tests.inventory.kube.kubeconfigs import source_of

PODS = "/api/v1/pods"
CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"


def test_a_body_travels_compressed(server: ApiServer, client: Client) -> None:
    body = client.get(PODS)

    assert server.requests.last(PODS)[0].headers["accept-encoding"] == "gzip"
    assert body.startswith(b'{"kind":"PodList"')


def test_a_request_says_who_asks(server: ApiServer, client: Client) -> None:
    client.get("/version")

    assert server.requests.last()[0].headers["user-agent"].startswith("sliceboard/")


def test_parameters_are_escaped(server: ApiServer, client: Client) -> None:
    client.get(PODS, {"labelSelector": "a=b,c in (d,e)"})

    assert server.requests.last(PODS)[0].query == {"labelSelector": "a=b,c in (d,e)"}


def test_a_connection_closed_while_idle_is_opened_again(server: ApiServer, client: Client) -> None:
    client.get("/version")
    server.faults.inject("/version", Drop())

    assert b"gitVersion" in client.get("/version")


def test_a_server_that_closes_every_connection_is_unreachable(server: ApiServer, client: Client) -> None:
    server.faults.inject("/version", Drop(), times=2)

    with pytest.raises(errors.UnreachableError, match=r"connection to http://127\.0\.0\.1:\d+/version broke"):
        client.get("/version")


def test_a_body_that_breaks_off_is_no_body(server: ApiServer, client: Client) -> None:
    server.faults.inject(CLAIMS, CutBody())

    with pytest.raises(errors.UnreachableError, match=r"broke: .*next poll tries again"):
        client.get(CLAIMS)
    assert server.requests.count(CLAIMS) == 1


def test_a_server_that_does_not_answer_is_given_up(server: ApiServer, tmp_path: Path) -> None:
    gate = threading.Event()
    server.faults.inject("/version", Hang(gate))

    with connect(
        Source(str(server.kubeconfig(tmp_path / "config"))), Timeouts(connect=5, read=0.1)
    ) as client:
        with pytest.raises(errors.TimedOutError, match=r"did not answer in time"):
            client.get("/version")
        gate.set()


def test_a_stream_that_falls_silent_is_given_up(server: ApiServer, client: Client) -> None:
    watch = {"watch": "1", "resourceVersion": str(server.store.revision)}

    with (
        client.stream(PODS, watch, seconds=30, read_timeout=0.1) as stream,
        pytest.raises(errors.TimedOutError, match=r"did not answer in time"),
    ):
        list(stream.lines())


def test_a_stream_that_was_read_to_its_end_leaves_its_connection_behind(
    server: ApiServer, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="urllib3.connectionpool")
    watch = {"watch": "1", "resourceVersion": str(server.store.revision), "timeoutSeconds": "1"}

    for _ in range(2):
        with client.stream(PODS, watch, seconds=30) as stream:
            assert list(stream.lines()) == []

    assert caplog.text.count("Starting new HTTP connection") == 1


def test_a_refused_connection_is_unreachable(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    with (
        connect(source_of(tmp_path / "config", f"https://127.0.0.1:{port}")) as client,
        pytest.raises(
            errors.UnreachableError, match=rf"127\.0\.0\.1:{port}/version: Connection refused\. Check"
        ),
    ):
        client.get("/version")


def test_a_host_that_is_not_known_is_unreachable(tmp_path: Path) -> None:
    with (
        connect(source_of(tmp_path / "config", "https://no-such-host.invalid:6443")) as client,
        pytest.raises(errors.UnreachableError, match=r"host name of https://no-such-host\.invalid:6443"),
    ):
        client.get("/version")


def test_a_wrong_token_is_told_what_to_renew(tmp_path: Path) -> None:
    with ApiServer(Store(), tokens={"right-token": Grant("reader")}) as server:
        kubeconfig = server.kubeconfig(tmp_path / "config", token="wrong-token")
        with (
            connect(Source(str(kubeconfig))) as client,
            pytest.raises(
                errors.UnauthorizedError, match=r"answered 401: Unauthorized.*renew the token"
            ) as raised,
        ):
            client.get("/version")

    assert "wrong-token" not in str(raised.value)


def test_a_forbidden_kind_is_told_the_rule_it_needs_and_the_others_are_read(tmp_path: Path) -> None:
    grant = Grant("reader", kinds=frozenset({"pods"}))
    with ApiServer(Store(), tokens={"token": grant}) as server:
        kubeconfig = server.kubeconfig(tmp_path / "config", token="token")
        with connect(Source(str(kubeconfig))) as client:
            with pytest.raises(
                errors.ForbiddenError,
                match=r'verb "list" on "resourceclaims" in API group "resource.k8s.io" in the ClusterRole',
            ):
                client.get(CLAIMS)
            assert b"PodList" in client.get(PODS)


def test_a_throttled_request_knows_how_long_to_wait(server: ApiServer, client: Client) -> None:
    server.faults.inject(PODS, Refuse(429, retry_after=7))

    with pytest.raises(errors.ThrottledError) as raised:
        client.get(PODS)

    assert raised.value.retry_after == 7


def test_a_path_that_is_not_served_is_named(client: Client) -> None:
    with pytest.raises(errors.NotServedError, match=r"does not serve /apis/example.com/v1/cards"):
        client.get("/apis/example.com/v1/cards")


def test_a_failing_server_is_quoted(server: ApiServer, client: Client) -> None:
    server.faults.inject(PODS, Refuse(503))

    with pytest.raises(errors.ServerError, match=r"/api/v1/pods answered 503: .+"):
        client.get(PODS)


def test_a_redirect_is_not_followed_with_the_credential(tmp_path: Path) -> None:
    elsewhere = {"Location": "https://sign-in.example/?code=secret"}
    with answering(SameAnswer(302, headers=elsewhere)) as page:
        source = source_of(tmp_path / "config", page.url, {"token": "secret"})
        with (
            connect(source) as client,
            pytest.raises(errors.BadAnswerError, match=r"a redirect.*sign-in") as raised,
        ):
            client.get("/version")

    assert "secret" not in str(raised.value)
    assert len(page.asked) == 1


def test_a_server_below_a_path_is_asked_there(tmp_path: Path) -> None:
    with (
        answering(SameAnswer(404, b"page not found")) as page,
        connect(source_of(tmp_path / "config", f"{page.url}/k8s/clusters/c-1/")) as client,
        pytest.raises(errors.NotServedError, match=r"/k8s/clusters/c-1/version answered 404: page not found"),
    ):
        client.get("/version")


def test_a_password_in_the_address_is_in_no_message(tmp_path: Path) -> None:
    with (
        connect(source_of(tmp_path / "config", "http://reader:secret@127.0.0.1:9")) as client,
        pytest.raises(errors.UnreachableError) as raised,
    ):
        client.get("/version")

    assert "secret" not in str(raised.value)


def test_several_threads_share_a_client(connected: Connect, server: ApiServer) -> None:
    client = connected(server)

    with ThreadPoolExecutor(8) as threads:
        bodies = list(threads.map(client.get, [PODS] * 16))

    assert len(set(bodies)) == 1
