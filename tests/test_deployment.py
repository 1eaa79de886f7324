"""The files for containers and clusters, judged without an engine and without a cluster."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from inventory.kube.kinds import DRA, KINDS
from tests.test_docs import variables_of

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = ("prepare", "web", "worker", "beat")


def role() -> dict[str, Any]:
    documents = yaml.safe_load_all((ROOT / "deploy/cluster-role.yaml").read_text())
    found: dict[str, Any] = next(each for each in documents if each["kind"] == "ClusterRole")
    return found


def test_the_role_lets_read_exactly_what_is_read() -> None:
    allowed = {
        (group, name) for rule in role()["rules"] for group in rule["apiGroups"] for name in rule["resources"]
    }
    assert allowed == {(kind.group, kind.resource) for kind in KINDS}
    assert (DRA, "resourceslices") in allowed


def test_the_role_lets_write_nothing() -> None:
    assert {verb for rule in role()["rules"] for verb in rule["verbs"]} == {"get", "list", "watch"}


def test_compose_has_the_product_a_database_and_a_broker() -> None:
    assert set(COMPOSE["services"]) == {*OURS, "postgresql", "redis"}


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_has_no_rights_and_a_read_only_root(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]


@pytest.mark.parametrize("name", OURS)
def test_compose_names_settings_that_exist(name: str) -> None:
    names = {key.removesuffix("_FILE") for key in COMPOSE["services"][name]["environment"]}
    assert names <= variables_of("dashboard/settings.py")


def test_what_serves_waits_until_the_database_is_prepared() -> None:
    for name in ("web", "worker", "beat"):
        assert (
            COMPOSE["services"][name]["depends_on"]["prepare"]["condition"]
            == "service_completed_successfully"
        )


def test_compose_holds_no_secret() -> None:
    for name, secret in COMPOSE["secrets"].items():
        assert secret == {"file": f"secrets/{name}"}
    assert "secrets/" in (ROOT / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("name", OURS)
def test_compose_takes_any_other_setting_from_a_file_that_need_not_be_there(name: str) -> None:
    assert COMPOSE["services"][name]["env_file"] == [{"path": "sliceboard.env", "required": False}]
    assert "sliceboard.env" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_image_is_made_of_files_that_exist_and_that_docker_may_see() -> None:
    sources = {
        source
        for line in re.findall(r"^COPY (?!--from)(.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        for source in line.split()[:-1]
    }
    seen = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert sources == seen
    assert [source for source in sources if not (ROOT / source).exists()] == []
