"""One line for each page."""

from django.contrib.auth.decorators import login_not_required
from django.urls import path, register_converter
from django.views.i18n import set_language

from dashboard.pages import (
    changes,
    claims,
    clusters,
    convert,
    convert_pods,
    device,
    devices,
    find,
    fit,
    largest,
    nodes,
    overview,
    pods,
    teams,
    theme,
    usage,
    usage_month,
    waiting,
)
from dashboard.pages.usage_question import MonthConverter

register_converter(MonthConverter, "month")

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("changes/", changes.changes, name="changes"),
    path("devices/", devices.devices, name="devices"),
    path("devices/at/<str:at>/", devices.peek, name="peek"),
    path("devices/named/", device.device_by_name, name="device_by_name"),
    path("devices/<int:device_id>/", device.device, name="device"),
    path("nodes/", nodes.nodes, name="nodes"),
    path("nodes/largest/", largest.largest, name="largest"),
    path("nodes/<int:node_id>/", nodes.node, name="node"),
    path("nodes/<int:node_id>/largest/", largest.of_node, name="node_largest"),
    path("nodes/<str:cluster>/<path:name>/", nodes.node_by_name, name="node_by_name"),
    path("pods/", pods.pods, name="pods"),
    path("pods/<int:pod_id>/", pods.pod, name="pod"),
    path("pods/<int:pod_id>/fit/", fit.pod, name="pod_fit"),
    path("claims/", claims.claims, name="claims"),
    path("claims/waiting/", waiting.waiting, name="waiting"),
    path("claims/<int:claim_id>/", claims.claim, name="claim"),
    path("claims/<int:claim_id>/fit/", fit.claim, name="claim_fit"),
    path("convert/", convert.convert, name="convert"),
    path("convert/download/", convert.download, name="convert_download"),
    path("convert/saved/", convert.save, name="save_conversion"),
    path("convert/saved/<uuid:saved_id>/", convert.saved, name="saved_conversion"),
    path("convert/saved/<uuid:saved_id>/download/", convert.saved_download, name="saved_conversion_download"),
    path("convert/saved/<uuid:saved_id>/delete/", convert.forget, name="forget_conversion"),
    path("convert/pods/", convert_pods.ask, name="preview_pods"),
    path("convert/pods/<uuid:preview_id>/", convert_pods.record, name="conversion_preview"),
    path("convert/pods/<uuid:preview_id>/part/", convert_pods.part, name="conversion_preview_part"),
    path("convert/pods/<uuid:preview_id>/<int:number>/", convert_pods.pod, name="conversion_pod"),
    path("teams/", teams.teams, name="teams"),
    path("teams/<str:slug>/", teams.team, name="team"),
    path("teams/<str:slug>/largest/", teams.team_largest, name="team_largest"),
    path("usage/", usage.usage, name="usage"),
    path("usage/<month:asked>/", usage_month.usage_month, name="usage_month"),
    path("clusters/", clusters.clusters, name="clusters"),
    path("clusters/<str:name>/", clusters.cluster, name="cluster"),
    path("search", find.find, name="find"),
    path("theme/", theme.theme, name="theme"),
    path("language/", login_not_required(set_language), name="set_language"),
]
