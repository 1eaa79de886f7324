import json
import logging
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.access import Grant
from demo.server import ApiServer, Tls
from demo.store import Store
from inventory.kube import errors
from inventory.kube.connection import Source, connect
from tests.inventory.kube.answering import SameAnswer, answering, proxying
from tests.inventory.kube.certificates import Authority, server_context
from tests.inventory.kube.kubeconfigs import source_of

SECRET = "a-token-nobody-may-read"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def guarded() -> Iterator[ApiServer]:
    """Lets only the bearer of SECRET in."""
    with ApiServer(Store(), tokens={SECRET: Grant("reader")}) as server:
        yield server


def version_of(source: Source) -> str:
    with connect(source) as client:
        return str(json.loads(client.get("/version"))["gitVersion"])


def test_connecting_asks_nothing_yet(tmp_path: Path) -> None:
    connect(source_of(tmp_path / "config", "https://no-such-host.invalid")).close()


def test_a_bearer_token_is_sent(guarded: ApiServer, tmp_path: Path) -> None:
    assert version_of(source_of(tmp_path / "config", guarded.url, {"token": SECRET})) == "v1.36.2"


def test_a_token_file_may_end_with_a_line_break(guarded: ApiServer, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{SECRET}\n")

    assert version_of(source_of(tmp_path / "config", guarded.url, {"tokenFile": "token"})) == "v1.36.2"


def test_a_token_that_no_header_can_hold_is_told_without_it(guarded: ApiServer, tmp_path: Path) -> None:
    source = source_of(tmp_path / "config", guarded.url, {"token": f"{SECRET}\nInjected: header"})

    with pytest.raises(
        errors.KubeconfigError, match=r"token of context 'lab' .* holds a line break"
    ) as raised:
        version_of(source)

    assert SECRET not in str(raised.value)


def test_a_user_and_password_are_sent(tmp_path: Path) -> None:
    with answering(SameAnswer(200, b'{"gitVersion": "v1.36.2"}')) as basic:
        version_of(source_of(tmp_path / "config", basic.url, {"username": "reader", "password": "secret"}))

    assert basic.asked[0]["Authorization"] == "Basic cmVhZGVyOnNlY3JldA=="


def test_files_named_in_a_kubeconfig_that_are_missing_are_told(tmp_path: Path) -> None:
    source = source_of(
        tmp_path / "config", "https://127.0.0.1:6443", cluster={"certificate-authority": "missing.crt"}
    )

    with pytest.raises(errors.KubeconfigError, match=rf"File does not exist: {tmp_path}/missing\.crt"):
        connect(source)


def test_what_the_client_library_cannot_take_is_told_without_quoting_it(tmp_path: Path) -> None:
    source = source_of(
        tmp_path / "config", "https://127.0.0.1:6443", cluster={"certificate-authority-data": f"!{SECRET}"}
    )

    with pytest.raises(errors.KubeconfigError, match=r"an entry is not as Kubernetes defines it") as raised:
        connect(source)

    assert SECRET not in str(raised.value)


def test_outside_a_cluster_the_service_account_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    with pytest.raises(errors.KubeconfigError, match=r"Not inside a cluster: Service host/port is not set"):
        connect(Source(in_cluster=True))


def test_a_process_that_never_connects_never_imports_the_client_library() -> None:
    script = "import inventory.kube.connection, sys; sys.exit('kubernetes' in sys.modules)"

    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


# TLS


def serving_tls(authority: Authority, label: str, names: str) -> ApiServer:
    return ApiServer(Store(), tls=Tls(*authority.sign(label, names)))


def test_a_certificate_of_the_named_authority_is_trusted(authority: Authority, tmp_path: Path) -> None:
    with serving_tls(authority, "trusted", "IP:127.0.0.1") as server:
        ca = {"certificate-authority": str(authority.certificate)}

        assert version_of(source_of(tmp_path / "config", server.url, cluster=ca)) == "v1.36.2"


def test_a_certificate_of_an_unknown_authority_is_told_what_to_set(
    authority: Authority, tmp_path: Path
) -> None:
    with (
        serving_tls(authority, "unknown", "IP:127.0.0.1") as server,
        pytest.raises(
            errors.TlsError, match=r"No TLS connection to https://127\..*Set certificate-authority"
        ),
    ):
        version_of(source_of(tmp_path / "config", server.url))


def test_a_certificate_for_another_name_is_told_and_tls_server_name_helps(
    authority: Authority, tmp_path: Path
) -> None:
    ca = {"certificate-authority": str(authority.certificate)}
    with serving_tls(authority, "elsewhere", "DNS:api.example") as server:
        with pytest.raises(errors.TlsError, match=r"certificate is for another name.*tls-server-name"):
            version_of(source_of(tmp_path / "config", server.url, cluster=ca))

        assert version_of(
            source_of(tmp_path / "config", server.url, cluster={**ca, "tls-server-name": "api.example"})
        )


def test_a_server_that_does_not_speak_tls_is_told(tmp_path: Path) -> None:
    with (
        ApiServer(Store()) as server,
        pytest.raises(errors.TlsError, match=r"does not speak TLS"),
    ):
        version_of(source_of(tmp_path / "config", server.url.replace("http:", "https:")))


def test_an_authority_file_that_holds_no_certificate_is_told(authority: Authority, tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("no certificate")
    with (
        serving_tls(authority, "no-ca", "IP:127.0.0.1") as server,
        pytest.raises(errors.TlsError, match=r"each has to be PEM"),
    ):
        version_of(source_of(tmp_path / "config", server.url, cluster={"certificate-authority": "ca.crt"}))


def test_a_client_certificate_lets_in(authority: Authority, tmp_path: Path) -> None:
    certificate, key = authority.sign("reader", "DNS:reader")
    context = server_context(*authority.sign("mutual", "IP:127.0.0.1"), clients_of=authority.certificate)
    ca = {"certificate-authority": str(authority.certificate)}
    with answering(SameAnswer(200, b'{"gitVersion": "v1.36.2"}'), context) as server:
        user = {"client-certificate": str(certificate), "client-key": str(key)}

        assert version_of(source_of(tmp_path / "config", server.url, user, cluster=ca)) == "v1.36.2"
        with pytest.raises((errors.TlsError, errors.UnreachableError)):
            version_of(source_of(tmp_path / "config", server.url, cluster=ca))


# Credential plugins


def plugin(path: Path, script: str, **more: Any) -> dict[str, Any]:
    path.write_text(f"#!/bin/sh\n{textwrap.dedent(script)}")
    path.chmod(0o700)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(path), **more}}


