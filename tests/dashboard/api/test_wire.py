from datetime import UTC, datetime
from decimal import Decimal

import pytest

from dashboard.api.wire import encode, wire
from inventory.kube.quantity import parse
from inventory.queries.briefs import Workload


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("8Gi", b'{"quantity":"8Gi","value":8589934592}'),
        ("500m", b'{"quantity":"500m","value":0.5}'),
        ("0", b'{"quantity":"0","value":0}'),
        ("9007199254740993", b'{"quantity":"9007199254740993","value":9007199254740993}'),
        (
            "9223372036854775807001m",
            b'{"quantity":"9223372036854775807001m","value":9223372036854775807.001}',
        ),
    ],
)
def test_a_quantity_is_written_digit_by_digit(text: str, written: bytes) -> None:
    assert encode(wire(parse(text))) == written


def test_a_ratio_keeps_its_six_places() -> None:
    assert encode(Decimal("0.500000")) == b"0.500000"


def test_times_are_utc_and_say_so() -> None:
    assert encode(datetime(2026, 11, 29, 15, 0, tzinfo=UTC)) == b'"2026-11-29T15:00:00Z"'


def test_rows_and_what_they_hold_become_plain() -> None:
    assert wire({"a": (Workload("Job", "train"),)}) == {"a": [{"kind": "Job", "name": "train"}]}
