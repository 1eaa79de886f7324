"""Make the rows of one table equal to what was read, by their difference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from inventory.sync import bulk

_VERSION = "resource_version"

Key = tuple[Any, ...]
Values = tuple[Any, ...]


@dataclass(frozen=True)
class Reconciled:
    """The row of every key afterwards, and how many rows were written or removed."""

    ids: dict[Key, int] = field(default_factory=dict)
    # Rows that are not desired but were kept.
    kept: frozenset[int] = frozenset()
    created: int = 0
    # Without those whose object has another version and says the same: nothing that is shown has changed.
    updated: int = 0
    deleted: int = 0

    @property
    def changes(self) -> int:
        return self.created + self.updated + self.deleted


def reconcile(
    model: type[models.Model],
    scope: models.QuerySet[Any] | None,
    key: Sequence[str],
    fields: Sequence[str],
    desired: Mapping[Key, Values],
    *,
    keep: Callable[[Key], bool] = lambda key: False,
) -> Reconciled:
    """Create, update and delete rows in `scope` until they say what `desired` says.

    `key` and `fields` name columns (`claim_id`, not `claim`), in the order of the keys and values of
    `desired`. Rows for whose key `keep` holds stay as they are though they are not desired. Without a scope
    none of the keys has a row yet.
    """
    existing, same, hardly = (
        _compared(scope, key, fields, desired) if scope is not None else ({}, set(), set())
    )
    gone = [pk for one, pk in existing.items() if one not in desired and not keep(one)]
    # Deletions first: a freed unique value (a name that came back under another UID) may be taken again.
    bulk.delete(model, gone)
    updates = [
        (existing[one], *values) for one, values in desired.items() if one in existing and one not in same
    ]
    bulk.update(model, fields, updates)
    created = _create(model, key, fields, {one: row for one, row in desired.items() if one not in existing})
    ids = {one: pk for one, pk in existing.items() if one in desired or keep(one)}
    kept = frozenset(pk for one, pk in ids.items() if one not in desired)
    return Reconciled({**ids, **created}, kept, len(created), len(updates) - len(hardly), len(gone))


def _compared(
    scope: models.QuerySet[Any], key: Sequence[str], fields: Sequence[str], desired: Mapping[Key, Values]
) -> tuple[dict[Key, int], set[Key], set[Key]]:
    """The row of every key, the keys whose rows say what is desired, and those that do but for the version.

    No value outlives its comparison.
    """
    existing: dict[Key, int] = {}
    same: set[Key] = set()
    hardly: set[Key] = set()
    shown = [index for index, field in enumerate(fields) if field != _VERSION]
    for pk, *columns in scope.order_by().values_list("pk", *key, *fields).iterator():
        one, values = tuple(columns[: len(key)]), tuple(columns[len(key) :])
        existing[one] = pk
        if (wanted := desired.get(one)) == values:
            same.add(one)
        elif wanted is not None and all(wanted[index] == values[index] for index in shown):
            hardly.add(one)
    return existing, same, hardly


def _create(
    model: type[models.Model], key: Sequence[str], fields: Sequence[str], rows: Mapping[Key, Values]
) -> dict[Key, int]:
    ids = dict(zip(rows, bulk.reserve(model, len(rows)), strict=True))
    bulk.insert(model, ("id", *key, *fields), ((ids[one], *one, *values) for one, values in rows.items()))
    return ids
