"""Whatever others are called, everybody else is answered the same: texts, orders, and ETags."""

import json
import re
from secrets import token_hex
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import models
from django.utils import timezone

from inventory.models import Cluster
from tests.dashboard.access.walking import Viewer, settled, walk
from tests.dashboard.access.world import Tenant, World

# Sessions of one's own, and ages in cells without a name.
_LEFT_OUT = ("/admin/", "/account/", "/api/v1/clusters/?format=csv")
# What looks back looks back from now, unless it is told from when.
_LOOKING_BACK = re.compile(r"/(changes|claims/waiting|devices/\d+|teams/[\w-]+)/(?:$|\?(?!.*until=))")
# They are never the same.
_TELLING_AGES = "/api/v1/clusters/"
_TEXTS = (models.CharField, models.TextField, models.JSONField)


# It walks everything twice.
@pytest.mark.timeout(600)
def test_nothing_hangs_on_what_others_are_called(world: World) -> None:
    before = _answers()
    for tenant in (world.other, world.nobody, world.mixed):
        new = token_hex(4)
        _rename(tenant, new)
        before = {
            _renamed(address, tenant, new): _renamed(text, tenant, new) for address, text in before.items()
        }
    # A search is kept while its cluster stays the same one.
    Cluster.objects.update(created_at=timezone.now())
    after = _answers()
    assert after.keys() == before.keys()
    differing = [address for address in before if before[address] != after[address]]
    assert not differing


def _answers() -> dict[str, str]:
    cache.clear()
    found = {}
    for address, response in walk(Viewer("member")):
        if not address.startswith(_LEFT_OUT) and not _LOOKING_BACK.match(address):
            if address.startswith(_TELLING_AGES):
                del response["ETag"]
            status, text = settled(response)
            found[address] = f"{status} {text}"
    return found


def _rename(tenant: Tenant, new: str) -> None:
    """Everything in the database that has a name of the tenant; in front of all others, in any order."""
    for model in apps.get_models():
        columns = [one for one in model._meta.concrete_fields if isinstance(one, _TEXTS)]
        names = [one.attname for one in columns if not one.primary_key]
        for row in list(model._base_manager.values("pk", *names)):
            _rename_row(model, row, tenant, new)


def _rename_row(model: Any, row: dict[str, Any], tenant: Tenant, new: str) -> None:
    pk = row.pop("pk")
    told = json.dumps(row, default=str)
    if tenant.token in told:
        renamed = json.loads(_renamed(told, tenant, new))
        changed = {name: value for name, value in renamed.items() if tenant.token in json.dumps(row[name])}
        model._base_manager.filter(pk=pk).update(**changed)


def _renamed(text: str, tenant: Tenant, new: str) -> str:
    return re.sub(rf"\b((?:[a-z]+-)*){tenant.token}", rf"a-\g<1>{new}", text)
