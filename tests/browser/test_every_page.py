"""The list of all pages is a list of all pages."""

from collections.abc import Iterator

from django.urls import get_resolver
from django.urls.resolvers import URLResolver

from tests.browser.every_page import ERRORS, PAGES, PARTS, SIGNED_OUT

_OTHERS = ("admin/", "api/v1/", "api/schema/")


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, path)
        elif entry.name:
            yield path, entry.name


def test_every_page_of_the_url_configuration_is_visited() -> None:
    named = {name for path, name in _routes(get_resolver()) if not path.startswith(_OTHERS)} - {"metrics"}
    visited = {one.route for one in (*PAGES, SIGNED_OUT)}
    assert visited.isdisjoint(PARTS)
    assert named == visited | PARTS.keys()


def test_every_visit_has_a_name_of_its_own() -> None:
    names = [one.name for one in (*PAGES, *ERRORS, SIGNED_OUT)]
    assert len(names) == len(set(names))
