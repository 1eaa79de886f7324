import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from dashboard import environment
from dashboard.api.throttles import OfRefused, OfUser
from tests.dashboard.api.conftest import decoded

PATH = "/api/v1/devices/"


@pytest.fixture(autouse=True)
def _two_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(OfUser, "THROTTLE_RATES", {"user": "2/minute"})
    monkeypatch.setattr(OfRefused, "THROTTLE_RATES", {"refused": "2/minute"})


def test_a_user_who_asks_too_often_is_told_when_to_come_back(api: Client) -> None:
    answers = [api.get(PATH) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    assert decoded(answers[2])["title"] == "Too Many Requests"


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nonsense"}])
def test_who_is_refused_too_often_from_one_address_has_to_wait(headers: dict[str, str]) -> None:
    client = Client(headers=headers)
    answers = [client.get(PATH) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    assert client.get(PATH, REMOTE_ADDR="192.0.2.1").status_code == 401


def test_a_right_token_is_not_held_up_by_what_is_refused_nearby(api: Client, client: Client) -> None:
    for _ in range(3):
        client.get(PATH)
    assert api.get(PATH).status_code == 200


def test_requests_are_counted_in_the_redis_that_all_web_servers_share(
    api: Client, settings: Settings, valkey: str
) -> None:
    settings.CACHES = {"default": environment.cache(valkey)}
    cache.clear()
    assert [api.get(PATH).status_code for _ in range(3)] == [200, 200, 429]
    cache.clear()


def test_a_redis_that_is_away_stops_nobody(api: Client, settings: Settings) -> None:
    settings.CACHES = {"default": environment.cache("redis://127.0.0.1:1/0")}
    assert [api.get(PATH).status_code for _ in range(3)] == [200, 200, 200]
