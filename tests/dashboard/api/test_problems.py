from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client

from tests.dashboard.api.conftest import decoded
from tests.factories import make_device


def test_anonymous_is_refused_with_a_challenge(client: Client) -> None:
    response = client.get("/api/v1/devices/")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response["Content-Type"] == "application/problem+json"
    assert decoded(response) == {
        "type": "about:blank",
        "title": "Unauthorized",
        "status": 401,
        "detail": "Authentication credentials were not provided.",
    }


@pytest.mark.django_db
def test_a_wrong_token_is_refused_with_a_challenge() -> None:
    response = Client(headers={"Authorization": "Bearer nonsense"}).get("/api/v1/devices/")
    assert (response.status_code, response["WWW-Authenticate"]) == (401, "Bearer")


def test_a_signed_in_browser_may_ask_too(client: Client, operator: User) -> None:
    client.force_login(operator)
    assert client.get("/api/v1/devices/").status_code == 200


@pytest.mark.parametrize(
    "path", ["devices/1/", "devices/99999999999999999999/", "devices/gpu-0/", "nothing/", "devices/1/shares/"]
)
def test_what_is_not_there_is_a_problem_too(api: Client, path: str) -> None:
    response = api.get(f"/api/v1/{path}")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_a_path_without_its_slash_leads_to_the_one_with_it(api: Client) -> None:
    response = api.get("/api/v1/devices?state=free")
    assert (response.status_code, response["Location"]) == (301, "/api/v1/devices/?state=free")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_is_written(api: Client, method: str) -> None:
    response = getattr(api, method)("/api/v1/devices/")
    assert (response.status_code, decoded(response)["title"]) == (405, "Method Not Allowed")
    assert response["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ["", "{id}/"])
def test_a_media_type_that_is_not_on_offer_is_refused(api: Client, path: str) -> None:
    path = path.format(id=make_device().pk)
    response = api.get(f"/api/v1/devices/{path}", headers={"Accept": "image/png"})
    assert (response.status_code, decoded(response)["status"]) == (406, 406)


def test_a_mistake_in_a_request_for_csv_is_told_in_json(api: Client) -> None:
    response = api.get("/api/v1/devices/?format=csv&colour=red")
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


def test_too_many_parameters_are_a_problem_too(api: Client) -> None:
    response = api.get("/api/v1/devices/?" + "&".join(f"node=n{number}" for number in range(10_001)))
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize(
    ("path", "media_type"), [("/api/v1/devices/", "application/problem+json"), ("/pods/", "text/html")]
)
def test_a_host_name_that_is_not_allowed_is_told_with_what_to_set(
    client: Client, path: str, media_type: str
) -> None:
    response = client.get(path, headers={"Host": "cards.example.org"})
    assert (response.status_code, response["Content-Type"].partition(";")[0]) == (400, media_type)
    assert "is not among SLICEBOARD_ALLOWED_HOSTS" in response.content.decode()


def test_a_fault_of_ours_is_a_problem_that_tells_nothing_of_its_inside(api: Client) -> None:
    api.raise_request_exception = False
    with connection.execute_wrapper(_no_database):
        response = api.get("/api/v1/devices/", headers={"X-Request-ID": "mine"})
    assert (response.status_code, decoded(response)["title"]) == (500, "Internal Server Error")
    assert "password" not in response.content.decode()
    assert response["X-Request-ID"] == "mine"


def _no_database(*_: Any) -> None:
    raise OperationalError("could not connect with password x")
