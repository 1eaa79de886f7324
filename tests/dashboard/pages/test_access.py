from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

OPEN = {"sign-in/", "sign-out/", "livez", "readyz"}
# Programs read it, and get no page to sign in: the tests of the API have it among theirs.
OF_PROGRAMS = {"metrics"}
# They change a preference of the browser, and show nothing.
PREFERENCES = {"theme/", "language/"}
# Forms: what is pasted is converted, or kept; which Pods are looked at is recorded; tokens are made and
# revoked, sessions ended.
FORMS = {
    "convert/",
    "convert/download/",
    "convert/saved/",
    "convert/saved/<uuid:saved_id>/delete/",
    "convert/pods/",
    "account/password/",
    "account/tokens/",
    "account/tokens/<int:token_id>/revoke/",
    "account/sessions/end/",
}
EXAMPLES = (
    ("<int:", "1"),
    ("<str:", "some"),
    ("<path:", "some"),
    ("<uuid:", "6f1c24a5-8e50-4d3b-9a53-0d6b8e4d2f10"),
    ("<month:", "2026-03"),
)


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, route)
        elif isinstance(entry, URLPattern):
            yield route


def _pages() -> list[str]:
    known = [route for route in _routes(get_resolver()) if not route.startswith(("admin/", "api/", "^"))]
    return [route for route in known if route not in OPEN | OF_PROGRAMS | PREFERENCES]


def _path(route: str) -> str:
    for name, example in EXAMPLES:
        while name in route:
            start = route.index(name)
            route = route[:start] + example + route[route.index(">", start) + 1 :]
    return f"/{route}"


@pytest.mark.django_db
@pytest.mark.parametrize("route", _pages())
def test_nothing_is_readable_anonymously(client: Client, route: str) -> None:
    response = client.get(_path(route))
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in/?next=")


@pytest.mark.django_db
@pytest.mark.parametrize("route", [route for route in _pages() if route not in FORMS])
def test_a_page_is_only_read(signed_in: Client, route: str) -> None:
    assert signed_in.post(_path(route)).status_code == 405


@pytest.mark.django_db
def test_signing_in_leads_where_one_wanted_to_go(client: Client, django_user_model: type) -> None:
    django_user_model.objects.create_user("operator", password="a long one")  # type: ignore[attr-defined]
    sent = {"username": "operator", "password": "a long one", "next": "/pods/?state=waiting"}
    assert client.post("/sign-in/", sent)["Location"] == "/pods/?state=waiting"


@pytest.mark.django_db
def test_signing_in_leads_to_no_other_site(client: Client, django_user_model: type) -> None:
    django_user_model.objects.create_user("operator", password="a long one")  # type: ignore[attr-defined]
    sent = {"username": "operator", "password": "a long one", "next": "https://example.com/"}
    assert client.post("/sign-in/", sent)["Location"] == "/"


@pytest.mark.django_db
def test_a_wrong_password_is_told_without_saying_which_part_was_wrong(client: Client) -> None:
    answer = client.post("/sign-in/", {"username": "operator", "password": "wrong"}).content.decode()
    assert 'role="alert"' in answer
    assert 'value="operator"' in answer


@pytest.mark.django_db
def test_signing_out_needs_a_form_and_ends_the_session(signed_in: Client) -> None:
    assert signed_in.get("/sign-out/").status_code == 405
    signed_in.post("/sign-out/")
    assert signed_in.get("/").status_code == 302
