from django.contrib import admin
from django.urls import include, path

from dashboard.access.sign_in import of_administration
from dashboard.metrics.view import Metrics

handler400 = "dashboard.api.problems.bad_request"
handler500 = "dashboard.api.problems.server_error"

urlpatterns = [
    path("admin/login/", of_administration),
    path("admin/", admin.site.urls),
    path("api/", include("dashboard.api.urls")),
    path("metrics", Metrics.as_view(), name="metrics"),
    path("", include("dashboard.access.urls")),
    path("", include("dashboard.pages.urls")),
]
