from django.contrib import admin
from django.urls import path

from dashboard import health

urlpatterns = [
    path("admin/", admin.site.urls),
    path("livez", health.livez),
    path("readyz", health.readyz),
]
