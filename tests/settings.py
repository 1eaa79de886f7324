"""The product's settings, with what a test run has otherwise."""

from dashboard.settings import *  # noqa: F403

SECRET_KEY = "known to everybody"

# Strong hashes are slow on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Without collectstatic there is no manifest.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# The test client and the live server speak plain HTTP.
SESSION_COOKIE_SECURE = False
CSRF_COOKIE_SECURE = False

# Nobody has collected static files here.
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
