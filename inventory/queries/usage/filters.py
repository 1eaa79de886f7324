"""Of what part of the past usage is asked."""

from collections.abc import Collection

import msgspec
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from inventory.history.sweep import Device, Workload
from inventory.models import Cluster, ShareInterval
from inventory.queries.filters import Filters, Names, cluster_filter


class AnyOf(Names):
    """Looked at where it is known: with the device, or with the Pods, of an instant."""

    def filter(self, qs: QuerySet[ShareInterval], value: object) -> QuerySet[ShareInterval]:
        return qs


class UsageFilter(Filters):
    """Names are those of the time; of a workload also with its kind, as in `Deployment/web`."""

    cluster = cluster_filter()
    team = Names(field_name="team_slug")
    namespace = Names(field_name="namespace")
    product = AnyOf()
    driver = Names(field_name="driver")
    pool = Names(field_name="pool")
    device = Names(field_name="device")
    device_class = Names(field_name="device_class")
    node = AnyOf()
    workload = AnyOf()
    claim = Names(field_name="claim_name")

    class Meta:
        model = ShareInterval
        fields = ()


class Wanted(msgspec.Struct, frozen=True):
    """The conditions of a filter; an empty one holds of everything."""

    cluster: frozenset[str]
    team: frozenset[str]
    namespace: frozenset[str]
    product: frozenset[str]
    driver: frozenset[str]
    pool: frozenset[str]
    device: frozenset[str]
    device_class: frozenset[str]
    node: frozenset[str]
    workload: frozenset[str]
    claim: frozenset[str]

    @property
    def names_a_holder(self) -> bool:
        return bool(self.team or self.namespace or self.workload or self.claim)

    @property
    def is_of_single_shares(self) -> bool:
        """No sums are kept by any of these."""
        return bool(self.pool or self.device or self.device_class or self.workload or self.claim)

    def clusters(self) -> dict[int, str]:
        found = Cluster.objects.filter(Q(name__in=self.cluster) if self.cluster else Q())
        return dict(found.order_by("name").values_list("pk", "name"))

    def has_device(self, device: Device) -> bool:
        return (
            _among(device.key.driver, self.driver)
            and _among(device.key.pool, self.pool)
            and _among(device.key.device, self.device)
            and _among(device.product, self.product)
            and _among(device.node, self.node)
        )

    def has_workload(self, workload: Workload | None) -> bool:
        if not self.workload:
            return True
        return workload is not None and not self.workload.isdisjoint(
            (workload.name, f"{workload.kind}/{workload.name}")
        )


def wanted(filters: UsageFilter) -> Wanted:
    """Raises ValidationError where a value is not allowed."""
    if not filters.form.is_valid():
        raise ValidationError(filters.form.errors.as_data())
    given = filters.form.cleaned_data
    return Wanted(**{name: frozenset(given.get(name) or ()) for name in Wanted.__struct_fields__})


def _among(value: str, allowed: Collection[str]) -> bool:
    return not allowed or value in allowed
