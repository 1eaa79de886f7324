"""How many rows there are of each cluster, as columns of the query that reads the clusters."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce


def number_of(rows: QuerySet[Any, Any]) -> Coalesce:
    """Of rows that have a `cluster`."""
    of_cluster = rows.filter(cluster=OuterRef("pk")).order_by().values("cluster")
    return Coalesce(Subquery(of_cluster.annotate(number=Count("pk")).values("number")), 0)
