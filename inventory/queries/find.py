"""One search over Pods, claims, devices and nodes, by parts of names and UUIDs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from inventory.models import Claim, Device, Node, Pod
from inventory.queries import nodes
from inventory.queries.at_once import at_once, number_of
from inventory.viewer import Viewer


class Hits(NamedTuple):
    """The first rows, and how many there are in all."""

    rows: Sequence[Any]
    total: int


class Found(NamedTuple):
    pods: Hits
    claims: Hits
    devices: Hits
    nodes: Hits

    @property
    def total(self) -> int:
        return sum(hits.total for hits in self)


def find(text: str, *, shown: int, viewer: Viewer) -> Found:
    """What has the text in its name, in any case; also in the UUID of a device, or as the whole UID."""
    pods = Pod.objects.visible_to(viewer).select_related("cluster", "namespace", "team", "node")
    claims = Claim.objects.visible_to(viewer).select_related("cluster", "namespace", "team")
    devices = Device.objects.select_related("cluster", "pool", "node")
    named: QuerySet[Node] = nodes.queryset()
    is_named = Q(name__icontains=text)
    found = {
        "pods": pods.filter(is_named | Q(uid__iexact=text)),
        "claims": claims.filter(is_named | Q(uid__iexact=text)),
        "devices": devices.filter(is_named | Q(uuid__icontains=text)),
        "nodes": named.filter(is_named),
    }
    totals = at_once(**{name: number_of(rows) for name, rows in found.items()})
    hits = {
        name: Hits(list(rows[:shown]), totals[name][0][1] if totals[name] else 0)
        for name, rows in found.items()
    }
    for name in ("pods", "claims"):
        _forget_unknown_teams(hits[name], viewer)
    return Found(**hits)


def _forget_unknown_teams(found: Hits, viewer: Viewer) -> None:
    for row in found.rows:
        if not viewer.sees(row.team_id):
            row.team = None
