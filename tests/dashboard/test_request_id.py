import logging

import pytest
from django.test import Client

from dashboard.request_id import RequestIdFilter


def record() -> logging.LogRecord:
    found = logging.LogRecord("x", logging.INFO, "x.py", 1, "hello", None, None)
    RequestIdFilter().filter(found)
    return found


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.handler.addFilter(RequestIdFilter())
    caplog.set_level(logging.INFO)
    return caplog


@pytest.mark.django_db
def test_a_request_id_is_echoed_and_in_the_log(client: Client, logged: pytest.LogCaptureFixture) -> None:
    response = client.get("/api/v1/devices/", headers={"X-Request-ID": "trace-1.2_3"})
    assert response["X-Request-ID"] == "trace-1.2_3"
    assert {vars(one)["request_id"] for one in logged.records} == {"trace-1.2_3"}
    assert "django.request" in {one.name for one in logged.records}


@pytest.mark.django_db
@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "a\tb", 'a"b'])
def test_what_is_no_plain_word_is_replaced(client: Client, given: str) -> None:
    response = client.get("/api/v1/devices/", headers={"X-Request-ID": given})
    assert response["X-Request-ID"] != given
    assert len(response["X-Request-ID"]) == 32


@pytest.mark.django_db
def test_each_request_gets_its_own(client: Client) -> None:
    assert client.get("/api/v1/")["X-Request-ID"] != client.get("/api/v1/")["X-Request-ID"]


def test_outside_of_a_request_there_is_none() -> None:
    assert vars(record())["request_id"] == "-"
