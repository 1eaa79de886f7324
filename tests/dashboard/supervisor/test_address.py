import socket

import pytest

from dashboard.supervisor import address
from dashboard.supervisor.address import Address
from dashboard.supervisor.errors import SupervisorError


def test_without_a_word_it_listens_to_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOST", raising=False)
    monkeypatch.delenv("PORT", raising=False)
    assert address.from_environment() == Address("127.0.0.1", 8000)


def test_host_and_port_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "0.0.0.0")
    monkeypatch.setenv("PORT", "8080")
    assert address.from_environment() == Address("0.0.0.0", 8080)


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "8 0", "٨"])
def test_a_port_that_is_none_is_refused(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", port)
    with pytest.raises(SupervisorError, match=r"PORT: .* is not a port"):
        address.from_environment()


def test_a_port_that_is_taken_is_told_with_a_way_out() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SupervisorError, match=r"Address already in use.*PORT="):
            address.ensure_free(Address("127.0.0.1", taken.getsockname()[1]))


@pytest.mark.parametrize(
    ("host", "url", "loopback"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/", True),
        ("localhost", "http://localhost:80/", True),
        ("::1", "http://[::1]:80/", True),
        ("0.0.0.0", "http://127.0.0.1:80/", False),
        ("::", "http://[::1]:80/", False),
        ("cards.example.org", "http://cards.example.org:80/", False),
    ],
)
def test_the_url_is_one_that_this_machine_can_open(host: str, url: str, loopback: bool) -> None:
    assert Address(host, 80).url == url
    assert Address(host, 80).is_loopback is loopback
