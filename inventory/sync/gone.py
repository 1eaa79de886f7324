"""Which rows' objects are no longer in the cluster."""

from typing import Any

from django.db.models import QuerySet

from inventory.sync.changes import Changes


def gone_by_uid(scope: QuerySet[Any], changes: Changes[Any]) -> list[int]:
    """Rows of objects that were deleted, or that a whole list no longer has; what cannot be read stays."""
    if changes.seen is None:
        return list(scope.filter(uid__in=changes.gone).values_list("pk", flat=True)) if changes.gone else []
    unread = changes.unread
    return [
        pk
        for pk, uid in scope.order_by().values_list("pk", "uid").iterator()
        if uid not in changes.seen.uids and not unread.holds_uid(uid)
    ]


def gone_by_name(scope: QuerySet[Any], changes: Changes[Any], namespace: str | None = None) -> list[int]:
    """The same for kinds whose rows are known by name; `namespace` is the path to that of the namespace."""
    if changes.seen is None:
        return gone_by_uid(scope, changes)
    unread, columns = changes.unread, ("pk", "uid", "name", *([namespace] if namespace else ()))
    return [
        pk
        for pk, uid, *place in scope.order_by().values_list(*columns).iterator()
        if uid not in changes.seen.uids and not unread.holds_name(*place)
    ]
