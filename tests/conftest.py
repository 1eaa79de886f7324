import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from django.db import connections
from django.utils import translation

from dashboard.supervisor.broker import server_binary
from tests.services.broker import running_broker
from tests.services.postgresql import running_postgresql

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A test that asks for one of these reads or writes the database.
_DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--only-database", action="store_true", help="run the tests that use the database, without a browser"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--only-database"):
        return
    chosen = [item for item in items if _uses_database(item) and not item.get_closest_marker("browser")]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


def _uses_database(item: pytest.Item) -> bool:
    names = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or not names.isdisjoint(_DATABASE_FIXTURES)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a file, as in use: in memory it locks whole tables, and has no log to write ahead."""
    for connection in connections.all():
        if connection.vendor == "sqlite":
            file = tmp_path_factory.mktemp("database") / "test.sqlite3"
            connection.settings_dict["TEST"]["NAME"] = str(file)


@pytest.fixture(autouse=True)
def language_of_its_own() -> Iterator[None]:
    """The language of a request stays active in its thread; the next test begins without it."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a real PostgreSQL, for tests that are about the server itself."""
    with running_postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a real Valkey, which speaks as Redis does."""
    with running_broker(server_binary()) as url:
        yield url


@pytest.fixture(scope="session")
def redis_binary() -> Path:
    """A real Redis; where the machine has none, its tests are skipped, but never in CI."""
    path = os.environ.get("REDIS_SERVER") or shutil.which("redis-server")
    if path is None:
        _missing(
            "no Redis on this machine: install the package redis-server, or name one with REDIS_SERVER=/path"
        )
    return Path(path)


@pytest.fixture(scope="session")
def redis_server(redis_binary: Path) -> Iterator[str]:
    """The URL of one that runs."""
    with running_broker(redis_binary) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; where the machine has none, its tests are skipped, but never in CI."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if path is None:
        _missing("no Chromium on this machine: install the package chromium, or name one with CHROMIUM=/path")
    return path


def _missing(told: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(told)
    pytest.skip(told)
