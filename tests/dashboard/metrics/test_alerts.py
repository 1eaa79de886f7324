"""Alerts ask for series that exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pytest_django import Settings

from dashboard import environment
from inventory.models.devices import DeviceState
from tests.dashboard.metrics.conftest import Families, Scrape, make_kind
from tests.factories import READ_AT, make_cluster, make_device

GROUPS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[3] / "deploy" / "alerts.yaml").read_text()
)["groups"]
RULES: list[dict[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]


@pytest.fixture
def told(scrape: Scrape, settings: Settings, valkey: str) -> Families:
    """Of a cluster with everything that an alert is about."""
    settings.CACHES = {"default": environment.cache(valkey)}
    cluster = make_cluster(compared_at=READ_AT, differences=1, error_reason="unreachable")
    make_kind(cluster=cluster, state="forbidden", error_reason="forbidden")
    make_device(state=DeviceState.OVER_ALLOCATED)
    return scrape()


def series(text: str) -> list[tuple[str, dict[str, str]]]:
    """The metrics that it names, each with the labels that it asks for."""
    found = re.findall(r"(sliceboard_\w+)(\{[^}]*\})?", text)
    return [(name, dict(re.findall(r'(\w+)="(\w+)"', asked))) for name, asked in found]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["alert"]))
def test_every_series_that_an_alert_names_exists(told: Families, rule: dict[str, Any]) -> None:
    samples = [sample for family in told.values() for sample in family.samples]
    for name, asked in series(f"{rule['expr']} {rule['annotations']}"):
        assert any(one.name == name and asked.items() <= one.labels.items() for one in samples), name


def test_every_label_of_an_annotation_is_one_of_the_series(told: Families) -> None:
    for rule in RULES:
        name, _ = series(rule["expr"])[0]
        labels = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
        assert labels <= told[name].samples[0].labels.keys(), rule["alert"]


def test_every_alert_says_how_bad_it_is_and_what_to_do() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"].keys() == {"summary", "description"}
