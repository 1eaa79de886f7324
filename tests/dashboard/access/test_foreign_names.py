"""A name of others that is asked about is answered as one that is nowhere."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from secrets import token_hex
from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client

from inventory.models import ConversionPreview, HamiPod
from tests.dashboard.access.routes import every_route
from tests.dashboard.access.walking import Viewer, settled
from tests.dashboard.access.world import CLUSTER, Tenant, World, manifest, pod_using

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
        "claim": [tenant.claim, tenant.private],
        "pod": [tenant.pod, tenant.user],
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
            asked = parameters or (_NAMED if route.listed is None else filters.base_filters)
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
    # Another question has another one.
    response.headers.pop("ETag", None)
    status, text = settled(response)
    return status, text.replace(token, "*")


@pytest.mark.parametrize(
    ("tenant", "parameters"),
    [
        ("other", ()),
        ("nobody", ("namespace", "claim", "pod", "q")),
        # In a namespace of which one sees a part.
        ("mixed", ("claim", "pod", "share_id", "q", "uid", "workload")),
    ],
)
def test_a_name_of_others_is_as_one_that_is_nowhere(
    world: World, tenant: str, parameters: Collection[str]
) -> None:
    client, of = Viewer("member").client(), getattr(world, tenant)
    for address in _conditions(of, parameters):
        assert _same(client, address, of.token), address
        cache.clear()


def test_operators_see_the_difference(world: World) -> None:
    client = Viewer("operator").client()
    differing = {
        address.partition("?")[0]
        for address in (
            *_conditions(world.other, ("namespace", "workload")),
            *_conditions(world.mixed, ("pod",)),
        )
        if not _same(client, address, world.other.token)
    }
    lists = ("claims", "pods", "devices", "nodes")
    pages = {
        *(f"/api/v1/{name}/" for name in (*lists, "shares", "occupancy")),
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


@pytest.mark.parametrize("viewer", [Viewer("member"), Viewer("lead", "read")], ids=str)
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

    status, text = settled(client.post(f"/api/v1/{name}/", named(question), content_type="application/json"))
    return status, text.replace(token, "*")


def test_pods_of_others_are_not_previewed(world: World) -> None:
    client, before = Viewer("member").client(), ConversionPreview.objects.count()
    other = ConversionPreview.objects.get(username=world.other.username)
    foreign = HamiPod.objects.exclude(namespace__name=world.own.namespace)
    for sent in ({"record": str(other.pk)}, *({"pod": str(pod.pk)} for pod in foreign)):
        assert client.post("/convert/pods/", sent).status_code == 404
    assert ConversionPreview.objects.count() == before
