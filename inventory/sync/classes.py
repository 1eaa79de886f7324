"""Device classes and claim templates to rows: what people ask through."""

from typing import Any

from inventory.kube.objects import DeviceClass, ResourceClaimTemplate
from inventory.models import ClaimTemplate, Cluster
from inventory.models import DeviceClass as DeviceClassRow
from inventory.sync import bulk
from inventory.sync.changes import Changes
from inventory.sync.current import current
from inventory.sync.gone import gone_by_name
from inventory.sync.places import Places
from inventory.sync.reconcile import Key, Values, reconcile
from inventory.sync.touched import Touched

_CLASS_FIELDS = ("uid", "resource_version", "created_at", "extended_resource_name", "spec")
_TEMPLATE_FIELDS = ("cluster_id", "uid", "resource_version", "spec")


def write_classes(cluster: Cluster, changes: Changes[DeviceClass], touched: Touched) -> None:
    scope = DeviceClassRow.objects.filter(cluster=cluster)
    touched.changes += bulk.delete(DeviceClassRow, gone_by_name(scope, changes))
    for chunk in changes.chunks():
        desired: dict[Key, Values] = {
            (cluster.pk, one.metadata.name): (
                one.metadata.uid,
                one.metadata.resource_version,
                one.metadata.creation_timestamp,
                _text(one.spec.get("extendedResourceName")),
                one.spec,
            )
            for one in current(scope, chunk, changes)
        }
        rows = scope.filter(name__in=[name for _, name in desired])
        touched.changes += reconcile(
            DeviceClassRow, rows, ("cluster_id", "name"), _CLASS_FIELDS, desired
        ).changes


def write_templates(
    cluster: Cluster, places: Places, changes: Changes[ResourceClaimTemplate], touched: Touched
) -> None:
    scope = ClaimTemplate.objects.filter(cluster=cluster)
    deleted = bulk.delete(ClaimTemplate, gone_by_name(scope, changes, "namespace__name"))
    touched.left |= deleted > 0
    touched.changes += deleted
    for chunk in changes.chunks():
        templates = current(scope, chunk, changes)
        namespaces = places.namespaces({one.metadata.namespace for one in templates})
        desired: dict[Key, Values] = {
            (namespaces[one.metadata.namespace], one.metadata.name): (
                cluster.pk,
                one.metadata.uid,
                one.metadata.resource_version,
                one.spec,
            )
            for one in templates
        }
        rows = scope.filter(name__in=[name for _, name in desired])
        touched.changes += reconcile(
            ClaimTemplate,
            rows,
            ("namespace_id", "name"),
            _TEMPLATE_FIELDS,
            desired,
            # Templates of other namespaces have the same names.
            keep=lambda key: True,
        ).changes


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
