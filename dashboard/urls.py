from django.contrib import admin
from django.urls import include, path
from django.utils.translation import gettext_lazy as _
from django.views.generic import RedirectView

from dashboard.access.sign_in import of_administration
from dashboard.metrics.view import Metrics

handler400 = "dashboard.api.problems.bad_request"
handler500 = "dashboard.api.problems.server_error"

admin.site.site_header = admin.site.site_title = _("Sliceboard administration")

urlpatterns = [
    # What everybody has, operators need not have a second time.
    path("admin/login/", of_administration),
    path("admin/password_change/", RedirectView.as_view(pattern_name="password")),
    path("admin/", admin.site.urls),
    path("api/", include("dashboard.api.urls")),
    path("metrics", Metrics.as_view(), name="metrics"),
    path("", include("dashboard.access.urls")),
    path("", include("dashboard.pages.urls")),
]
