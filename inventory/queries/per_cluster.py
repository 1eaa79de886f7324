"""How many rows there are, of each cluster or at all, as columns of the query that reads the clusters."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce


def number_of(rows: QuerySet[Any, Any]) -> Coalesce:
    """Of rows that have a `cluster`."""
    of_cluster = rows.filter(cluster=OuterRef("pk")).order_by().values("cluster")
    return Coalesce(Subquery(of_cluster.annotate(number=Count("pk")).values("number")), 0)


def number_of_all(rows: QuerySet[Any, Any]) -> Coalesce:
    """The same beside each cluster: the database counts once, and by the index that suits the rows."""
    every = rows.order_by().annotate(every=Value(1)).values("every")
    return Coalesce(Subquery(every.annotate(number=Count("pk")).values("number")), 0)
