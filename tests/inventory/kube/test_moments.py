"""Points in time that a cluster tells."""

from datetime import UTC, datetime, timedelta

import pytest

from inventory.kube.moments import of_allocation

MADE = datetime(2026, 11, 29, 8, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("told", "made", "believed"),
    [
        (None, MADE, None),
        (MADE, None, MADE),
        (MADE + SECOND, MADE, MADE + SECOND),
        (MADE, MADE, MADE),
        (MADE - SECOND, MADE, MADE),
        (MADE - 5 * SECOND, MADE, MADE),
        (MADE - 6 * SECOND, MADE, None),
        (datetime(1970, 1, 1, tzinfo=UTC), MADE, None),
    ],
)
def test_a_claim_is_not_allocated_before_it_was_made(
    told: datetime | None, made: datetime | None, believed: datetime | None
) -> None:
    assert of_allocation(told, made) == believed
