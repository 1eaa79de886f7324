"""A walk over every route, as everybody: no name of others is in an answer, nor anything that depends on one.

The routes come from the URL configuration and the parameters from the filters, so that a new one is walked by
itself; one that the walk does not know how to fill makes it fail.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.access.models import ApiToken
from demo.server import ApiServer
from inventory.models import Cluster, ConversionPreview, HamiPod
from inventory.sync.poll import poll_cluster
from tests.dashboard.access.routes import every_route
from tests.dashboard.access.world import CLUSTER, Tenant, World, manifest, pod_using
from tests.inventory.sync.objects import store

METHODS = ("head", "options", "post", "put", "patch", "delete")
# They begin and end sessions.
SESSIONS = ("login", "logout")

# Of one question to the next these differ by themselves.
_CHANGING = re.compile(
    r'name="csrfmiddlewaretoken" value="\w+"|nonce-[\w=/+-]+|[0-9TZ:.-]{19,}|[0-9-]{10} [0-9:]{8}|'
    r'datetime="[^"]*"|"lag_seconds":\d+|\d+ (?:s|min|h)(?: ago)?'
)


class Viewer(NamedTuple):
    """`by_token`: the API is asked with a token, as programs have one."""

    username: str
    by_token: bool = False

    def client(self, path: str = "/") -> Client:
        if not self.username:
            return Client()
        user = User.objects.get(username=self.username)
        if self.by_token and path.startswith("/api/v1/"):
            _, token = ApiToken.issue(user, "of the walk", "read", timedelta(days=1))
            return Client(headers={"Authorization": f"Bearer {token}"})
        client = Client()
        client.force_login(user)
        return client


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
NOT_SEEING = (Viewer(""), Viewer("member"), Viewer("lead", by_token=True), Viewer("gone"))


@pytest.fixture
def world(db: None, tmp_path: Path, settings: Any) -> World:
    settings.SLICEBOARD_METRICS_SHARES = True
    # What is known goes up to the poll, however long the walk takes, and not up to now.
    settings.SLICEBOARD_STALE_SECONDS = 24 * 3600
    cache.clear()
    world = World()
    world.settle()
    with ApiServer(store(*world.objects())) as server:
        cluster = Cluster.objects.create(name=CLUSTER, kubeconfig=str(server.kubeconfig(tmp_path / "config")))
        assert poll_cluster(cluster.pk).ended == "applied"
    cluster.refresh_from_db()
    world.add_to(cluster)
    return world


def text_of(response: Any) -> str:
    """Everything that goes over the wire: body and headers."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    return f"{headers}\n{body.decode(errors='replace')}"


def walk(viewer: Viewer, *, briefly: bool = False) -> Iterator[tuple[str, Any]]:
    """The answer to everything that can be asked without a name of others, and what was asked.

    `briefly`: every path once, without parameters that it does not need.
    """
    client, tokened = viewer.client(), viewer.client("/api/v1/")
    for route in every_route():
        asking = tokened if route.pattern.startswith("api/v1/") else client
        if route.name in SESSIONS:
            asking = viewer.client()
        for path in route.paths():
            for query in [route.least] if briefly else route.queries():
                address = f"{path}?{query}" if query else path
                yield f"GET {address}", asking.get(address)
            cache.clear()


@pytest.mark.parametrize("viewer", NOT_SEEING, ids=lambda one: one.username or "anonymous")
def test_no_name_of_others_is_in_any_answer(world: World, viewer: Viewer) -> None:
    # What operators have asked for is kept for some time: for operators.
    _ask_for_searches(Viewer("operator"))
    told = list[str]()
    for asked, response in walk(viewer, briefly=viewer.username != "member"):
        text = text_of(response)
        # The slug of a team is its address, which the way to the sign-in repeats.
        found = [token for token in world.tokens if token in text and token not in asked]
        assert not found, f"{asked}: {_around(text, found[0])}"
        assert response.status_code < 500 or response.status_code == 503, asked
        told.append(text)
    own = [getattr(world.own, name) in "".join(told) for name in OF_OWN]
    assert all(own) if viewer.username in ("member", "lead") else not any(own)


def test_no_other_method_tells_more(world: World) -> None:
    viewer = Viewer("member")
    for route in every_route():
        client = viewer.client()
        # Of the administration, forms are the only thing that is written to.
        methods = ("post",) if route.pattern.startswith("admin/") else METHODS
        for path in {route.paths()[0], route.paths()[-1]}:
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


# --- Conditions on a name ---


# Parameters whose values somebody has.
_NAMED = (
    "namespace",
    "team",
    "claim",
    "pod",
    "workload",
    "uid",
    "share_id",
    "label_selector",
    "q",
    "device_class",
)
# Parameters whose values no team has.
_OF_NOBODY = frozenset(
    (
        "cluster",
        "node",
        "driver",
        "pool",
        "device",
        "device_class",
        "product",
        "uuid",
        "state",
        "phase",
        "room",
    )
)


def _values(name: str, tenant: Tenant) -> list[str]:
    """What of a tenant may be asked for by a parameter of this name; a new one is asked for everything."""
    names: Mapping[str, Sequence[str]] = {
        "namespace": [tenant.namespace],
        "team": [tenant.slug],
        "claim": [tenant.claim],
        "pod": [tenant.pod],
        "workload": [tenant.workload, tenant.past_workload],
        "uid": [f"uid-{tenant.claim}", f"uid-{tenant.pod}"],
        "share_id": [tenant.share_id],
        "label_selector": [tenant.selector, f"!{tenant.label}"],
        "q": [tenant.token, tenant.claim],
    }
    if name in _OF_NOBODY:
        return [tenant.name]
    return list(names.get(name, [tenant.claim, tenant.pod, tenant.namespace, tenant.slug]))


