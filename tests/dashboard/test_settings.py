import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KEY = {"SLICEBOARD_SECRET_KEY": "for-this-test-only-and-long-enough-to-be-taken-for-a-secret-key-0123456789"}
OPENID = {
    "SLICEBOARD_OIDC_ISSUER": "https://login.example.org",
    "SLICEBOARD_OIDC_CLIENT_ID": "sliceboard",
    "SLICEBOARD_OIDC_TEAMS": "/vision=vision;/vision/leads=vision:lead",
}

SHOW = """
import json, sys
from dashboard import settings
print(json.dumps({name: getattr(settings, name, None) for name in sys.argv[1:]}, default=str))
"""


def run(state: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """In a fresh interpreter, with nothing in its environment but this."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(state), "SLICEBOARD_STATE": str(state), **environment}
    return subprocess.run(
        (sys.executable, *arguments), cwd=ROOT, env=clean, capture_output=True, text=True, check=False
    )


def settings(state: Path, environment: dict[str, str], *names: str) -> Any:
    done = run(state, environment, "-c", SHOW, *names)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout).values())


def test_without_any_setting_it_is_safe_and_on_this_machine_alone(tmp_path: Path) -> None:
    debug, key, hosts, secure, databases = settings(
        tmp_path, {}, "DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "SESSION_COOKIE_SECURE", "DATABASES"
    )
    assert (debug, key, secure) == (False, "", True)
    assert hosts == ["localhost", "127.0.0.1", "[::1]"]
    assert databases["default"]["NAME"] == str(tmp_path / "sliceboard.sqlite3")


@pytest.mark.parametrize(("chosen", "secure"), [({}, True), ({"SLICEBOARD_SECURE_COOKIES": "0"}, False)])
def test_one_switch_is_for_all_cookies(tmp_path: Path, chosen: dict[str, str], secure: bool) -> None:
    names = [f"{name}_COOKIE_SECURE" for name in ("SESSION", "CSRF", "LANGUAGE")]
    assert settings(tmp_path, chosen, *names) == [secure] * 3


def test_the_secret_key_may_come_from_a_file_or_from_the_state_folder(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text("kept\n")
    (tmp_path / "other").write_text("mounted\n")
    assert settings(tmp_path, {}, "SECRET_KEY") == ["kept"]
    mounted = {"SLICEBOARD_SECRET_KEY_FILE": str(tmp_path / "other")}
    assert settings(tmp_path, mounted, "SECRET_KEY") == ["mounted"]


def test_a_database_url_takes_the_place_of_the_embedded_one(tmp_path: Path) -> None:
    url = {"DATABASE_URL": "postgresql://board:pass@db/sliceboard"}
    (databases,) = settings(tmp_path, url, "DATABASES")
    assert databases["default"]["ENGINE"] == "django.db.backends.postgresql"
    assert databases["default"]["CONN_HEALTH_CHECKS"] is True


def test_polls_expire_before_the_next_one_is_due(tmp_path: Path) -> None:
    (schedule,) = settings(tmp_path, {"SLICEBOARD_POLL_SECONDS": "10"}, "CELERY_BEAT_SCHEDULE")
    assert schedule["poll-clusters"]["schedule"] == "0:00:10"
    assert schedule["poll-clusters"]["options"]["expires"] == 9


def test_the_header_of_a_proxy_is_believed_only_when_asked(tmp_path: Path) -> None:
    assert settings(tmp_path, {}, "SECURE_PROXY_SSL_HEADER") == [None]
    (header,) = settings(tmp_path, {"SLICEBOARD_BEHIND_PROXY": "1"}, "SECURE_PROXY_SSL_HEADER")
    assert header == ["HTTP_X_FORWARDED_PROTO", "https"]


def test_a_sign_in_lasts_two_weeks_or_as_long_as_it_is_told(tmp_path: Path) -> None:
    assert settings(tmp_path, {}, "SESSION_COOKIE_AGE") == [14 * 86_400]
    assert settings(tmp_path, {"SLICEBOARD_SESSION_HOURS": "8"}, "SESSION_COOKIE_AGE") == [8 * 3600]


def test_libraries_that_tell_secrets_to_developers_tell_none_of_them(tmp_path: Path) -> None:
    (logging,) = settings(tmp_path, {"SLICEBOARD_LOG_LEVEL": "DEBUG"}, "LOGGING")
    assert logging["root"]["level"] == "DEBUG"
    for name in ("authlib", "urllib3", "kubernetes"):
        assert logging["loggers"][name]["level"] == "INFO"


def test_nonsense_is_refused_by_name(tmp_path: Path) -> None:
    done = run(tmp_path, {"SLICEBOARD_POLL_SECONDS": "soon"}, "-c", SHOW)
    assert done.returncode == 1
    assert "SLICEBOARD_POLL_SECONDS: 'soon' is not a whole number from 1 to 60." in done.stderr


def test_reading_the_settings_writes_nothing(tmp_path: Path) -> None:
    settings(tmp_path / "state", {}, "DEBUG")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("provider", [{}, OPENID], ids=["passwords", "openid"])
def test_in_production_every_deployment_check_of_django_is_content(
    provider: dict[str, str], tmp_path: Path
) -> None:
    production = {**KEY, **provider, "SLICEBOARD_SSL_REDIRECT": "1", "SLICEBOARD_HSTS_SECONDS": "31536000"}
    done = run(tmp_path, production, "manage.py", "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("environment", "identifier", "words"),
    [
        ({}, "sliceboard.E001", "SLICEBOARD_SECRET_KEY is not set."),
        ({**KEY, "SLICEBOARD_ACCELERATORS": "gpu.*;!"}, "sliceboard.E002", "SLICEBOARD_ACCELERATORS:"),
        ({**KEY, "SLICEBOARD_CLUSTERS": "lab"}, "sliceboard.E003", "SLICEBOARD_CLUSTERS: 'lab'"),
        ({**KEY, **OPENID, "SLICEBOARD_OIDC_CLIENT_ID": ""}, "sliceboard.E004", "SLICEBOARD_OIDC_CLIENT_ID"),
        ({**KEY, **OPENID, "SLICEBOARD_OIDC_ISSUER": "login"}, "sliceboard.E004", "SLICEBOARD_OIDC_ISSUER"),
        ({**KEY, **OPENID, "SLICEBOARD_OIDC_SCOPES": "email"}, "sliceboard.E004", "SLICEBOARD_OIDC_SCOPES"),
        ({**KEY, **OPENID, "SLICEBOARD_OIDC_TEAMS": "x"}, "sliceboard.E004", "SLICEBOARD_OIDC_TEAMS: 'x'"),
        ({**KEY, "SLICEBOARD_STALE_SECONDS": "5"}, "sliceboard.W001", "SLICEBOARD_STALE_SECONDS (5)"),
    ],
)
def test_a_check_says_what_cannot_work_and_what_to_do(
    environment: dict[str, str], identifier: str, words: str, tmp_path: Path
) -> None:
    done = run(tmp_path, environment, "manage.py", "check", "--fail-level", "WARNING")
    assert done.returncode == 1
    assert f"({identifier}) {words}" in done.stderr
    assert "HINT:" in done.stderr


@pytest.mark.parametrize("program", ["worker", "beat"])
def test_celery_without_a_broker_says_so_instead_of_looking_for_another_one(
    program: str, tmp_path: Path
) -> None:
    done = run(tmp_path, KEY, "-m", "celery", "--app=dashboard", program)
    assert done.returncode != 0
    assert "SLICEBOARD_BROKER_URL is not set" in done.stderr
