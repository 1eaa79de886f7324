"""What there is to choose from in the filters of a page."""

from collections.abc import Iterable, Sequence

from inventory.models import Card, Cluster, DeviceClass, Namespace, Pod, Pool
from inventory.queries.slices import TeamBrief
from inventory.viewer import Viewer

# Stands for the empty name where one is chosen: an empty value is no condition.
NONE = "-"


def clusters() -> list[str]:
    return list(Cluster.objects.order_by("name").values_list("name", flat=True))


def teams(known: Iterable[TeamBrief]) -> list[tuple[str, str]]:
    return sorted(((team.slug, team.name) for team in known), key=lambda team: (team[1], team[0]))


def products() -> list[str]:
    """Of cards."""
    return [name for name in _products() if name]


def products_or_none(none: str) -> Sequence[str | tuple[str, str]]:
    """Of cards, and last, by its name here, what has none."""
    found = _products()
    return [*filter(None, found), *([(NONE, none)] if "" in found else [])]


def drivers() -> list[str]:
    return list(Pool.objects.order_by("driver").values_list("driver", flat=True).distinct())


def namespaces(*, viewer: Viewer) -> list[str]:
    """Those with Pods that are told of."""
    pods = Pod.objects.visible_to(viewer).order_by()
    named = Namespace.objects.filter(pk__in=pods.values("namespace"))
    return list(named.order_by("name").values_list("name", flat=True).distinct())


def device_classes() -> list[str]:
    return list(DeviceClass.objects.order_by("name").values_list("name", flat=True).distinct())


def _products() -> list[str]:
    return list(Card.objects.order_by("product").values_list("product", flat=True).distinct())
