"""Pages and API over HTTP, from the server as it runs in production."""

import http.client
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db import transaction

from dashboard.access.models import ApiToken
from tests.factories import make_device
from tests.services.web import Web, as_user, running_web

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(transactional_db: None) -> User:
    return User.objects.create_superuser("operator", password="for servers")


@pytest.fixture
def web(operator: User, tmp_path: Path) -> Iterator[Web]:
    with running_web(tmp_path) as web:
        yield web


def test_pages_the_api_and_probes_answer(web: Web, operator: User) -> None:
    headers = as_user(operator)
    for path in ("/", "/devices/", "/api/v1/devices/", "/livez", "/readyz", "/static/sliceboard.css"):
        assert web.ask(path, headers=headers).status == 200, path
    assert web.ask("/api/v1/devices/").status == 401


def test_csv_is_streamed_in_full(web: Web, operator: User) -> None:
    with transaction.atomic():
        for number in range(1500):
            make_device(f"gpu-{number}", accelerator=False)
    answer = web.ask("/api/v1/devices/?format=csv&fields=name", headers=as_user(operator))
    assert answer.headers["Transfer-Encoding"] == "chunked"
    assert len(answer.body.decode().splitlines()) == 1501


def test_a_body_in_chunks_is_read(web: Web, operator: User) -> None:
    _, text = ApiToken.issue(operator, "of a program", "read", timedelta(days=1))
    asking = http.client.HTTPConnection(web.address.host, web.address.port, timeout=60)
    headers = {"Authorization": f"Bearer {text}", "Content-Type": "application/json"}
    parts = iter([b'{"manifest": "kind: Pod", ', b'"boat": 1}'])
    asking.request("POST", "/api/v1/conversions/", parts, headers, encode_chunked=True)
    response = asking.getresponse()
    assert (response.status, b"boat" in response.read()) == (400, True)
    asking.close()


def test_clients_whose_bodies_drip_hold_up_nobody(transactional_db: None, tmp_path: Path) -> None:
    """With a cookie, so that the form is read to compare it."""
    headers = {
        "Host": "localhost",
        "Cookie": f"csrftoken={'a' * 32}",
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": "2000000",
    }
    lines = ["POST /sign-in/ HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    begun = "\r\n".join(lines).encode()
    with (
        running_web(tmp_path, SLICEBOARD_WEB_PROCESSES="1", SLICEBOARD_WEB_THREADS="2") as web,
        ExitStack() as stack,
    ):
        place = (web.address.host, web.address.port)
        dripping = [stack.enter_context(socket.create_connection(place)) for _ in range(8)]
        for one in dripping:
            one.sendall(begun)
        for path in ("/livez", "/readyz", "/sign-in/", "/livez"):
            for one in dripping:
                one.sendall(b"a")
            assert web.ask(path).status == 200


def test_what_is_too_long_is_told_on_the_page(web: Web, operator: User) -> None:
    form = {**as_user(operator), "Content-Type": "application/x-www-form-urlencoded"}
    answer = web.ask("/convert/", "manifest=" + "a" * 5_000_000, form)
    assert answer.status == 413
    assert b"KiB were sent" in answer.body
    assert web.ask("/sign-in/", "username=" + "a" * 5_000_000, form).status in (400, 403)


def test_the_request_is_named_in_the_answer_and_in_one_line_of_the_log(web: Web) -> None:
    answer = web.ask("/api/v1/devices/", headers={"X-Request-ID": "trace-7"})
    assert answer.headers["X-Request-ID"] == "trace-7"
    lines = [line for line in web.process.log.read_text().splitlines() if "request=trace-7" in line]
    assert len([line for line in lines if "path=/api/v1/devices/ status=401" in line]) == 1


def test_it_does_not_say_what_it_is_made_of(web: Web) -> None:
    assert "Server" not in web.ask("/livez").headers


def test_what_a_client_says_of_itself_is_not_believed(web: Web) -> None:
    """Neither in the words of a proxy, nor in words that look alike."""
    made_up = {"X-Forwarded-For": "192.0.2.7", "X_Forwarded_For": "192.0.2.8", "X-Forwarded-Proto": "https"}
    page = web.ask("/sign-in/")
    token = page.headers["Set-Cookie"].partition("csrftoken=")[2].partition(";")[0]
    body = f"username=operator&password=wrong&csrfmiddlewaretoken={token}"
    form = {"Cookie": f"csrftoken={token}", "Content-Type": "application/x-www-form-urlencoded"}
    assert web.ask("/sign-in/", body, {**form, **made_up}).status == 200
    assert set(AccessAttempt.objects.values_list("ip_address", flat=True)) == {"127.0.0.1"}


def test_asked_to_stop_it_ends_well(web: Web) -> None:
    web.process.ask_to_stop()
    web.process.wait_or_kill(30)
    assert web.process.exit_code() == 0
