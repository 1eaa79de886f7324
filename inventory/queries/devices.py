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
    Held,
    LabelSelector,
    Names,
    Ordering,
    Search,
    States,
    Truth,
    cluster_filter,
    team_filter,
)
from inventory.queries.requested import HeldClass
from inventory.queries.requests import device_class

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
    """A device. `device_classes` are those through which claims came to it: see `device_classes_reason`."""

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
    state: str
    reason: str | None
    problems: tuple[str, ...]
    card: CardBrief | None


class DeviceFilter(Filters):
    held_through = "device"

    cluster = cluster_filter()
    namespace = Held(field_name="claim__namespace__name")
    team = team_filter("claim__team__slug", held=True)
    node = Names(field_name="node__name")
    driver = Names(field_name="pool__driver")
    pool = Names(field_name="pool__name")
    device = Names(field_name="name")
    device_class = HeldClass()
    product = Names(field_name="product")
    pod = Held(field_name="claim__pod_claims__pod__name", also={"claim__pod_claims__reserved": True})
    claim = Held(field_name="claim__name")
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


def queryset(filters: DeviceFilter | None = None) -> QuerySet[Device]:
    found = Device.objects.select_related("cluster", "pool", "node", "card")
    return found if filters is None else filters.filter_queryset(found)


def others_of_node(node_id: int) -> QuerySet[Device]:
    """The devices of a node that are no cards."""
    return queryset().filter(node=node_id, accelerator=False)


def rows(page: Iterable[Device]) -> list[DeviceRow]:
    devices = list(page)
    prefetch_related_objects(devices, "balances")
    teams, classes = _holders(devices)
    return [_row(device, teams[device.pk], classes[device.pk]) for device in devices]


def one(device_id: int) -> DeviceRow | None:
    return next(iter(rows(queryset().filter(pk=device_id))), None)


def dimension_names(found: QuerySet[Device]) -> list[str]:
    """The dimensions that any of the devices has, by name."""
    balances = Balance.objects.filter(device__in=found.order_by().values("pk")).order_by("dimension")
    return list(balances.values_list("dimension", flat=True).distinct())


def _holders(devices: Sequence[Device]) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
    """Which teams hold each device, and by which classes claims came to it. Admin access holds nothing."""
    teams: defaultdict[int, set[str]] = defaultdict(set)
    classes: defaultdict[int, set[str]] = defaultdict(set)
    shares = Share.objects.filter(device__in=[device.pk for device in devices]).order_by()
    for device, admin_access, request, team, spec in shares.values_list(
        "device_id", "admin_access", "request", "claim__team__slug", "claim__spec"
    ):
        if team and not admin_access:
            teams[device].add(team)
        if name := device_class(spec, request):
            classes[device].add(name)
    return teams, classes


def _row(device: Device, teams: set[str], classes: set[str]) -> DeviceRow:
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
        device_classes=tuple(sorted(classes)) or None,
        device_classes_reason=None if classes else NO_CLASS,
        attributes=device.attributes,
        shareable=device.shareable,
        health=_health(device),
        listed=device.listed,
        published=device.published,
        capacity=capacity,
        bottleneck=_bottleneck(device.bottleneck, capacity),
        shares=device.shares,
        teams=tuple(sorted(teams)),
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
