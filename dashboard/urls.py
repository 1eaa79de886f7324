from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", include("dashboard.api.urls")),
    path("", include("dashboard.access.urls")),
    path("", include("dashboard.pages.urls")),
]
