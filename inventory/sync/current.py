"""What of a chunk is to be written."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from inventory.kube.kinds import ObjectT
from inventory.sync.changes import Changes, newest, not_older


def current(scope: QuerySet[Any], chunk: Iterable[ObjectT], changes: Changes[ObjectT]) -> list[ObjectT]:
    """Each object once. Of events, without those of which a newer state is stored; a list is always newer."""
    objects = list(newest(chunk))
    if changes.seen is not None:
        return objects
    uids = [one.metadata.uid for one in objects]
    return not_older(objects, dict(scope.filter(uid__in=uids).values_list("uid", "resource_version")))
