from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError

from inventory.history.buckets import Step
from inventory.queries.usage import report as usage
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.rows import Period, There, UsageGroup, UsageReport, UsageRow
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import make_cluster, make_team
from tests.past import after, make_coverage, make_held, make_published, make_used

pytestmark = pytest.mark.django_db
HOUR, NONE = Fraction(3600), Fraction(0)
GI = 2**30
QUARTER = {"memory": "20Gi", "cores": "10"}


def asked(
    *groups: UsageGroup, start: float = 0, end: float = 24, viewer: Viewer = EVERYTHING, **query: Any
) -> UsageReport:
    filters = UsageFilter(
        {name: [value] if isinstance(value, str) else value for name, value in query.items()}, viewer=viewer
    )
    return usage.report(Period(after(start), after(end)), groups, filters, viewer=viewer)


def only(report: UsageReport) -> UsageRow:
    (row,) = report.rows
    return row


def there(row: UsageRow) -> There:
    assert row.there is not None
    return row.there


def amounts(row: UsageRow) -> dict[str, Fraction]:
    return {one.dimension: one.total for one in row.use.amounts}


def test_four_shares_of_a_quarter_for_an_hour_are_a_card_hour() -> None:
    make_coverage()
    make_published()
    for _ in range(4):
        make_held(start=3, end=4, consumed=QUARTER)
    row = only(asked())
    assert (row.driver, row.product, row.team) == ("gpu.example.com", "A100", None)
    assert (row.use.card_equivalents, row.use.card_equivalents_unknown) == (HOUR, NONE)
    assert (row.use.shares, row.use.devices, row.use.cards) == (4 * HOUR, HOUR, HOUR)
    assert amounts(row) == {"memory": 80 * GI * HOUR, "cores": 40 * HOUR}
    assert (there(row).cards, there(row).capacity[0].total) == (24 * HOUR, 24 * HOUR * 80 * GI)


def test_a_share_of_the_whole_holds_what_its_device_published_then() -> None:
    make_coverage()
    make_published(end=6)
    make_published(start=6, capacity={"memory": "40Gi"})
    make_held(start=5, end=8)
    row = only(asked())
    assert amounts(row) == {"memory": (80 + 2 * 40) * GI * HOUR, "cores": 100 * HOUR}
    assert row.use.card_equivalents == 3 * HOUR


def test_what_is_no_longer_published_is_held_but_nobody_knows_how_much_of_it() -> None:
    make_coverage()
    make_published(end=6)
    make_held(start=5)
    row = only(asked(start=7, end=8))
    assert row.use.cards == HOUR
    assert [(one.total, one.unknown) for one in row.use.amounts] == [(NONE, HOUR), (NONE, HOUR)]
    assert row.there == There(NONE, ())


def test_what_was_not_read_is_neither_held_nor_free() -> None:
    make_coverage(0, 6)
    make_coverage(18, 20)
    make_published()
    make_held()
    found = asked()
    assert only(found).use.shares == 8 * HOUR
    assert there(only(found)).cards == 8 * HOUR
    (reading,) = found.readings
    assert (reading.read, reading.first) == (8 * HOUR, after(0))
    assert reading.unread == (Period(after(6), after(18)), Period(after(20), after(24)))
    assert found.exact_until == after(20)


def test_before_the_first_record_nothing_is_known() -> None:
    make_coverage(0, 6)
    make_published()
    found = asked(start=-48, end=-24)
    assert (found.rows, found.exact_until) == ([], None)
    assert found.readings[0].unread == (Period(after(-48), after(-24)),)
    make_cluster("never-read")
    assert [one.first for one in asked(start=-48, end=-24).readings] == [after(0), None]


def test_admin_access_and_what_is_no_accelerator_hold_nothing() -> None:
    make_coverage()
    make_published(accelerator=False)
    make_published("gpu-1")
    make_held()
    make_held("gpu-1", admin_access=True)
    make_held("never-published")
    row = only(asked())
    assert (row.use.shares, there(row).cards) == (NONE, 24 * HOUR)


def test_teams_on_one_card_have_its_time_each() -> None:
    make_coverage()
    make_published()
    make_held(end=1, consumed=QUARTER)
    make_held(end=1, consumed=QUARTER, team_slug="speech")
    first, second = asked(UsageGroup.TEAM).rows
    assert (first.team, second.team) == ("speech", "vision")
    assert first.use == second.use
    assert (first.use.cards, first.use.card_equivalents, first.there) == (HOUR, HOUR / 4, None)


def test_a_namespace_is_its_team_of_then() -> None:
    make_coverage()
    make_published()
    make_held(end=1, consumed=QUARTER)
    make_held(start=1, end=3, consumed=QUARTER, team_slug="speech")
    rows = asked(UsageGroup.NAMESPACE).rows
    told = [(row.cluster, row.team, row.namespace, row.use.shares) for row in rows]
    assert told == [
        ("lab", "speech", "team-vision", 2 * HOUR),
        ("lab", "vision", "team-vision", HOUR),
    ]


