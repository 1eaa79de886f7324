from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

# What a pattern's arguments are filled with.
_ARGUMENTS = {"pk": "1"}


def _routes(patterns: list[URLPattern | URLResolver], prefix: str = "/") -> Iterator[str]:
    for one in patterns:
        route = prefix + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _routes(one.url_patterns, route)
        elif "^" not in route:
            yield route


API_ROUTES = [
    route
    for route in _routes(get_resolver().url_patterns)
    if route.startswith("/api/") or route == "/metrics"
]


def _filled(route: str) -> str:
    for name, value in _ARGUMENTS.items():
        route = route.replace(f"<int:{name}>", value)
    return route.replace("<str:slug>", "vision")


def test_the_routes_are_all_of_the_api() -> None:
    assert {"/api/v1/devices/", "/api/v1/devices/<int:pk>/", "/api/v1/", "/metrics"} <= set(API_ROUTES)
    assert not any("<" in _filled(route) for route in API_ROUTES)


@pytest.mark.django_db
@pytest.mark.parametrize("route", API_ROUTES)
def test_nothing_is_readable_anonymously(client: Client, route: str) -> None:
    response = client.get(_filled(route))
    if route == "/api/docs/":
        assert response.status_code == 302
        assert "/api/docs/" in response["Location"]
    else:
        assert response.status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/nothing/", "/api/v2/devices/"])
def test_what_is_not_there_is_not_told_to_anybody(client: Client, path: str) -> None:
    assert client.get(path).status_code == 401