def _conditions(tenant: Tenant, parameters: Collection[str] = ()) -> Iterator[str]:
    """Addresses with a name of the tenant in every parameter of every list, or in these."""
    for route in every_route():
        for base, filters in route.filters:
            (path,) = route.paths()
            # Pages have the filters of the API; there, those that names of others can be given to.
            asked = parameters or (filters.base_filters if route.name.endswith("-list") else _NAMED)
            for name in set(asked) & set(filters.base_filters):
                for value in _values(name, tenant):
                    yield f"{path}?{base}{'&' if base else ''}{name}={quote(value)}"
                    if name in ("namespace", "team", "claim"):
                        yield f"{path}?{base}{'&' if base else ''}device=hami-gpu-0&{name}={quote(value)}"
    for value in (tenant.token, tenant.claim, tenant.pod, tenant.namespace, f"uid-{tenant.pod}"):
        yield f"/search?q={value}"
    yield f"/api/v1/shares/?format=csv&claim={tenant.claim}"


def _same(client: Client, address: str, token: str) -> bool:
    """Whether it is answered as if the name were nowhere; the clock may ask for a second look."""
    return any(
        _answer(client, address, token) == _answer(client, address, token_hex(4), of=token) for _ in ".."
    )


def _answer(client: Client, address: str, token: str, of: str = "") -> tuple[int, str]:
    response = client.get(address.replace(of, token) if of else address)
    for header in ("ETag", "X-Request-ID", "Content-Length", "Sliceboard-As-Of"):
        if response.has_header(header):
            del response[header]
    return response.status_code, _CHANGING.sub("", text_of(response).replace(token, "*"))


def test_a_name_of_others_is_as_one_that_is_nowhere(world: World) -> None:
    client = Viewer("member").client()
    of_nobody = _conditions(world.nobody, ("namespace", "claim", "pod", "q"))
    for tenant, addresses in ((world.other, _conditions(world.other)), (world.nobody, of_nobody)):
        for address in addresses:
            assert _same(client, address, tenant.token), address
            cache.clear()


def test_operators_see_the_difference(world: World) -> None:
    client = Viewer("operator").client()
    differing = {
        address.partition("?")[0]
        for address in _conditions(world.other, ("namespace", "workload"))
        if not _same(client, address, world.other.token)
    }
    lists = ("claims", "pods", "devices", "nodes")
    pages = {
        *(f"/api/v1/{name}/" for name in (*lists, "shares")),
        *(f"/{name}/" for name in lists),
        "/search",
    }
    assert pages <= differing


# --- Questions with a body ---


def _questions(tenant: Tenant) -> Iterator[tuple[str, dict[str, Any]]]:
    place = {"cluster": CLUSTER, "namespace": tenant.namespace}
    for name in (tenant.claim, tenant.pending, tenant.pod, tenant.waiting):
        yield "fit", {**place, "name": name}
        yield "fit", {**place, "name": name, "kind": "Pod"}
    for claim in (tenant.pending, tenant.claim):
        yield "fit", {"cluster": CLUSTER, "manifest": pod_using(claim, tenant.namespace)}
    written = {"metadata": {"name": tenant.pending, "namespace": tenant.namespace}, "spec": _SPEC}
    yield "fit", {"cluster": CLUSTER, "claim": written}
    for profile in ("0.2.3", "later"):
        asked = {"cluster": CLUSTER, "profile": profile}
        yield "conversions", {**asked, "manifest": manifest(tenant.hami, tenant.namespace)}
    yield "conversions", {"cluster": CLUSTER, "pods": [{"namespace": tenant.namespace, "name": tenant.hami}]}


_SPEC = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "a-class"}}]}}


@pytest.mark.parametrize("viewer", NOT_SEEING[1:3], ids=lambda one: one.username)
def test_a_question_about_others_is_as_one_about_nothing(world: World, viewer: Viewer) -> None:
    client = viewer.client("/api/v1/")
    for tenant in (world.other, world.nobody):
        for name, question in _questions(tenant):
            answers = [
                _asked(client, name, question, token, tenant.token) for token in (tenant.token, token_hex(4))
            ]
            assert answers[0] == answers[1], question
            if "name" in question or "pods" in question:
                assert answers[0][0] == 404
    assert not ConversionPreview.objects.filter(username=viewer.username).exclude(pods__0__2=world.own.hami)


def _asked(client: Client, name: str, question: dict[str, Any], token: str, of: str) -> tuple[int, str]:
    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: named(one) for key, one in value.items()}
        if isinstance(value, list):
            return [named(one) for one in value]
        return value.replace(of, token) if isinstance(value, str) else value

    response = client.post(f"/api/v1/{name}/", named(question), content_type="application/json")
    return response.status_code, _CHANGING.sub("", response.content.decode().replace(token, "*"))


def test_pods_of_others_are_not_previewed(world: World) -> None:
    client, before = Viewer("member").client(), ConversionPreview.objects.count()
    other = ConversionPreview.objects.get(username=world.other.username)
    foreign = HamiPod.objects.exclude(namespace__name=world.own.namespace)
    for sent in ({"record": str(other.pk)}, *({"pod": str(pod.pk)} for pod in foreign)):
        assert client.post("/convert/pods/", sent).status_code == 404
    assert ConversionPreview.objects.count() == before


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
        if route.name.endswith("-list"):
            (path,) = route.paths()
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
