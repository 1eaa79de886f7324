"""Devices: what each one publishes, how much of it is allocated, and what is left."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from django.db.models import QuerySet, prefetch_related_objects

from inventory.models import Balance, Device, Share
from inventory.models.devices import DeviceState
from inventory.queries.briefs import CardBrief, card_brief, node_name
from inventory.queries.dimensions import Dimension, dimensions
from inventory.queries.filters import (
    Filters,
    HeldBy,
    LabelSelector,
    Names,
    Ordering,
    Search,
    States,
    Truth,
    cluster_filter,
    pod_of_share,
    team_filter,
)
from inventory.queries.requested import HeldClass
from inventory.viewer import Viewer

KINDS = ("resourceslices", "resourceclaims")
NO_CLASS = "no allocated request names a device class for this device"


class Health(msgspec.Struct, frozen=True):
    """`untainted`, `tainted` (a taint keeps Pods off), or `unknown` where no slice lists the device."""

    state: str
    taints: tuple[dict[str, Any], ...]


class Bottleneck(msgspec.Struct, frozen=True):
    """The dimension that is used up first."""

    dimension: str
    ratio: Decimal | None


class DeviceRow(msgspec.Struct, frozen=True):
    """A device. `device_classes` are those through which claims came to it: see `device_classes_reason`.

    `teams` are those that hold a part of it and that the viewer may know; `withheld`: others hold some of it.
    """

    id: int
    cluster: str
    driver: str
    pool: str
    name: str
    node: str | None
    product: str | None
    uuid: str | None
    accelerator: bool
    device_classes: tuple[str, ...] | None
    device_classes_reason: str | None
    attributes: dict[str, Any]
    shareable: bool
    health: Health
    listed: bool
    published: bool
    capacity: dict[str, Dimension]
    bottleneck: Bottleneck | None
    shares: int
    teams: tuple[str, ...]
    withheld: bool
    state: str
    reason: str | None
    problems: tuple[str, ...]
    card: CardBrief | None


class DeviceFilter(Filters):
    held_through = "device"

    cluster = cluster_filter()
    namespace = HeldBy(field_name="claim__namespace__name")
    team = team_filter("claim__team__slug", held=True)
    node = Names(field_name="node__name")
    driver = Names(field_name="pool__driver")
    pool = Names(field_name="pool__name")
    device = Names(field_name="name")
    device_class = HeldClass()
    product = Names(field_name="product")
    pod = pod_of_share()
    claim = HeldBy(field_name="claim__name")
    state = States(field_name="state", choices=DeviceState.choices)
    uuid = Names(field_name="uuid")
    accelerator = Truth(field_name="accelerator")
    shareable = Truth(field_name="shareable")
    published = Truth(field_name="published")
    tainted = Truth(field_name="tainted")
    q = Search("name", "uuid", "product", "node__name", "pool__name")
    label_selector = LabelSelector(field_name="node__labels")
    ordering = Ordering(
        fields={
            "id": "id",
            "name": "name",
            "node__name": "node",
            "pool__driver": "driver",
            "pool__name": "pool",
            "product": "product",
            "state": "state",
            "shares": "shares",
            "use_millionths": "use",
        }
    )

    class Meta:
        model = Device
        fields = ()


def queryset() -> QuerySet[Device]:
    return Device.objects.select_related("cluster", "pool", "node", "card")


def others_of_node(node_id: int) -> QuerySet[Device]:
    """The devices of a node that are no cards."""
    return queryset().filter(node=node_id, accelerator=False)


def rows(page: Iterable[Device], *, viewer: Viewer) -> list[DeviceRow]:
    devices = list(page)
    prefetch_related_objects(devices, "balances")
    held = _held(devices, viewer)
    return [_row(device, held[device.pk]) for device in devices]


def one(device_id: int, *, viewer: Viewer) -> DeviceRow | None:
    return next(iter(rows(queryset().filter(pk=device_id), viewer=viewer)), None)


def dimension_names(found: QuerySet[Device]) -> list[str]:
    """The dimensions that any of the devices has, by name."""
    balances = Balance.objects.filter(device__in=found.order_by().values("pk")).order_by("dimension")
    return list(balances.values_list("dimension", flat=True).distinct())


class _Held:
    """Of one device: which teams hold it, and by which classes claims came to it."""

    def __init__(self) -> None:
        self.teams, self.classes, self.withheld = set[str](), set[str](), False

    def by(self, team: int | None, slug: str | None, viewer: Viewer) -> None:
        if not viewer.sees(team):
            self.withheld = True
        elif slug is not None:
            self.teams.add(slug)


def _held(devices: Sequence[Device], viewer: Viewer) -> dict[int, _Held]:
    """Admin access holds nothing."""
    found: defaultdict[int, _Held] = defaultdict(_Held)
    shares = Share.objects.filter(device__in=[device.pk for device in devices]).order_by()
    for device, admin_access, device_class, team, slug in shares.values_list(
        "device_id", "admin_access", "device_class", "claim__team_id", "claim__team__slug"
    ):
        if not admin_access:
            found[device].by(team, slug, viewer)
        if device_class:
            found[device].classes.add(device_class)
    return found


def _row(device: Device, held: _Held) -> DeviceRow:
    capacity = dimensions(device.balances.all(), device.capacity)
    return DeviceRow(
        id=device.pk,
        cluster=device.cluster.name,
        driver=device.pool.driver,
        pool=device.pool.name,
        name=device.name,
        node=node_name(device.node),
        product=device.product or None,
        uuid=device.uuid or None,
        accelerator=device.accelerator,
        device_classes=tuple(sorted(held.classes)) or None,
        device_classes_reason=None if held.classes else NO_CLASS,
        attributes=device.attributes,
        shareable=device.shareable,
        health=_health(device),
        listed=device.listed,
        published=device.published,
        capacity=capacity,
        bottleneck=_bottleneck(device.bottleneck, capacity),
        shares=device.shares,
        teams=tuple(sorted(held.teams)),
        withheld=held.withheld,
        state=device.state,
        reason=device.reason or None,
        problems=tuple(device.problems),
        card=card_brief(device.card),
    )


def _health(device: Device) -> Health:
    if not device.listed:
        return Health("unknown", tuple(device.taints))
    return Health("tainted" if device.tainted else "untainted", tuple(device.taints))


def _bottleneck(dimension: str, capacity: dict[str, Dimension]) -> Bottleneck | None:
    return Bottleneck(dimension, capacity[dimension].ratio) if dimension in capacity else None
