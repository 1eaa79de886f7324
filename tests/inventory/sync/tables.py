"""All that is stored of a cluster, by names and UIDs in the place of the numbers of rows."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import ForeignKey, Model

from inventory.models import (
    Balance,
    Card,
    CardHolding,
    Claim,
    ClaimTemplate,
    Cluster,
    ConsumedCapacity,
    Consumer,
    CounterBalance,
    Device,
    DeviceClass,
    InstantSource,
    Namespace,
    Node,
    Pod,
    PodClaim,
    Pool,
    Quota,
    Share,
    ShareInterval,
    SkippedObject,
    Slice,
    TaintRule,
)

Names = tuple[Any, ...]
Table = Mapping[Names, Mapping[str, Any]]

# By what each is known; what a name leads to comes before it.
_KEYS: Mapping[type[Model], tuple[str, ...]] = {
    Namespace: ("name",),
    Node: ("name",),
    Quota: ("uid",),
    DeviceClass: ("name",),
    TaintRule: ("name",),
    ClaimTemplate: ("namespace", "name"),
    Slice: ("name",),
    Pool: ("driver", "name"),
    Card: ("pool", "key"),
    Device: ("pool", "name"),
    CounterBalance: ("pool", "counter_set", "counter"),
    Balance: ("device", "card", "dimension"),
    Claim: ("uid",),
    Share: ("claim", "position"),
    ConsumedCapacity: ("share", "dimension"),
    CardHolding: ("card", "scope", "team", "device_class"),
    Consumer: ("claim", "position"),
    Pod: ("uid",),
    PodClaim: ("pod", "name", "claim_name"),
    SkippedObject: ("kind", "namespace", "name", "uid", "part", "reason", "pool"),
}
# Which rows are a cluster's, where that is not a column of theirs.
_OF_CLUSTER: Mapping[type[Model], str] = {
    ClaimTemplate: "namespace__cluster",
    CounterBalance: "pool__cluster",
    CardHolding: "card__cluster",
    ConsumedCapacity: "share__cluster",
    Consumer: "claim__cluster",
    PodClaim: "pod__cluster",
}
_MOMENTS = ("started_at", "started_source")


def tables(cluster: Cluster) -> dict[str, Table]:
    """Every row of every table but those of progress and history; no instant that somebody observed."""
    names: dict[type[Model], dict[int, Names]] = {}
    return {model.__name__: _table(model, key, cluster, names) for model, key in _KEYS.items()}


def held(cluster: Cluster) -> set[Names]:
    """The shares of which history says that they are held."""
    rows = ShareInterval.objects.filter(cluster=cluster, ended_at=None)
    return set(rows.values_list("claim_uid", "request", "driver", "pool", "device", "share_id"))


def differences(one: Mapping[str, Table], other: Mapping[str, Table]) -> list[str]:
    """In words; the first of two that should be the same, and the second."""
    return [
        f"{name} {key}: {field} is {_of(before, field)!r} and {_of(after, field)!r}"
        for name in one
        for key in sorted(one[name].keys() | other[name].keys(), key=str)
        for before, after in [(one[name].get(key), other[name].get(key))]
        for field in sorted((before or {"row": None}).keys() | (after or {"row": None}).keys())
        if _of(before, field) != _of(after, field)
    ]


def _of(row: Mapping[str, Any] | None, field: str) -> Any:
    return row.get(field) if row is not None else "missing"


def _table(
    model: type[Model], key: tuple[str, ...], cluster: Cluster, names: dict[type[Model], dict[int, Names]]
) -> Table:
    found = {}
    names[model] = {}
    rows = model._default_manager.filter(**{_OF_CLUSTER.get(model, "cluster"): cluster}).order_by("pk")
    for row in rows:
        named = dict(_fields(row, names))
        known_by = tuple(named.pop(field) for field in key)
        assert known_by not in found, f"{model.__name__} {known_by} twice"
        names[model][row.pk] = known_by
        found[known_by] = named
    return found


def _fields(row: Model, names: Mapping[type[Model], Mapping[int, Names]]) -> Iterable[tuple[str, Any]]:
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if field.primary_key or field.name == "cluster":
            continue
        if field.name in _MOMENTS and getattr(row, "started_source", "") == InstantSource.OBSERVED:
            continue
        if isinstance(field, ForeignKey) and field.related_model in names:
            value = None if value is None else names[field.related_model][value]
        yield field.name, value
