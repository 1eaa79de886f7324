"""Rows for tests, made on the ORM; what a test does not name is the same everywhere."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from inventory.kube.quantity import parse
from inventory.models import (
    Balance,
    Card,
    Claim,
    Cluster,
    ConsumedCapacity,
    Device,
    InstantSource,
    Namespace,
    Node,
    Pod,
    PodClaim,
    Pool,
    Share,
    Team,
)
from inventory.models.amounts import exponent_for, to_amount
from inventory.models.devices import DeviceState
from inventory.queries.requests import device_class
from inventory.sync import holdings

READ_AT = datetime(2026, 11, 29, 15, 0, tzinfo=UTC)
_numbers = count(1)


def make_cluster(name: str = "lab", **fields: Any) -> Cluster:
    fields = {"observed_at": READ_AT, "attempted_at": READ_AT, **fields}
    return Cluster.objects.get_or_create(name=name, defaults=fields)[0]


def make_team(slug: str = "vision") -> Team:
    return Team.objects.get_or_create(slug=slug, defaults={"name": slug.title()})[0]


def make_namespace(
    name: str = "team-vision", *, team: Team | None = None, cluster: Cluster | None = None
) -> Namespace:
    cluster = cluster or make_cluster()
    return Namespace.objects.get_or_create(cluster=cluster, name=name, defaults={"team": team})[0]


def make_node(name: str = "node-1", **fields: Any) -> Node:
    cluster = fields.pop("cluster", None) or make_cluster()
    return Node.objects.get_or_create(cluster=cluster, name=name, defaults=fields)[0]


def make_pool(name: str = "node-1", *, driver: str = "gpu.example.com", **fields: Any) -> Pool:
    cluster = fields.pop("cluster", None) or make_cluster()
    defaults = {
        "state": Pool.State.COMPLETE,
        "generation": 1,
        "slices_seen": 1,
        "slices_expected": 1,
        **fields,
    }
    return Pool.objects.get_or_create(cluster=cluster, driver=driver, name=name, defaults=defaults)[0]


def make_device(name: str = "gpu-0", *, pool: Pool | None = None, **fields: Any) -> Device:
    """An accelerator with a card of its own; give `accelerator=False` for one without."""
    pool = pool or make_pool()
    fields = {
        "accelerator": True,
        "state": DeviceState.FREE,
        "product": "A100",
        "cluster": pool.cluster,
        **fields,
    }
    if fields["accelerator"] and "card" not in fields:
        like = {name: fields[name] for name in ("node", "state", "product") if name in fields}
        fields["card"] = make_card(name, pool=pool, **like)
    return Device.objects.create(pool=pool, name=name, **fields)


def make_card(key: str = "gpu-0", *, pool: Pool | None = None, **fields: Any) -> Card:
    pool = pool or make_pool()
    fields = {"state": DeviceState.FREE, "product": "A100", **fields}
    return Card.objects.create(cluster=pool.cluster, pool=pool, key=key, **fields)


def make_balance(
    device: Device, dimension: str, total: str | None, allocated: str | None, **fields: Any
) -> Balance:
    """What is left follows; a total of None is not known."""
    made = _balance(device, dimension, total, allocated, **fields)
    holdings.rewrite([device.pool_id])
    return made


def _balance(
    device: Device, dimension: str, total: str | None, allocated: str | None, **fields: Any
) -> Balance:
    known = [None if text is None else parse(text) for text in (total, allocated)]
    left = known[0] - known[1] if known[0] is not None and known[1] is not None else None
    exponent = exponent_for(*known, left)
    return Balance.objects.create(
        cluster=device.cluster,
        device=device,
        card=device.card,
        dimension=dimension,
        exponent=exponent,
        notation=next((one.notation for one in known if one is not None), "DecimalSI"),
        total=to_amount(known[0], exponent),
        allocated=to_amount(known[1], exponent),
        remaining=to_amount(left, exponent),
        **fields,
    )


def make_claim(name: str = "", *, namespace: Namespace | None = None, **fields: Any) -> Claim:
    namespace = namespace or make_namespace()
    number = next(_numbers)
    given = {"state": Claim.State.RESERVED, "spec": asks_for("gpu"), "uid": f"claim-{number}"}
    fields = {**given, "team": namespace.team, **fields}
    return Claim.objects.create(
        cluster=namespace.cluster,
        namespace=namespace,
        name=name or f"claim-{number}",
        resource_version="1",
        **fields,
    )


def make_share(device: Device, claim: Claim | None = None, **fields: Any) -> Share:
    """`consumed` maps dimensions to quantities as text, None for one that cannot be read."""
    claim, consumed = claim or make_claim(), fields.pop("consumed", {})
    began = {"started_at": timezone.now(), "started_source": InstantSource.OBSERVED}
    fields = {"request": "card", "dedicated": not consumed, "admin_access": False, **began, **fields}
    fields.setdefault("device_class", device_class(claim.spec, fields["request"]) or "")
    share = Share.objects.create(
        cluster=claim.cluster, claim=claim, device=device, position=claim.shares.count(), **fields
    )
    for dimension, text in consumed.items():
        _consume(share, dimension, text)
    holdings.rewrite([device.pool_id])
    return share


def _consume(share: Share, dimension: str, text: str | None) -> None:
    quantity = None if text is None else parse(text)
    exponent = exponent_for(quantity)
    ConsumedCapacity.objects.create(
        share=share,
        dimension=dimension,
        exponent=exponent,
        notation=quantity.notation if quantity else "DecimalSI",
        amount=to_amount(quantity, exponent),
    )


def make_pod(name: str = "", *, uses: Claim | None = None, reserved: bool = True, **fields: Any) -> Pod:
    namespace = fields.pop("namespace", None) or (uses.namespace if uses else make_namespace())
    number = next(_numbers)
    fields = {"phase": "Running", "uid": f"pod-{number}", "team": namespace.team, **fields}
    if reserved and uses and "node" not in fields:
        fields["node"] = make_node(cluster=namespace.cluster)
    pod = Pod.objects.create(
        cluster=namespace.cluster,
        namespace=namespace,
        name=name or f"pod-{number}",
        resource_version="1",
        **fields,
    )
    if uses:
        PodClaim.objects.create(pod=pod, name="card", claim_name=uses.name, claim=uses, reserved=reserved)
    return pod


def asks_for(device_class: str, *, name: str = "card") -> dict[str, Any]:
    """A claim spec with one request."""
    return {"devices": {"requests": [{"name": name, "exactly": {"deviceClassName": device_class}}]}}


def later(seconds: int) -> datetime:
    return READ_AT + timedelta(seconds=seconds)