def credential(token: str, expires: str = "2999-01-01T00:00:00Z") -> str:
    status = {"token": token, "expirationTimestamp": expires}
    return json.dumps(
        {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
    )


def test_a_credential_plugin_gives_the_token(guarded: ApiServer, tmp_path: Path) -> None:
    user = plugin(tmp_path / "get-token", f"echo '{credential(SECRET)}'")

    assert version_of(source_of(tmp_path / "config", guarded.url, user)) == "v1.36.2"


def test_a_token_whose_time_is_over_is_renewed(guarded: ApiServer, tmp_path: Path) -> None:
    script = f"""
    if [ -e {tmp_path}/asked ]; then echo '{credential(SECRET)}'; exit; fi
    touch {tmp_path}/asked
    echo '{credential("old", expires="2020-01-01T00:00:00Z")}'
    """

    assert (
        version_of(source_of(tmp_path / "config", guarded.url, plugin(tmp_path / "get-token", script)))
        == "v1.36.2"
    )


def test_a_token_that_cannot_be_renewed_is_told(guarded: ApiServer, tmp_path: Path) -> None:
    script = f"""
    if [ -e {tmp_path}/asked ]; then echo 'the session has expired' >&2; exit 3; fi
    touch {tmp_path}/asked
    echo '{credential(SECRET, expires="2020-01-01T00:00:00Z")}'
    """
    source = source_of(tmp_path / "config", guarded.url, plugin(tmp_path / "get-token", script))

    with (
        connect(source) as client,
        pytest.raises(errors.KubeconfigError, match=r"process returned 3. the session has expired"),
    ):
        client.get("/version")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'please sign in again' >&2; exit 1", "exec: process returned 1. please sign in again"),
        (f"echo '{SECRET}'", "exec: failed to decode process output"),
        ("echo '{}'", "exec: malformed response. missing key 'apiVersion'"),
        (
            f"echo '{credential(SECRET).replace('token', 'password')}'",
            "exec: missing token or clientCertificateData",
        ),
    ],
)
def test_a_failing_plugin_is_told_with_what_it_says(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, script: str, said: str
) -> None:
    user = plugin(tmp_path / "get-token", script)

    with pytest.raises(errors.KubeconfigError) as raised:
        connect(source_of(tmp_path / "config", "https://127.0.0.1:6443", user))

    assert f"credential plugin '{tmp_path}/get-token' (context 'lab' of {tmp_path}/config)" in str(
        raised.value
    )
    assert said in str(raised.value)
    assert SECRET not in str(raised.value) + caplog.text