def test_workloads_that_use_a_claim_at_once_have_a_part_of_it_each() -> None:
    make_coverage()
    make_published()
    share = make_held(end=4, consumed=QUARTER)
    make_used(share, "web-1", 0, 2)
    make_used(share, "web-2", 0, 2)
    make_used(share, "job-1", 1, 3, workload_kind="Job", workload_name="train")
    rows = {row.workload_name: row for row in asked(UsageGroup.WORKLOAD).rows}
    assert {name: row.use.shares / HOUR for name, row in rows.items()} == {
        None: 1,
        "web": 1 + Fraction(2, 3),
        "train": 1 + Fraction(1, 3),
    }
    assert {name: row.use.cards / HOUR for name, row in rows.items()} == {None: 1, "web": 2, "train": 2}
    assert [row.use.shares for row in asked(UsageGroup.WORKLOAD, workload="Job/train").rows] == [
        rows["train"].use.shares
    ]


def test_what_a_viewer_may_not_read_is_one_row() -> None:
    make_coverage()
    make_published()
    own = make_team("vision")
    for slug in ("vision", "speech", "search", ""):
        make_held(end=1, consumed=QUARTER, team_slug=slug)
    viewer = Viewer(frozenset({own.pk}))
    rows = asked(UsageGroup.NAMESPACE, viewer=viewer).rows
    told = [(row.withheld, row.cluster, row.team, row.namespace, row.use.shares) for row in rows]
    assert told == [
        (False, "lab", "vision", "team-vision", HOUR),
        (True, None, None, None, 3 * HOUR),
    ]
    assert only(asked(viewer=viewer)).use.shares == 4 * HOUR
    assert asked(UsageGroup.TEAM, viewer=viewer, team="speech").rows == []
    assert only(asked(viewer=viewer, team=["speech", "vision"])).use.shares == HOUR


def test_it_is_narrowed_by_what_was_then() -> None:
    make_coverage()
    make_published()
    make_published("gpu-1", product="H100", node="node-2")
    make_held(end=1)
    make_held("gpu-1", end=2, namespace="team-speech", team_slug="speech")
    queries: list[dict[str, Any]] = [
        {"node": "node-2"},
        {"product": "H100"},
        {"namespace": "team-speech", "product": "H100"},
        {"team": "speech", "node": "node-2", "cluster": "lab", "driver": "gpu.example.com"},
    ]
    for query in queries:
        assert only(asked(**query)).use.shares == 2 * HOUR
    with pytest.raises(ValidationError, match="not known here"):
        asked(cluster="elsewhere")
    with pytest.raises(ValidationError, match="ends before it begins"):
        asked(start=2, end=2)


def test_days_of_a_zone_add_up_to_the_whole() -> None:
    make_coverage(0, 24 * 60)
    make_published()
    make_held(start=3, end=24 * 50, consumed=QUARTER)
    period = Period(after(0), after(24 * 60))
    filters = UsageFilter({}, viewer=EVERYTHING)
    for zone in ("UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Shanghai"):
        for step in Step:
            steps = usage.series(period, step, (), filters, zone=ZoneInfo(zone), viewer=EVERYTHING).steps
            assert sum(only(one).use.shares for one in steps if one.rows) == (24 * 50 - 3) * HOUR
            assert steps[0].period.start == after(0)
            assert all(a.period.end == b.period.start for a, b in pairwise(steps))


def test_a_series_of_too_many_steps_is_refused() -> None:
    with pytest.raises(ValidationError, match="ask for 2000 at most"):
        usage.series(
            Period(after(0), after(24 * 365)),
            Step.HOUR,
            (),
            UsageFilter({}, viewer=EVERYTHING),
            viewer=EVERYTHING,
        )


def test_the_hour_that_comes_twice_is_one_cell_of_two_hours() -> None:
    zone = ZoneInfo("Europe/Berlin")
    start = datetime(2026, 10, 25, tzinfo=zone)
    make_coverage(0, 24 * 400)
    make_published()
    make_held()
    found = usage.heat(
        Period(start.astimezone(UTC), start.astimezone(UTC) + timedelta(hours=25)),
        UsageFilter({}, viewer=EVERYTHING),
        zone=zone,
        viewer=EVERYTHING,
    )
    assert [cell.hour for cell in found.cells] == list(range(24))
    assert {cell.day for cell in found.cells} == {start.date()}
    two = found.cells[2]
    assert (two.seconds, two.read, two.cards, two.card_equivalents, two.there) == (2 * HOUR,) * 5
    assert found.cells[3].seconds == HOUR
