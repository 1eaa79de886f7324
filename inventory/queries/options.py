"""What there is to choose from in the filters of a page."""

from collections.abc import Sequence

from inventory.models import Card, Cluster, DeviceClass, Namespace, Pod, Pool, Team

# Stands for the empty name where one is chosen: an empty value is no condition.
NONE = "-"


def clusters() -> list[str]:
    return list(Cluster.objects.order_by("name").values_list("name", flat=True))


def teams() -> list[tuple[str, str]]:
    return list(Team.objects.order_by("name").values_list("slug", "name"))


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


def namespaces() -> list[str]:
    """Those with Pods that are told of."""
    named = Namespace.objects.filter(pk__in=Pod.objects.order_by().values("namespace"))
    return list(named.order_by("name").values_list("name", flat=True).distinct())


def device_classes() -> list[str]:
    return list(DeviceClass.objects.order_by("name").values_list("name", flat=True).distinct())