def test_a_plugin_that_is_not_installed_is_told(tmp_path: Path) -> None:
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin"}}

    with pytest.raises(
        errors.KubeconfigError, match=r"No such file or directory: 'no-such-plugin'.*be installed"
    ):
        connect(source_of(tmp_path / "config", "https://127.0.0.1:6443", user))


def test_an_incomplete_plugin_entry_leaks_nothing_into_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    user = plugin(tmp_path / "get-token", "true", args=["--token", SECRET], env=[{"name": "WITHOUT_VALUE"}])

    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises(errors.KubeconfigError, match=r"gave no credential") as raised,
    ):
        connect(source_of(tmp_path / "config", "https://127.0.0.1:6443", user))

    assert SECRET not in str(raised.value) + caplog.text


# Proxies


def test_a_proxy_of_the_kubeconfig_is_used(guarded: ApiServer, tmp_path: Path) -> None:
    with proxying() as proxy:
        source = source_of(
            tmp_path / "config", guarded.url, {"token": SECRET}, cluster={"proxy-url": proxy.url}
        )

        assert version_of(source) == "v1.36.2"
    assert proxy.targets == [f"{guarded.url}/version"]


def test_a_proxy_of_the_environment_is_used_through_a_tunnel(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving_tls(authority, "tunnelled", "DNS:api.example") as server, proxying() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        url = server.url.replace("127.0.0.1", "api.example")
        ca = {"certificate-authority": str(authority.certificate)}

        assert version_of(source_of(tmp_path / "config", url, cluster=ca)) == "v1.36.2"
    assert proxy.targets == [url.removeprefix("https://")]


def test_a_user_and_password_of_the_proxy_are_sent_to_it(guarded: ApiServer, tmp_path: Path) -> None:
    with proxying() as proxy:
        url = proxy.url.replace("http://", "http://reader:secret@")
        version_of(source_of(tmp_path / "config", guarded.url, {"token": SECRET}, cluster={"proxy-url": url}))

    assert proxy.signed_in == ["Basic cmVhZGVyOnNlY3JldA=="]


@pytest.mark.parametrize("exception", [None, "127.0.0.0/8", "*"])
def test_this_machine_and_hosts_of_no_proxy_are_reached_directly(
    guarded: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exception: str | None
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    if exception:
        monkeypatch.setenv("NO_PROXY", exception)

    assert version_of(source_of(tmp_path / "config", guarded.url, {"token": SECRET})) == "v1.36.2"


def test_a_proxy_that_is_down_is_told_as_the_proxy(tmp_path: Path) -> None:
    source = source_of(
        tmp_path / "config", "https://api.example", cluster={"proxy-url": "http://u:secret@127.0.0.1:9"}
    )

    with pytest.raises(
        errors.UnreachableError, match=r"through the proxy: Connection refused.*NO_PROXY"
    ) as raised:
        version_of(source)

    assert "secret" not in str(raised.value)


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.DependencyWarning")
@pytest.mark.parametrize("proxy", ["nonsense", "ftp://127.0.0.1:9", "socks5://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_told(tmp_path: Path, proxy: str) -> None:
    source = source_of(tmp_path / "config", "https://api.example", cluster={"proxy-url": proxy})

    with pytest.raises(errors.KubeconfigError, match=r"The proxy of context 'lab' .* cannot be used"):
        connect(source)
