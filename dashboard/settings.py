"""Django settings, all from environment variables; docs/configuration.md explains each."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF, UNSAFE_INLINE

from dashboard import environment
from inventory.dra.accelerators import DEFAULT_RULES

BASE_DIR = Path(__file__).resolve().parent.parent

# --- Where it runs ---

DEBUG = environment.boolean("SLICEBOARD_DEBUG", default=False)
SLICEBOARD_STATE = environment.folder("SLICEBOARD_STATE", BASE_DIR / ".state")

ALLOWED_HOSTS = environment.listing("SLICEBOARD_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = environment.listing("SLICEBOARD_TRUSTED_ORIGINS")
# Believe what a proxy says of the client.
_behind_proxy = environment.boolean("SLICEBOARD_BEHIND_PROXY", default=False)
ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"
# What `serve` runs: so many processes, in each of which so many requests are answered at a time.
SLICEBOARD_WEB_PROCESSES = environment.whole("SLICEBOARD_WEB_PROCESSES", 2, least=1, most=64)
SLICEBOARD_WEB_THREADS = environment.whole("SLICEBOARD_WEB_THREADS", 4, least=1, most=64)
# Streams that one user may have open in one of the processes.
SLICEBOARD_STREAMS_OF_USER = environment.whole("SLICEBOARD_STREAMS_OF_USER", 50, least=1, most=10_000)

# --- Clusters ---

SLICEBOARD_CLUSTERS = environment.listing("SLICEBOARD_CLUSTERS")
SLICEBOARD_POLL_SECONDS = environment.whole("SLICEBOARD_POLL_SECONDS", 15, least=1, most=60)
SLICEBOARD_STALE_SECONDS = environment.whole(
    "SLICEBOARD_STALE_SECONDS", max(60, 4 * SLICEBOARD_POLL_SECONDS), least=1, most=86_400
)
SLICEBOARD_LEASE_SECONDS = environment.whole("SLICEBOARD_LEASE_SECONDS", 60, least=10, most=3600)
SLICEBOARD_COMPARE_SECONDS = environment.whole("SLICEBOARD_COMPARE_SECONDS", 3600, least=60, most=604_800)
SLICEBOARD_SPLIT_MIB = environment.whole("SLICEBOARD_SPLIT_MIB", 512, least=1, most=1_000_000)
SLICEBOARD_ACCELERATORS = environment.listing("SLICEBOARD_ACCELERATORS", DEFAULT_RULES, separator=";")

# --- History ---

# How long it is kept, in days: every share and device with its times, sums by the hour and by the day, and
# what happened to claims.
SLICEBOARD_INTERVAL_DAYS = environment.whole("SLICEBOARD_INTERVAL_DAYS", 400, least=1, most=36_500)
SLICEBOARD_HOUR_DAYS = environment.whole("SLICEBOARD_HOUR_DAYS", 100, least=1, most=36_500)
SLICEBOARD_DAY_DAYS = environment.whole("SLICEBOARD_DAY_DAYS", 1825, least=1, most=36_500)
SLICEBOARD_EVENT_DAYS = environment.whole("SLICEBOARD_EVENT_DAYS", 100, least=1, most=36_500)

# --- Metrics ---

SLICEBOARD_METRICS_DEVICES = environment.boolean("SLICEBOARD_METRICS_DEVICES", default=True)
SLICEBOARD_METRICS_SHARES = environment.boolean("SLICEBOARD_METRICS_SHARES", default=False)

# --- Secrets ---

# The file is made at the first `run` or `demo`. Without any key Django refuses to sign, and the check
# sliceboard.E001 says what to do.
_key_file = SLICEBOARD_STATE / "secret-key"
SECRET_KEY = environment.text("SLICEBOARD_SECRET_KEY", environment.content(_key_file))
if DEBUG and not SECRET_KEY:
    SECRET_KEY = "for debugging only, known to everybody"  # noqa: S105
SECRET_KEY_FALLBACKS = environment.listing("SLICEBOARD_SECRET_KEY_FALLBACKS")

# --- Applications ---

INSTALLED_APPS = [
    "dashboard",
    "dashboard.access",
    "inventory",
    "rest_framework",
    "knox",
    "django_filters",
    "drf_spectacular",
    "csp",
    "axes",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "dashboard.health.HealthMiddleware",
    "dashboard.request_id.RequestIdMiddleware",
    "dashboard.access.audit.origin.AuditMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Nothing is readable anonymously but what says so itself.
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Turns the answer to a sign-in that is held back into one that says so.
    "axes.middleware.AxesMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# The page of a rule has four fields for each of its values, and a preset may find hundreds of them.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

# --- Database ---

DATABASES: dict[str, dict[str, Any]] = {
    "default": environment.database("DATABASE_URL", f"sqlite:///{SLICEBOARD_STATE / 'sliceboard.sqlite3'}")
}
_database = DATABASES["default"]
if _database["ENGINE"] == "django.db.backends.sqlite3":
    # One writer at a time, who waits for his turn at the start of a transaction and not in its middle,
    # where SQLite would refuse at once; readers go on meanwhile.
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        # 32 MiB of pages: a first reading writes more than the default of 2 MiB at once, in no order.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32768;",
    }
else:
    _database["CONN_MAX_AGE"] = 60
    _database["CONN_HEALTH_CHECKS"] = True

# --- Tasks ---

SLICEBOARD_BROKER_URL = environment.text("SLICEBOARD_BROKER_URL")

CELERY_BROKER_URL = SLICEBOARD_BROKER_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600, "socket_timeout": 30}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_DEFAULT_QUEUE = "sliceboard"
CELERY_TASK_IGNORE_RESULT = True
# A poll that dies with its worker is not sent again: the next one is due in seconds.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(SLICEBOARD_STATE / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "poll-clusters": {
        "task": "inventory.tasks.poll_clusters",
        "schedule": timedelta(seconds=SLICEBOARD_POLL_SECONDS),
        # Below the period, so that polls never pile up behind a worker that was away.
        "options": {"expires": SLICEBOARD_POLL_SECONDS * 0.9},
    },
    "compare-clusters": {
        "task": "inventory.tasks.compare_clusters",
        # A few of those whose turn it is.
        "schedule": timedelta(seconds=60),
        "options": {"expires": 50},
    },
    "add-up-usage": {
        "task": "inventory.tasks.add_up_usage",
        # Those of which an hour has ended, or was changed.
        "schedule": timedelta(seconds=60),
        "options": {"expires": 50},
    },
    "forget-the-past": {
        "task": "inventory.tasks.forget_the_past",
        "schedule": timedelta(hours=1),
        "options": {"expires": 1800},
    },
    "forget-what-is-old": {
        "task": "dashboard.access.tasks.forget_what_is_old",
        "schedule": timedelta(hours=6),
        "options": {"expires": 3600},
    },
}

# --- Cache ---

# It counts requests to the API, so it is the Redis that all web servers share; without one, what a single
# process remembers.
CACHES: dict[str, dict[str, Any]] = {"default": environment.cache(SLICEBOARD_BROKER_URL)}

# --- Sign-in ---

# Asked first, so that a sign-in that is held back never reaches the password.
AUTHENTICATION_BACKENDS = [
    "dashboard.access.brake.ManyFromOneAddress",
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Failures are counted in the database, which every web server shares. For a user and an address together:
# nobody can lock out a user from elsewhere, and one who mistypes locks out nobody else.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = environment.whole("SLICEBOARD_SIGN_IN_TRIES", 10, least=1, most=1000)
# Whoever tries many names from one address is held back as a whole.
SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS = environment.whole(
    "SLICEBOARD_SIGN_IN_TRIES_OF_ADDRESS", 100, least=1, most=100_000
)
AXES_COOLOFF_TIME = timedelta(
    minutes=environment.whole("SLICEBOARD_SIGN_IN_WAIT_MINUTES", 15, least=1, most=1440)
)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_CLIENT_IP_CALLABLE = "dashboard.access.brake.address"
AXES_LOCKOUT_CALLABLE = "dashboard.access.brake.told_to_wait"
# Sessions that know whose they are can be listed and ended.
SESSION_ENGINE = "dashboard.access.sessions"
SESSION_COOKIE_AGE = 3600 * environment.whole("SLICEBOARD_SESSION_HOURS", 336, least=1, most=8760)
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
# The first operator, made at the start unless there is such a user.
SLICEBOARD_OPERATOR_NAME = environment.text("SLICEBOARD_OPERATOR_NAME")
SLICEBOARD_OPERATOR_PASSWORD = environment.text("SLICEBOARD_OPERATOR_PASSWORD")

# Sign-in at an OpenID provider; without an issuer nothing of it is loaded.
SLICEBOARD_OIDC_ISSUER = environment.text("SLICEBOARD_OIDC_ISSUER")
SLICEBOARD_OIDC_CLIENT_ID = environment.text("SLICEBOARD_OIDC_CLIENT_ID")
SLICEBOARD_OIDC_CLIENT_SECRET = environment.text("SLICEBOARD_OIDC_CLIENT_SECRET")
SLICEBOARD_OIDC_NAME = environment.text("SLICEBOARD_OIDC_NAME", "OpenID")
SLICEBOARD_OIDC_SCOPES = environment.text("SLICEBOARD_OIDC_SCOPES", "openid profile email")
SLICEBOARD_OIDC_GROUPS_CLAIM = environment.text("SLICEBOARD_OIDC_GROUPS_CLAIM", "groups")
# Names of groups may hold commas.
SLICEBOARD_OIDC_OPERATOR_GROUPS = environment.listing("SLICEBOARD_OIDC_OPERATOR_GROUPS", separator=";")
SLICEBOARD_OIDC_TEAMS = environment.listing("SLICEBOARD_OIDC_TEAMS", separator=";")

# How long the audit log is kept.
SLICEBOARD_AUDIT_DAYS = environment.whole("SLICEBOARD_AUDIT_DAYS", 730, least=1, most=36_500)

# --- REST ---

REST_FRAMEWORK: dict[str, Any] = {
    # The first one decides that an anonymous request gets 401 and not 403.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "dashboard.access.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "dashboard.access.tokens.ScopeOfToken",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_RENDERER_CLASSES": ["dashboard.api.renderers.JsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "dashboard.api.renderers.Negotiation",
    "EXCEPTION_HANDLER": "dashboard.api.problems.answer_exception",
    "DEFAULT_THROTTLE_CLASSES": ["dashboard.api.throttles.OfUser"],
    "DEFAULT_THROTTLE_RATES": {
        "user": f"{environment.whole('SLICEBOARD_API_RATE', 1200, least=1, most=1_000_000)}/minute",
        "refused": "60/minute",
    },
    # Otherwise a client could write itself another address at each request.
    "NUM_PROXIES": 1 if _behind_proxy else 0,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Sliceboard",
    "DESCRIPTION": "Which Pod holds which slice of which card, and what is left. docs/api.md has the rules.",
    "VERSION": "v1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [],
    "SORT_OPERATION_PARAMETERS": False,
}
# The longest that a token may live.
SLICEBOARD_TOKEN_DAYS = environment.whole("SLICEBOARD_TOKEN_DAYS", 365, least=1, most=3650)
# Its default, which our table of tokens refers to.
KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105
REST_KNOX = {
    "AUTH_HEADER_PREFIX": "Bearer",
    "SECURE_HASH_ALGORITHM": "hashlib.sha512",
    "TOKEN_TTL": timedelta(days=SLICEBOARD_TOKEN_DAYS),
}

# --- What a browser may do ---

_secure_cookies = environment.boolean("SLICEBOARD_SECURE_COOKIES", default=not DEBUG)
SESSION_COOKIE_SECURE = _secure_cookies
CSRF_COOKIE_SECURE = _secure_cookies
LANGUAGE_COOKIE_SECURE = _secure_cookies
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = environment.boolean("SLICEBOARD_SSL_REDIRECT", default=False)
SECURE_HSTS_SECONDS = environment.whole("SLICEBOARD_HSTS_SECONDS", 0, least=0, most=63_072_000)
# Whether other names of the domain speak HTTPS is not ours to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
if _behind_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    USE_X_FORWARDED_HOST = True

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        # Plotly fills one <style> element, empty when it is put into the page: this is the hash of nothing.
        "style-src": [SELF, "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"],
        "style-src-attr": [UNSAFE_INLINE],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

# --- Static files ---

STATIC_URL = "static/"
STATIC_ROOT = environment.folder("SLICEBOARD_STATIC_ROOT", SLICEBOARD_STATE / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- Language and time ---

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Logging ---

_log_level = environment.choice("SLICEBOARD_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"pairs": {"()": "dashboard.logs.PairsFormatter"}},
    "filters": {"request_id": {"()": "dashboard.request_id.RequestIdFilter"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "pairs", "filters": ["request_id"]},
    },
    "root": {"handlers": ["stderr"], "level": _log_level},
    "loggers": {
        "django": {"handlers": [], "level": _log_level, "propagate": True},
        # Tells every sign-in that went well in four lines.
        "axes": {"level": "WARNING"},
        # Their debug output quotes request headers, bodies and PKCE verifiers, and with them tokens.
        "authlib": {"level": "INFO"},
        "urllib3": {"level": "INFO"},
        "kubernetes": {"level": "INFO"},
        "django.db.backends": {"level": "INFO"},
    },
}
