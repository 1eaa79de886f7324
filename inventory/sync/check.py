"""The stored balances and holdings, and the open intervals of devices, compared with what is derived."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Q

from inventory.models import Balance, Card, CardHolding, Cluster, CounterBalance, Device
from inventory.sync import balances, check_history, holdings
from inventory.sync.reconcile import Key, Values
from inventory.sync.sheets import PoolSheet, sheets


def differences(cluster: Cluster) -> Iterator[str]:
    """Every stored number that is not the derived one, in words; none if the books are right."""
    cards: dict[Key, int] = {
        (pool, key): pk
        for pk, pool, key in Card.objects.filter(cluster=cluster).values_list("pk", "pool_id", "key")
    }
    for derived in sheets(cluster):
        yield from _differences(cluster, derived, cards)
        yield from check_history.of_devices(cluster, derived)
    yield from check_history.of_pools(cluster)


def _differences(cluster: Cluster, derived: Sequence[PoolSheet], cards: Mapping[Key, int]) -> Iterator[str]:
    missing = [
        (sheet.pool, card.key)
        for sheet in derived
        for card in sheet.cards
        if (sheet.pool.pk, card.key) not in cards
    ]
    yield from (f"card {pool}/{key}: not stored" for pool, key in missing)
    if missing:
        return
    pools = [sheet.pool.pk for sheet in derived]
    for table, fields, wanted in (
        (Card, balances.CARD_FIELDS, balances.desired_cards(cluster, derived)),
        (Device, balances.DEVICE_FIELDS, balances.desired_devices(derived, cards)),
        (Balance, balances.AMOUNT_FIELDS, balances.desired_balances(cluster, derived, cards)),
        (CounterBalance, balances.AMOUNT_FIELDS, balances.desired_counters(derived)),
        (CardHolding, holdings.FIELDS, holdings.desired(pools)),
    ):
        yield from _compare(table._meta.verbose_name, fields, _stored(pools, table, fields), wanted)


_KEYS: Mapping[type[Any], tuple[str, ...]] = {
    Card: ("pool_id", "key"),
    Device: ("pk",),
    Balance: ("cluster_id", "device_id", "card_id", "dimension"),
    CounterBalance: ("pool_id", "counter_set", "counter"),
    CardHolding: holdings.KEY,
}


def _stored(pools: Sequence[int], table: type[Any], fields: tuple[str, ...]) -> dict[Key, Values]:
    of_pools = Q(pool__in=pools)
    if table is Balance:
        of_pools = Q(device__pool__in=pools) | Q(card__pool__in=pools)
    if table is CardHolding:
        of_pools = Q(card__pool__in=pools)
    key = _KEYS[table]
    rows = table.objects.filter(of_pools).order_by().values_list(*key, *fields)
    return {row[: len(key)]: row[len(key) :] for row in rows}


def _compare(
    table: Any,
    fields: tuple[str, ...],
    stored: Mapping[Key, Values],
    wanted: Mapping[Key, Values],
) -> Iterator[str]:
    for key in sorted(stored.keys() | wanted.keys(), key=str):
        before, after = stored.get(key), wanted.get(key)
        if before is None or after is None:
            yield f"{table} {key}: {'not stored' if before is None else 'stored, but nothing derives it'}"
            continue
        for field, old, new in zip(fields, before, after, strict=True):
            if old != new:
                yield f"{table} {key}: {field} is stored as {old!r}, the ledger derives {new!r}"
