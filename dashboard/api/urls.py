"""The routes of the REST API."""

from typing import Any

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.routers import DefaultRouter
from rest_framework.views import APIView

from dashboard.api.claims import Claims
from dashboard.api.clusters import Clusters
from dashboard.api.conversions import ConversionsView
from dashboard.api.device_classes import DeviceClasses
from dashboard.api.devices import Devices
from dashboard.api.docs import docs
from dashboard.api.fit import Fit
from dashboard.api.nodes import Nodes
from dashboard.api.occupancy import Occupancy
from dashboard.api.pods import Pods
from dashboard.api.pools import Pools
from dashboard.api.quotas import Quotas
from dashboard.api.shares import Shares
from dashboard.api.teams import Teams
from dashboard.api.usage import Usage, UsageReports
from dashboard.api.usage_allocations import UsageAllocations
from dashboard.stream.view import Stream

RESOURCES = {
    "clusters": Clusters,
    "nodes": Nodes,
    "pools": Pools,
    "device-classes": DeviceClasses,
    "devices": Devices,
    "shares": Shares,
    "claims": Claims,
    "pods": Pods,
    "teams": Teams,
    "quotas": Quotas,
}


class Router(DefaultRouter):
    """`format` is a parameter here, never an ending of the path."""

    include_format_suffixes = False


class NotThere(APIView):
    """A path of no resource, answered as every other mistake is."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NotFound


_router = Router(use_regex_path=False)
for _prefix, _resource in RESOURCES.items():
    _router.register(_prefix, _resource, basename=_prefix)

urlpatterns = [
    path("v1/conversions/", ConversionsView.as_view(), name="conversions"),
    path("v1/fit/", Fit.as_view(), name="fit"),
    path("v1/occupancy/", Occupancy.as_view({"get": "list"}, basename="occupancy"), name="occupancy"),
    path("v1/usage/", Usage.as_view({"get": "list"}, basename="usage"), name="usage-series"),
    path(
        "v1/usage/report/",
        UsageReports.as_view({"get": "list"}, basename="usage-report"),
        name="usage-report",
    ),
    path(
        "v1/usage/allocations/",
        UsageAllocations.as_view({"get": "list"}, basename="usage-allocations"),
        name="usage-allocations",
    ),
    path("v1/stream/", Stream.as_view(), name="stream"),
    path("v1/", include(_router.urls)),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", docs, name="api-docs"),
    re_path(r"^.*/$", NotThere.as_view()),
]
