"""Tracks and cards as the queries give them, for figures."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from inventory.dra.units import Unit
from inventory.kube.quantity import Quantity, parse
from inventory.models import InstantSource
from inventory.models.devices import DeviceState
from inventory.queries.briefs import ClaimBrief, DeviceBrief, PodBrief
from inventory.queries.dimensions import ratio
from inventory.queries.held_cards import HeldCard
from inventory.queries.shares import ShareRow
from inventory.queries.slices import Slice, TeamBrief, Track
from tests.factories import READ_AT

NLP = TeamBrief("nlp", "nlp", 1)
VISION = TeamBrief("vision", "vision", 2)
OTHERS = TeamBrief("others", "others", 0)


@dataclass
class Held:
    amount: str | None
    team: TeamBrief | None = NLP
    pods: tuple[str, ...] = ("train",)
    claim: str = "claim"


def share(held: Held) -> ShareRow:
    device = DeviceBrief(1, "hami-core-gpu.project-hami.io", "node-1", "gpu-0", "node-1", None, None)
    return ShareRow(
        id=1,
        device=device,
        share_id="a",
        request="card",
        device_class=None,
        dedicated=False,
        admin_access=False,
        consumed={},
        held={},
        problem=None,
        cluster="lab",
        claim=ClaimBrief(1, "team-nlp", held.claim, "u", "allocated,reserved"),
        pods=tuple(PodBrief(n, "team-nlp", name, "u", None, None, None) for n, name in enumerate(held.pods)),
        team=held.team.slug if held.team else None,
        withheld=False,
        started_at=READ_AT,
        started_source=InstantSource.OBSERVED,
        ended_at=None,
        source="dra",
    )


def track(name: str, total: str | None, *held: Held, stranded: bool = False, left: str = "") -> Track:
    whole = parse(total) if total else None
    amounts = [parse(one.amount) for one in held if one.amount]
    allocated = sum(amounts, start=Quantity(0))
    remaining = parse(left) if left else None if whole is None else max(Quantity(0), whole - allocated)
    return Track(
        name=name,
        unit=Unit.PERCENT if name == "cores" else Unit.BYTES if name == "memory" else Unit.COUNT,
        total=whole,
        allocated=allocated if whole else None,
        remaining=remaining,
        ratio=ratio(allocated, whole),
        reason=None if whole else "no current slice lists the device",
        stranded=stranded,
        slices=tuple(
            Slice(share(one), one.team, amount, ratio(amount, whole))
            for one in held
            for amount in [parse(one.amount) if one.amount else None]
        ),
    )


def card(*tracks: Track, **fields: Any) -> HeldCard:
    defaults: dict[str, Any] = {
        "id": 1,
        "key": "gpu-0",
        "device": 7,
        "cluster": "lab",
        "node": "node-1",
        "node_id": 3,
        "driver": "hami-core-gpu.project-hami.io",
        "pool": "node-1",
        "pool_id": 2,
        "product": "A100",
        "uuid": "GPU-1",
        "partitioned": False,
        "shareable": True,
        "tainted": False,
        "state": DeviceState.PARTLY_ALLOCATED,
        "reason": "",
        "use": Decimal("0.5"),
        "shares": (),
        "others": None,
        "teams": (),
        "tracks": tracks,
    }
    return HeldCard(**{**defaults, **fields})
