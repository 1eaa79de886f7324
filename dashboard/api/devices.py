from collections.abc import Iterable

from django.db.models import QuerySet

from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Device
from inventory.queries import devices


class DeviceSerializer(RowSerializer):
    row = devices.DeviceRow


class Devices(Resource):
    """Devices: what each one publishes, how much of it is allocated, and what is left."""

    serializer_class = DeviceSerializer
    row = devices.DeviceRow
    filters = devices.DeviceFilter
    kinds = devices.KINDS

    def get_queryset(self) -> QuerySet[Device]:
        return devices.queryset()

    def rows(self, page: Iterable[Device]) -> list[devices.DeviceRow]:
        return devices.rows(page, viewer=self.viewer)

    def dimensions(self, queryset: QuerySet[Device]) -> list[str]:
        return devices.dimension_names(queryset)
