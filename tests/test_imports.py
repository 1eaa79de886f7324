"""What the import rules promise, in a fresh interpreter: an `__init__` can spoil what lint does not see."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRAMEWORKS = ("django", "rest_framework", "celery", "redis", "psycopg", "plotly")
NETWORK = ("kubernetes", "urllib3", "requests", "socket", "ssl", "subprocess")

LOADED = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*{name.partition(".")[0] for name in sys.modules})
"""


def modules(package: str) -> list[str]:
    """Of the package, with those of its sub-packages."""
    files = sorted((ROOT / package.replace(".", "/")).rglob("*.py"))
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in files
    ]


def loaded_by(*names: str) -> set[str]:
    done = subprocess.run(
        (sys.executable, "-c", LOADED, *names), cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "package", ["inventory.kube", "inventory.dra", "inventory.history", "inventory.hami"]
)
def test_a_pure_package_loads_no_framework(package: str) -> None:
    assert loaded_by(*modules(package)).isdisjoint(FRAMEWORKS)


@pytest.mark.parametrize("package", ["inventory.dra", "inventory.history", "inventory.hami"])
def test_the_books_load_nothing_that_reaches_the_network(package: str) -> None:
    assert loaded_by(*modules(package)).isdisjoint(NETWORK)


def test_cluster_access_loads_the_kubernetes_client_only_when_it_connects() -> None:
    assert "kubernetes" not in loaded_by("inventory.kube.connection")


def test_the_demo_cluster_loads_neither_framework_nor_product() -> None:
    loaded = loaded_by(*(name for name in modules("demo") if not name.endswith("__main__")))
    assert loaded.isdisjoint({*FRAMEWORKS, "dashboard"})


@pytest.mark.parametrize(
    "package", ["inventory", "inventory.kube", "inventory.dra", "inventory.history", "inventory.hami"]
)
def test_what_stands_above_pure_modules_is_empty(package: str) -> None:
    assert (ROOT / package.replace(".", "/") / "__init__.py").read_text() == ""
