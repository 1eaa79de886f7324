import tomllib
from pathlib import Path

from inventory.version import VERSION

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_version_that_requests_carry_is_the_project_s() -> None:
    assert tomllib.loads(PROJECT.read_text())["project"]["version"] == VERSION
