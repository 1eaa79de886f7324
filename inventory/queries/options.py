"""What there is to choose from in the filters of a page."""

from collections.abc import Sequence

from inventory.models import Card, Cluster, DeviceClass, Namespace, Pod, Pool, Team
from inventory.viewer import Viewer

# Stands for the empty name where one is chosen: an empty value is no condition.
NONE = "-"


def clusters() -> list[str]:
    return list(Cluster.objects.order_by("name").values_list("name", flat=True))


def teams(*, viewer: Viewer) -> list[tuple[str, str]]:
    return list(Team.objects.visible_to(viewer).order_by("name").values_list("slug", "name"))


def products() -> list[str]:
    """Of cards."""
    return list(
        Card.objects.exclude(product="").order_by("product").values_list("product", flat=True).distinct()
    )


def products_or_none(none: str) -> Sequence[str | tuple[str, str]]:
    """Of cards, and last, by its name here, what has none."""
    nameless = Card.objects.filter(product="").exists()
    return [*products(), *([(NONE, none)] if nameless else [])]


def drivers() -> list[str]:
    return list(Pool.objects.order_by("driver").values_list("driver", flat=True).distinct())


def namespaces(*, viewer: Viewer) -> list[str]:
    """Those with Pods that are told of."""
    pods = Pod.objects.visible_to(viewer).order_by()
    named = Namespace.objects.filter(pk__in=pods.values("namespace"))
    return list(named.order_by("name").values_list("name", flat=True).distinct())


def device_classes() -> list[str]:
    return list(DeviceClass.objects.order_by("name").values_list("name", flat=True).distinct())
