"""Make the rows of one table equal to what was read, by their difference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models

Key = tuple[Any, ...]
Values = tuple[Any, ...]

_BATCH = 500


@dataclass(frozen=True)
class Reconciled:
    """The row of every key afterwards, and how many rows were written or removed."""

    ids: dict[Key, int] = field(default_factory=dict)
    # Rows that are not desired but were kept.
    kept: frozenset[int] = frozenset()
    created: int = 0
    updated: int = 0
    deleted: int = 0

    @property
    def changes(self) -> int:
        return self.created + self.updated + self.deleted


def reconcile(
    model: type[models.Model],
    scope: models.QuerySet[Any],
    key: Sequence[str],
    fields: Sequence[str],
    desired: Mapping[Key, Values],
    *,
    keep: Callable[[Key], bool] = lambda key: False,
) -> Reconciled:
    """Create, update and delete rows in `scope` until they say what `desired` says.

    `key` and `fields` name columns (`claim_id`, not `claim`), in the order of the keys and values of
    `desired`. Rows for whose key `keep` holds stay as they are though they are not desired.
    """
    existing = {row[1 : 1 + len(key)]: (row[0], row[1 + len(key) :]) for row in _rows(scope, key, fields)}
    changed = {
        one: values for one, values in desired.items() if one not in existing or existing[one][1] != values
    }
    gone = [row[0] for one, row in existing.items() if one not in desired and not keep(one)]
    # Deletions first: a freed unique value (a name that came back under another UID) may be taken again.
    for start in range(0, len(gone), _BATCH):
        model._default_manager.filter(pk__in=gone[start : start + _BATCH]).delete()
    updates = {one: values for one, values in changed.items() if one in existing}
    creations = {one: values for one, values in changed.items() if one not in existing}
    _update(model, key, fields, [(existing[one][0], one, values) for one, values in updates.items()])
    created = _create(model, key, fields, creations)
    ids = {one: row[0] for one, row in existing.items() if one in desired or keep(one)}
    kept = frozenset(row for one, row in ids.items() if one not in desired)
    return Reconciled({**ids, **created}, kept, len(creations), len(updates), len(gone))


def _rows(scope: models.QuerySet[Any], key: Sequence[str], fields: Sequence[str]) -> list[tuple[Any, ...]]:
    return list(scope.order_by().values_list("pk", *key, *fields))


def _create(
    model: type[models.Model], key: Sequence[str], fields: Sequence[str], rows: Mapping[Key, Values]
) -> dict[Key, int]:
    objects = [
        model(**dict(zip((*key, *fields), (*one, *values), strict=True))) for one, values in rows.items()
    ]
    created = model._default_manager.bulk_create(objects, batch_size=_BATCH)
    return {one: row.pk for one, row in zip(rows, created, strict=True)}


def _update(
    model: type[models.Model],
    key: Sequence[str],
    fields: Sequence[str],
    rows: Sequence[tuple[int, Key, Values]],
) -> None:
    """An upsert on the primary key: many times faster than UPDATE … CASE on both databases."""
    if not rows:
        return
    columns = ("pk", *key, *fields)
    objects = [model(**dict(zip(columns, (pk, *one, *values), strict=True))) for pk, one, values in rows]
    names = [model._meta.get_field(name.removesuffix("_id")).name for name in fields]
    model._default_manager.bulk_create(
        objects, batch_size=_BATCH, update_conflicts=True, unique_fields=["pk"], update_fields=names
    )
