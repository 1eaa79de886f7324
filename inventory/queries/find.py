"""One search over Pods, claims, devices and nodes, by parts of names and UUIDs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from inventory.models import Claim, Device, Node, Pod
from inventory.queries import nodes
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
    return Found(
        pods=_with_known_teams(
            _hits(pods.filter(Q(name__icontains=text) | Q(uid__iexact=text)), shown), viewer
        ),
        claims=_with_known_teams(
            _hits(claims.filter(Q(name__icontains=text) | Q(uid__iexact=text)), shown), viewer
        ),
        devices=_hits(devices.filter(Q(name__icontains=text) | Q(uuid__icontains=text)), shown),
        nodes=_hits(named.filter(name__icontains=text), shown),
    )


def _with_known_teams(found: Hits, viewer: Viewer) -> Hits:
    for row in found.rows:
        if not viewer.sees(row.team_id):
            row.team = None
    return found


def _hits(found: QuerySet[Any], shown: int) -> Hits:
    rows = list(found[: shown + 1])
    return Hits(rows[:shown], len(rows) if len(rows) <= shown else found.count())
