import csv
from io import StringIO

import pytest
from django.test import Client

from dashboard.api import tables
from dashboard.api.urls import RESOURCES
from inventory.kube.quantity import parse
from inventory.queries.briefs import Workload
from inventory.queries.pools import CounterRow
from tests.dashboard.api.conftest import csv_text
from tests.factories import (
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_node,
    make_share,
    make_team,
)


def table(api: Client, path: str, **headers: str) -> list[dict[str, str]]:
    response = api.get(f"/api/v1/{path}", headers=headers)
    assert response.status_code == 200
    return list(csv.DictReader(StringIO(csv_text(response))))


def test_a_list_is_a_table_with_a_column_for_each_amount(api: Client) -> None:
    make_balance(make_device("gpu-0", node=make_node("n1")), "memory", "80Gi", "8Gi")
    (row,) = table(api, "devices/?format=csv")
    assert (row["name"], row["node"], row["accelerator"]) == ("gpu-0", "n1", "true")
    assert row["capacity.memory.total"] == str(80 * 2**30)
    assert row["capacity.memory.ratio"] == "0.100000"


def test_the_accept_header_asks_for_it_too(api: Client) -> None:
    make_device("gpu-0")
    assert table(api, "devices/", Accept="text/csv")[0]["name"] == "gpu-0"


def test_unknown_is_an_empty_cell_and_no_zero(api: Client) -> None:
    make_balance(make_device("a"), "memory", None, "0", reason="not published")
    make_balance(make_device("b"), "cores", "100", "0")
    first, second = table(api, "devices/?format=csv")
    assert (first["capacity.memory.total"], first["capacity.memory.allocated"]) == ("", "0")
    assert first["capacity.memory.reason"] == "not published"
    assert (second["capacity.memory.allocated"], second["capacity.cores.allocated"]) == ("", "0")


def test_several_names_are_one_cell(api: Client) -> None:
    device = make_device()
    for slug in ("vision", "nlp"):
        make_share(device, make_claim(namespace=make_namespace(slug, team=make_team(slug))))
    assert table(api, "devices/?format=csv")[0]["teams"] == "nlp;vision"


def test_a_share_has_what_it_consumes_and_what_it_holds(api: Client) -> None:
    make_share(make_device("gpu-0"), make_claim("train"), consumed={"memory": "1Gi"})
    (row,) = table(api, "shares/?format=csv")
    assert (row["device.name"], row["claim.name"]) == ("gpu-0", "train")
    assert (row["consumed.memory"], row["held.memory"]) == (str(2**30), str(2**30))


def test_only_the_columns_of_the_fields_asked_for_are_there(api: Client) -> None:
    make_device("gpu-0")
    assert table(api, "devices/?format=csv&fields=name,health") == [
        {"name": "gpu-0", "health.state": "untainted", "health.taints": ""}
    ]


def test_a_table_holds_everything_unless_a_page_is_asked_for(api: Client) -> None:
    for number in range(105):
        make_device(f"gpu-{number}", accelerator=False)
    assert len(table(api, "devices/?format=csv")) == 105
    assert len(table(api, "devices/?format=csv&limit=7&offset=100")) == 5


@pytest.mark.parametrize("name", RESOURCES)
def test_every_list_is_a_table_too(api: Client, name: str) -> None:
    response = api.get(f"/api/v1/{name}/?format=csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="{name}.csv"'
    assert csv_text(response).startswith("id,")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_a_cell_that_a_spreadsheet_would_run_is_led_by_an_apostrophe(start: str) -> None:
    response = tables.streamed("x", [("kind",), ("name",)], [Workload(f"{start}1+1", "-x")])
    lines = list(csv.reader(StringIO(csv_text(response), newline="")))
    assert lines[1] == [f"'{start}1+1", "'-x"]


def test_a_number_below_zero_stays_a_number() -> None:
    counter = CounterRow("gpu-0", "memory", None, None, parse("-20"), None)
    response = tables.streamed("x", [("counter",), ("remaining", "value")], [counter])
    assert csv_text(response).splitlines() == ["counter,remaining", "memory,-20"]


def test_a_title_that_a_spreadsheet_would_run_is_led_by_an_apostrophe() -> None:
    response = tables.streamed("x", [("=cmd",)], [])
    assert csv_text(response) == "'=cmd\r\n"
