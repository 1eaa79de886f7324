"""What there is to choose from in the filters of a page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from inventory.models import Card, Cluster, DeviceClass, Namespace, Pod, Pool
from inventory.queries.at_once import Questions
from inventory.queries.slices import TeamBrief, teams_of, teams_query
from inventory.viewer import Viewer

# Stands for the empty name where one is chosen: an empty value is no condition.
NONE = "-"


class Options:
    """Several of them, asked for with other things."""

    def __init__(self, *names: str, viewer: Viewer, questions: Questions) -> None:
        self._asked = {name: questions.ask(_QUERIES[name](viewer)) for name in names}

    @property
    def clusters(self) -> list[str]:
        return self._names("clusters")

    @property
    def products(self) -> list[str]:
        """Of cards."""
        return [name for name in self._names("products") if name]

    def products_or_none(self, none: str) -> Sequence[str | tuple[str, str]]:
        """Of cards, and last, by its name here, what has none."""
        return [*self.products, *([(NONE, none)] if "" in self._names("products") else [])]

    @property
    def drivers(self) -> list[str]:
        return self._names("drivers")

    @property
    def namespaces(self) -> list[str]:
        """Those with Pods that are told of."""
        return self._names("namespaces")

    @property
    def device_classes(self) -> list[str]:
        return self._names("device_classes")

    @property
    def briefs(self) -> dict[int, TeamBrief]:
        """Of teams, by their ids."""
        return teams_of(self._asked["teams"].rows)

    @property
    def teams(self) -> list[tuple[str, str]]:
        return [(team.slug, team.name) for team in self.briefs.values()]

    def _names(self, name: str) -> list[str]:
        return [one for (one,) in self._asked[name].rows]


def _namespaces(viewer: Viewer) -> QuerySet[Any, Any]:
    pods = Pod.objects.visible_to(viewer).order_by()
    named = Namespace.objects.filter(pk__in=pods.values("namespace"))
    return named.order_by("name").values_list("name").distinct()


_QUERIES: Mapping[str, Callable[[Viewer], QuerySet[Any, Any]]] = {
    "clusters": lambda _: Cluster.objects.order_by("name").values_list("name"),
    "products": lambda _: Card.objects.order_by("product").values_list("product").distinct(),
    "drivers": lambda _: Pool.objects.order_by("driver").values_list("driver").distinct(),
    "namespaces": _namespaces,
    "device_classes": lambda _: DeviceClass.objects.order_by("name").values_list("name").distinct(),
    "teams": teams_query,
}


def clusters() -> list[str]:
    return list(Cluster.objects.order_by("name").values_list("name", flat=True))
