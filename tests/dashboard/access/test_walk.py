"""A walk over every route, as everybody: no name of others is in an answer.

The routes come from the URL configuration and the parameters from the filters, so that a new one is walked by
itself; one that the walk does not know how to fill makes it fail.
"""

from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from drf_spectacular.generators import SchemaGenerator

from dashboard.api.paging import PARAMETERS
from dashboard.api.parameters import COMMON
from inventory.models import ConversionPreview
from tests.dashboard.access.routes import every_route
from tests.dashboard.access.walking import Viewer, text_of, walk
from tests.dashboard.access.world import World

METHODS = ("head", "options", "post", "put", "patch", "delete")

# What is told of each tenant to who may read it.
OF_OWN = (
    "namespace",
    "claim",
    "pending",
    "pod",
    "waiting",
    "hami",
    "workload",
    "message",
    "share_id",
    "skipped",
    "past",
    "past_pod",
    "past_workload",
)
OF_OTHER = (
    *(*OF_OWN, "watcher", "idle", "label", "value", "template", "slug", "name", "reason", "difference"),
    *("quota", "kind_error", "error", "saved", "username"),
)
OF_NOBODY = OF_OWN
OF_MIXED = ("user", "private", "owner")
SEEING_OWN = (Viewer("member"), Viewer("lead", "read"))
SEEING_NOTHING = (Viewer(""), Viewer("gone"), Viewer("operator", "read", expired=True))


# Who sees something asks some two thousand questions.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("viewer", [*SEEING_OWN, *SEEING_NOTHING], ids=str)
def test_no_name_of_others_is_in_any_answer(world: World, viewer: Viewer) -> None:
    # What operators have asked for is kept for some time: for operators.
    _ask_for_searches(Viewer("operator"))
    told, refused = list[str](), list[str]()
    lists = {path for route in every_route() if route.listed for path in route.paths()}
    for address, response in walk(viewer, briefly=viewer in SEEING_NOTHING):
        text = text_of(response)
        # Where one asks for a team by its slug, the way to the sign-in repeats it.
        kept = text.replace(world.other.slug, "") if world.other.slug in address else text
        found = [token for token in world.tokens if token in kept]
        assert not found, f"{address}: {_around(kept, found[0])}"
        assert response.status_code < 500 or response.status_code == 503, address
        told.append(text)
        if address.partition("?")[0] in lists and response.status_code != 200:
            refused.append(address)
    own = [getattr(world.own, name) in "".join(told) for name in OF_OWN]
    if viewer in SEEING_NOTHING:
        assert not any(own)
        return
    assert all(own)
    # What is refused for its form tells nothing of who may see what: sums have no cursor, an export no pages.
    of_form = ("cursor=start&limit=1", "/api/v1/usage/allocations/")
    assert [address for address in refused if not any(form in address for form in of_form)] == []


def test_no_parameter_of_the_api_is_left_out(world: World) -> None:
    generator: Any = SchemaGenerator
    paths = generator().get_schema(request=None, public=True)["paths"]
    for route in every_route():
        if route.listed is not None:
            (path,) = route.paths()
            parameters = {one["name"] for one in paths[path]["get"]["parameters"] if one["in"] == "query"}
            others = {name for query in route.queries() for name, _ in parse_qsl(query)}
            assert parameters <= {*route.listed.base_filters, *others, *PARAMETERS, *COMMON}, path


def test_no_other_method_tells_more(world: World) -> None:
    for route in every_route():
        client = Viewer("member").client()
        # Of the administration, forms are the only thing that is written to.
        methods = ("post",) if route.pattern.startswith("admin/") else METHODS
        for path in route.paths():
            for method in methods:
                text = text_of(getattr(client, method)(path))
                assert not any(token in text for token in world.tokens), f"{method} {path}"
        cache.clear()


def test_operators_find_every_name(world: World) -> None:
    told = "\n".join(text_of(response) for _, response in walk(Viewer("operator"), briefly=True))
    tenants = {"other": OF_OTHER, "nobody": OF_NOBODY, "mixed": OF_MIXED}
    missing = [
        f"{tenant}: {name}"
        for tenant, names in tenants.items()
        for name in names
        if str(getattr(getattr(world, tenant), name)) not in told
    ]
    assert not missing


def _ask_for_searches(viewer: Viewer) -> None:
    client = viewer.client()
    for route in every_route():
        if route.name.endswith(("_fit", "_largest")):
            for path in route.paths():
                client.get(path)


def _around(text: str, token: str) -> str:
    place = text.index(token)
    return text[max(0, place - 120) : place + 60]


def test_whoever_leaves_a_team_reads_its_names_no_more(world: World) -> None:
    User.objects.get(username="member").memberships.all().delete()
    record = ConversionPreview.objects.get(username="member")
    client = Viewer("member").client()
    for path in ("", "?now=1", "part/", "1/"):
        assert world.own.token not in text_of(client.get(f"/convert/pods/{record.pk}/{path}"))
    for path in ("/pods/", "/claims/", "/", "/api/v1/devices/", f"/search?q={world.own.pod}x"):
        assert world.own.namespace not in text_of(client.get(path)), path


# --- Caches ---


def test_an_answer_for_others_is_never_not_modified(world: World) -> None:
    """The same user with other teams has another answer, though no poll has found anything."""
    client, user = Viewer("member").client(), User.objects.get(username="member")
    for route in every_route():
        if route.listed is not None:
            path = f"{route.paths()[0]}?{route.least}"
            first = client.get(path)
            assert {"Authorization", "Cookie", "Accept", "Accept-Language"} <= set(first["Vary"].split(", "))
            again = {"If-None-Match": first["ETag"]}
            if route.name != "clusters-list":
                assert client.get(path, headers=again).status_code == 304, path
            user.is_superuser = True
            user.save()
            assert client.get(path, headers=again).status_code == 200, path
            user.is_superuser = False
            user.save()


# --- Cost ---


def test_who_sees_less_asks_the_database_as_often(world: World) -> None:
    for path in ("/api/v1/claims/", "/api/v1/pods/", "/api/v1/shares/", "/api/v1/devices/", "/api/v1/nodes/"):
        counts = []
        for viewer in (Viewer("operator"), Viewer("member")):
            client = viewer.client()
            with CaptureQueriesContext(connection) as asked:
                assert client.get(path).status_code == 200
            counts.append(len(asked))
        # Whether he is an operator, and his teams.
        assert counts[1] <= counts[0] + 2, path


def test_every_route_can_be_walked(world: World) -> None:
    routes = every_route()
    assert {"claims-list", "claim", "fit", "metrics", "inventory_hamipod_changelist"} <= {
        one.name for one in routes
    }
    assert all(one.paths() for one in routes)
