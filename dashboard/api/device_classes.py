from collections.abc import Iterable

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import DeviceClass
from inventory.queries import device_classes


class DeviceClassSerializer(RowSerializer):
    row = device_classes.DeviceClassRow


class DeviceClasses(Resource):
    """DeviceClasses with their selectors and extended resource name."""

    serializer_class = DeviceClassSerializer
    row = device_classes.DeviceClassRow
    filters = device_classes.DeviceClassFilter
    kinds = device_classes.KINDS

    def get_queryset(self) -> QuerySet[DeviceClass]:
        return device_classes.queryset()

    def rows(self, page: Iterable[DeviceClass]) -> list[device_classes.DeviceClassRow]:
        return device_classes.rows(page)
