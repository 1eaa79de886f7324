"""The addresses of a deployment that has a provider."""

from django.urls import include, path

urlpatterns = [
    path("", include("dashboard.access.oidc.urls")),
    path("", include("dashboard.urls")),
]

handler400 = "dashboard.api.problems.bad_request"
handler500 = "dashboard.api.problems.server_error"
