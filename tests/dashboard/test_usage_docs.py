"""What docs/usage.md shows is what comes out."""

import csv
import re
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.api.usage_allocations import TITLES
from dashboard.api.usage_rows import GroupUsageRow
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.report import MOST_STEPS
from inventory.queries.usage.rows import UsageGroup
from tests.past import make_coverage, make_held, make_published, make_used

DOCUMENT = (Path(__file__).parents[2] / "docs" / "usage.md").read_text()
(SHOWN,) = re.findall(r"^```json\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
ASKED = re.findall(r'"\$URL(/api/v1/[^"]+)"', DOCUMENT)
HALF_A_DAY = 12


@pytest.fixture
def operator_of_past(db: None) -> Client:
    """A card of 60 GiB on which four shares were for ten hours, and a day that was not read."""
    make_coverage(0, 19 * 24)
    make_coverage(19 * 24 + HALF_A_DAY, 30 * 24 + HALF_A_DAY)
    make_published(capacity={"memory": "60Gi"})
    for _ in range(4):
        share = make_held(start=10, end=20, consumed={"memory": "20Gi"})
        make_used(share, f"pod-of-{share.pk}", start=10, end=20)
    client = Client()
    client.force_login(User.objects.create_superuser("operator"))
    return client


def decoded(text: str | bytes) -> Any:
    return msgspec.json.Decoder(float_hook=Decimal).decode(text)


def test_the_api_answers_what_the_document_shows(operator_of_past: Client) -> None:
    assert decoded(operator_of_past.get(ASKED[0]).content) == decoded(SHOWN)


def test_every_example_is_answered(operator_of_past: Client) -> None:
    assert len(ASKED) == 4
    for address in ASKED:
        assert operator_of_past.get(address).status_code == 200, address


def test_the_export_adds_up_to_the_report(operator_of_past: Client) -> None:
    response: Any = operator_of_past.get(ASKED[-1])
    lines = list(csv.DictReader(StringIO(b"".join(response.streaming_content).decode())))
    assert [line["GPUHoursExact"] for line in lines] == ["10/3"] * 4


def test_every_column_group_and_filter_is_explained() -> None:
    table = DOCUMENT[DOCUMENT.index("| column | in OpenCost |") :]
    first = "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|"))
    assert set(re.findall(r"`(\w+)`", first)) == set(TITLES.values())
    for name in (*UsageGroup, *UsageFilter.base_filters):
        assert f"`{name}`" in DOCUMENT
    hours = [name for name in GroupUsageRow.__struct_fields__ if name.endswith(("_hours", "_unknown"))]
    assert all(f"`{name}`" in DOCUMENT for name in hours)
    assert f"{MOST_STEPS} steps" in DOCUMENT
