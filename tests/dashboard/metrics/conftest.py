from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from knox.models import AuthToken
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from inventory.models import KindState
from tests.factories import READ_AT, make_cluster

Families = Mapping[str, Metric]
Scrape = Callable[[], Families]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Nobody has asked for anything in the last minute."""
    cache.clear()


@pytest.fixture
def scraper(db: None) -> Client:
    """A client with the token of an operator, as Prometheus has one."""
    _, token = AuthToken.objects.create(User.objects.create_superuser("prometheus"))
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def scrape(scraper: Client) -> Scrape:
    """The families of the page by their names, as Prometheus' own parser reads them."""

    def families() -> Families:
        return parsed(body(scraper.get("/metrics")))

    return families


def body(response: Any) -> str:
    assert response.status_code == 200, response.content
    return b"".join(response.streaming_content).decode()


def parsed(page: str) -> Families:
    found = list(text_string_to_metric_families(page))
    by_name = {one.name: one for one in found}
    assert len(by_name) == len(found), "a family is told twice"
    return by_name


def values(families: Families, name: str, *labels: str) -> dict[Any, float]:
    """The samples of a family by these labels: one label's value, or several in a row."""
    return {
        tuple(sample.labels[label] for label in labels) if len(labels) > 1 else sample.labels[labels[0]]: (
            sample.value
        )
        for sample in families[name].samples
    }


def make_kind(kind: str = "pods", **fields: object) -> KindState:
    return KindState.objects.create(
        **{"cluster": make_cluster(), "kind": kind, "state": "read", "succeeded_at": READ_AT, **fields}
    )
