"""An object of others is as one that is nowhere: by its id, with any method, and in what it costs."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.access.models import ApiToken
from inventory.models import SavedConversion
from tests.dashboard.access.routes import every_route
from tests.dashboard.access.walking import Viewer, settled
from tests.dashboard.access.world import World

METHODS = ("get", "head", "options", "post", "put", "patch", "delete")
_NOWHERE = {
    "int": "987654321",
    "str": "nothing",
    "path": "nothing",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "month": "2020-01",
}


# Each with seven methods, and as often what is nowhere.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("viewer", [Viewer("member"), Viewer("lead", "read")], ids=str)
def test_an_object_of_others_is_as_one_that_is_nowhere(world: World, viewer: Viewer) -> None:
    client, tokened = viewer.client(), viewer.client("/api/v1/")
    # The first use of a token is written down.
    tokened.get("/api/v1/")
    compared = set[str]()
    for name, path, nowhere in _of_others(viewer, Viewer(world.other.username)):
        asking = tokened if path.startswith("/api/v1/") else client
        for method in METHODS:
            assert _asked(asking, method, path) == _asked(asking, method, nowhere), f"{method} {path}"
        compared.add(name)
        cache.clear()
    of_api = {f"{name}-detail" for name in ("shares", "claims", "pods", "teams", "quotas")}
    pages = {"claim", "claim_fit", "pod", "pod_fit", "team", "team_largest", "saved_conversion"}
    assert {*of_api, *pages, "conversion_preview", "conversion_pod"} <= compared


def _of_others(viewer: Viewer, other: Viewer) -> Iterator[tuple[str, str, str]]:
    """Names of routes, with what operators or others are shown and the viewer is not, and with nothing."""
    client, seeing = viewer.client(), [other.client(), Viewer("operator").client()]
    for route in every_route():
        if "<" in route.pattern and not route.pattern.startswith("admin/"):
            nowhere = re.sub(r"<(\w+):\w+>", lambda found: _NOWHERE[found[1]], f"/{route.pattern}")
            for path in route.paths():
                if client.get(path).status_code == 404 and any(
                    one.get(path).status_code != 404 for one in seeing
                ):
                    yield route.name, path, nowhere


def _asked(client: Client, method: str, path: str) -> tuple[Any, ...]:
    """What is answered, and how often the database was asked."""
    with CaptureQueriesContext(connection) as asked:
        status, text = settled(getattr(client, method)(path))
    return status, text.replace(path, "*"), len(asked)


def test_what_others_keep_is_not_ended(world: World) -> None:
    client = Viewer("member").client()
    tokens = ApiToken.objects.exclude(token__user__username="member").values_list("pk", flat=True)
    kept = SavedConversion.objects.exclude(username="member").values_list("pk", flat=True)
    paths = [
        *(f"/account/tokens/{pk}/revoke/" for pk in tokens),
        *(f"/convert/saved/{pk}/delete/" for pk in kept),
    ]
    assert [client.post(path).status_code for path in paths] == [404] * len(paths)
    assert len(paths) == tokens.count() + kept.count() > 1
