import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from openapi_spec_validator import validate

from dashboard.api import paging, parameters
from dashboard.api.urls import RESOURCES
from inventory.dra.simulator.explanation import Verdict
from inventory.dra.simulator.rejections import Check
from inventory.queries.usage.filters import UsageFilter
from tests.factories import make_cluster

COMMITTED = Path(__file__).parents[3] / "docs" / "openapi.yaml"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("schema") / "openapi.yaml"
    call_command("spectacular", "--file", str(path), "--fail-on-warn")
    return path.read_text()


@pytest.fixture(scope="module")
def description(generated: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(generated)
    return read


def test_the_committed_description_is_the_generated_one(generated: str) -> None:
    told = "run: python manage.py spectacular --file docs/openapi.yaml"
    assert COMMITTED.read_text() == generated, told


def test_it_is_valid_openapi_3_1(description: dict[str, Any]) -> None:
    assert description["openapi"].startswith("3.1")
    validate(description)


@pytest.mark.parametrize("name", RESOURCES)
def test_every_parameter_of_a_list_is_in_it(description: dict[str, Any], name: str) -> None:
    known = {*RESOURCES[name].filters.base_filters, *paging.PARAMETERS, *parameters.COMMON}
    assert _query(description, f"/api/v1/{name}/") == known


@pytest.mark.parametrize("name", RESOURCES)
def test_every_parameter_of_an_item_is_in_it(description: dict[str, Any], name: str) -> None:
    key = RESOURCES[name].lookup_field.replace("pk", "id")
    assert _query(description, f"/api/v1/{name}/{{{key}}}/") == set(parameters.COMMON)


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("usage/", {"step", "group_by", "limit", "offset", "fields"}),
        ("usage/report/", {"group_by", "limit", "offset", "fields"}),
        ("usage/allocations/", {"step"}),
    ],
)
def test_every_parameter_of_usage_is_in_it(description: dict[str, Any], path: str, more: set[str]) -> None:
    known = {*UsageFilter.base_filters, "from", "to", "tz", "format", *more}
    assert _query(description, f"/api/v1/{path}") == known


def test_numbers_over_time_have_the_fraction_beside_them(description: dict[str, Any]) -> None:
    hours = description["components"]["schemas"]["Hours"]["properties"]
    assert hours["value"] == {"anyOf": [{"type": "number"}, {"type": "null"}]}
    assert hours["exact"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_quantities_are_numbers_beside_their_text(description: dict[str, Any]) -> None:
    quantity = description["components"]["schemas"]["Quantity"]
    assert quantity["properties"]["value"]["type"] == "number"
    assert quantity["properties"]["quantity"]["type"] == "string"


def test_a_question_is_described_field_by_field_with_its_answers(description: dict[str, Any]) -> None:
    asked = description["paths"]["/api/v1/fit/"]["post"]
    assert asked["requestBody"]["required"] is True
    assert set(asked["responses"]) == {"200", "400", "401", "403", "404", "411", "413", "415", "429"}
    schemas = description["components"]["schemas"]
    question = schemas["FitQuestion"]
    assert question["additionalProperties"] is False
    assert all(field["description"] for field in question["properties"].values())
    assert set(schemas["Verdict"]["enum"]) == set(Verdict)
    assert set(schemas["Check"]["enum"]) == set(Check)


@pytest.mark.django_db
def test_the_examples_of_a_question_are_questions(api: Client, description: dict[str, Any]) -> None:
    make_cluster()
    body = description["paths"]["/api/v1/fit/"]["post"]["requestBody"]["content"]["application/json"]
    answers = [
        api.post("/api/v1/fit/", one["value"], content_type="application/json")
        for one in body["examples"].values()
    ]
    # Of a cluster that has nothing, a name is not found.
    assert [one.status_code for one in answers] == [404, 200]


def test_it_is_served(api: Client) -> None:
    response = api.get("/api/schema/")
    assert response.status_code == 200
    assert "/api/v1/devices/" in yaml.safe_load(response.content)["paths"]


def test_the_page_asks_nobody_else_for_anything(client: Client, operator: User) -> None:
    client.force_login(operator)
    page = client.get("/api/docs/").content.decode()
    assert "/api/v1/devices/" in page
    assets = re.findall(r"<(?:script|link|img)[^>]* (?:src|href)=\"([^\"]*)", page)
    assert assets
    assert all(asset.startswith("/static/") for asset in assets)


def test_a_form_of_the_page_leads_to_the_list_without_its_empty_fields(
    client: Client, operator: User
) -> None:
    client.force_login(operator)
    response = client.get("/api/docs/?try=/api/v1/devices/&state=free&q=&node=a%26b", follow=True)
    assert response.redirect_chain[-1] == ("/api/v1/devices/?state=free&node=a%26b", 302)


def test_the_page_shows_how_a_question_is_asked(client: Client, operator: User) -> None:
    client.force_login(operator)
    page = client.get("/api/docs/").content.decode()
    section = page[page.index("POST /api/v1/fit/") :]
    for shown in (
        "<code>manifest</code>",
        "A claim of the cluster, or else a Pod.",
        "&quot;deviceClassName&quot;",
    ):
        assert shown in section


@pytest.mark.parametrize("path", ["//evil.example.com/", "/api/v1/fit/"])
def test_the_page_leads_nowhere_else(client: Client, operator: User, path: str) -> None:
    client.force_login(operator)
    assert client.get(f"/api/docs/?try={path}").status_code == 200


def _query(description: dict[str, Any], path: str) -> set[str]:
    found = description["paths"][path]["get"]["parameters"]
    return {one["name"] for one in found if one["in"] == "query"}
