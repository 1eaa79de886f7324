"""Pools: the resource slices of one driver that belong together."""

from collections.abc import Iterable

import msgspec
from django.db.models import Count, Q, QuerySet, prefetch_related_objects

from inventory.kube.quantity import Quantity
from inventory.models import Card, CounterBalance, Device, Pool
from inventory.models.amounts import to_quantity
from inventory.queries.filters import Filters, Names, Ordering, Related, Search, States, cluster_filter

KINDS = ("resourceslices", "resourceclaims")


class CounterRow(msgspec.Struct, frozen=True):
    """A shared counter; `remaining` is below zero where partitions that exclude each other are both held."""

    counter_set: str
    counter: str
    total: Quantity | None
    allocated: Quantity | None
    remaining: Quantity | None
    reason: str | None


class PoolRow(msgspec.Struct, frozen=True):
    id: int
    cluster: str
    driver: str
    name: str
    generation: int | None
    slices_seen: int
    slices_expected: int | None
    state: str
    reason: str | None
    nodes: tuple[str, ...]
    devices: int
    devices_published: int
    cards: int
    counters: tuple[CounterRow, ...]


class PoolFilter(Filters):
    cluster = cluster_filter()
    node = Related(field_name="devices__node__name")
    driver = Names(field_name="driver")
    pool = Names(field_name="name")
    device = Related(field_name="devices__name")
    product = Related(field_name="devices__product")
    state = States(field_name="state", choices=Pool.State.choices)
    q = Search("name", "driver")
    ordering = Ordering(
        fields={"id": "id", "name": "name", "driver": "driver", "state": "state", "generation": "generation"}
    )

    class Meta:
        model = Pool
        fields = ()


def queryset() -> QuerySet[Pool]:
    return Pool.objects.select_related("cluster")


def of_node(node_id: int) -> QuerySet[Pool]:
    """The pools that publish devices of a node."""
    return queryset().filter(pk__in=Device.objects.filter(node=node_id).order_by().values("pool"))


def not_complete(cluster: str) -> QuerySet[Pool]:
    """The pools of a cluster whose devices may not all be there."""
    return queryset().filter(cluster__name=cluster).exclude(state=Pool.State.COMPLETE)


def rows(page: Iterable[Pool]) -> list[PoolRow]:
    pools = list(page)
    prefetch_related_objects(pools, "counters")
    ids = [pool.pk for pool in pools]
    counted = Device.objects.filter(pool__in=ids).order_by().values_list("pool_id")
    devices = {
        pool: counts
        for pool, *counts in counted.annotate(found=Count("pk"), usable=Count("pk", filter=Q(published=True)))
    }
    cards = dict(Card.objects.filter(pool__in=ids).order_by().values_list("pool_id").annotate(Count("pk")))
    nodes = _nodes(ids)
    return [
        _row(pool, nodes.get(pool.pk, ()), devices.get(pool.pk, [0, 0]), cards.get(pool.pk, 0))
        for pool in pools
    ]


def one(pool_id: int) -> PoolRow | None:
    return next(iter(rows(queryset().filter(pk=pool_id))), None)


def _nodes(ids: list[int]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    named = Device.objects.filter(pool__in=ids, node__isnull=False).order_by("node__name")
    for pool, node in named.values_list("pool_id", "node__name").distinct():
        found[pool] = (*found.get(pool, ()), node)
    return found


def _row(pool: Pool, nodes: tuple[str, ...], devices: list[int], cards: int) -> PoolRow:
    return PoolRow(
        id=pool.pk,
        cluster=pool.cluster.name,
        driver=pool.driver,
        name=pool.name,
        generation=pool.generation,
        slices_seen=pool.slices_seen,
        slices_expected=pool.slices_expected,
        state=pool.state,
        reason=pool.reason or None,
        nodes=nodes,
        devices=devices[0],
        devices_published=devices[1],
        cards=cards,
        counters=tuple(_counter(one) for one in pool.counters.all()),
    )


def _counter(one: CounterBalance) -> CounterRow:
    total, allocated, remaining = (
        to_quantity(amount, one.exponent, one.notation)
        for amount in (one.total, one.allocated, one.remaining)
    )
    return CounterRow(one.counter_set, one.counter, total, allocated, remaining, one.reason or None)
