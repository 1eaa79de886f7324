"""Sign-in and sign-out, and what a user has of his own."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from dashboard.access import account, sign_in

urlpatterns: list[URLPattern | URLResolver] = [
    path("sign-in/", sign_in.SignIn.as_view(), name="login"),
    path("sign-out/", sign_in.SignOut.as_view(), name="logout"),
    path("account/tokens/", account.tokens, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", account.revoke, name="revoke_token"),
    path("account/password/", account.password, name="password"),
    path("account/sessions/", account.sessions, name="sessions"),
    path("account/sessions/end/", account.end_sessions, name="end_sessions"),
]
if settings.SLICEBOARD_OIDC_ISSUER:
    urlpatterns.append(path("", include("dashboard.access.oidc.urls")))
