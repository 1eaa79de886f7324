"""How many there are of each thing that has a page."""

import msgspec

from inventory.models import Card, Claim, Pod
from inventory.queries import nodes


class Counts(msgspec.Struct, frozen=True):
    cards: int
    nodes: int
    pods: int
    claims: int


def counts() -> Counts:
    return Counts(
        cards=Card.objects.count(),
        nodes=nodes.queryset().count(),
        pods=Pod.objects.count(),
        claims=Claim.objects.count(),
    )
