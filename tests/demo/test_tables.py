from datetime import timedelta

import pytest

from demo.tables import claim_state, human_duration
from tests.demo.factories import claim


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (timedelta(seconds=-3), "0s"),
        (timedelta(seconds=119), "119s"),
        (timedelta(seconds=120), "2m"),
        (timedelta(minutes=9, seconds=59), "9m59s"),
        (timedelta(minutes=10, seconds=30), "10m"),
        (timedelta(minutes=179), "179m"),
        (timedelta(hours=3, minutes=20), "3h20m"),
        (timedelta(hours=47, minutes=59), "47h"),
        (timedelta(days=2, hours=5), "2d5h"),
        (timedelta(days=8, hours=5), "8d"),
        (timedelta(days=729), "729d"),
        (timedelta(days=800), "2y70d"),
        (timedelta(days=365 * 9), "9y"),
    ],
)
def test_ages_are_told_as_kubectl_tells_them(age: timedelta, shown: str) -> None:
    assert human_duration(age) == shown


@pytest.mark.parametrize(
    ("deleted", "status", "shown"),
    [
        (None, {}, "pending"),
        (None, {"allocation": {"devices": {}}}, "allocated"),
        (None, {"allocation": {"devices": {}}, "reservedFor": [{}]}, "allocated,reserved"),
        ("2026-11-29T12:00:00Z", {"allocation": {"devices": {}}}, "deleted,allocated"),
        ("2026-11-29T12:00:00Z", {}, "deleted"),
    ],
)
def test_states_are_told_as_kubectl_tells_them(
    deleted: str | None, status: dict[str, object], shown: str
) -> None:
    told = claim("a") | {"status": status}
    if deleted:
        told["metadata"]["deletionTimestamp"] = deleted
    assert claim_state(told) == shown
