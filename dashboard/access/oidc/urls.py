"""Only where a provider is set."""

from django.urls import path

from dashboard.access.oidc import views

urlpatterns = [
    path("sign-in/openid/", views.begin, name="openid"),
    path("sign-in/openid/callback/", views.callback, name="openid_callback"),
    path("sign-out/openid/", views.leave, name="openid_leave"),
]
