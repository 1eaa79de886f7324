from fractions import Fraction
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.queries.usage import pods as pods_of_usage
from inventory.queries.usage import report as usage
from inventory.queries.usage.filters import UsageFilter
from inventory.queries.usage.pods import pods
from inventory.queries.usage.rows import Period, PodUse
from inventory.viewer import EVERYTHING, Viewer
from tests.counting import questions
from tests.factories import make_team
from tests.past import after, make_coverage, make_held, make_published, make_used

pytestmark = pytest.mark.django_db
HOUR = Fraction(3600)
QUARTER = {"memory": "20Gi", "cores": "10"}


def asked(start: float = 0, end: float = 24, viewer: Viewer = EVERYTHING, **query: Any) -> list[PodUse]:
    filters = UsageFilter({name: [value] for name, value in query.items()}, viewer=viewer)
    return list(pods(Period(after(start), after(end)), filters, viewer=viewer))


def test_a_pod_has_what_its_claim_holds_for_as_long_as_it_uses_it() -> None:
    make_coverage()
    make_published()
    share = make_held(start=1, consumed=QUARTER)
    make_used(share, start=2, end=30)
    before, row = asked()[::-1]
    assert (before.pod, before.start, before.end, before.read) == (None, after(1), after(2), HOUR)
    assert (row.cluster, row.namespace, row.team, row.claim) == (
        "lab",
        "team-vision",
        "vision",
        share.claim_name,
    )
    assert (row.resource, row.pod, row.pod_uid) == ("pods", "pod-1", "uid-of-pod-1")
    assert (row.workload_kind, row.workload_name, row.node) == ("Deployment", "web", "node-1")
    assert (row.driver, row.pool, row.device, row.product) == ("gpu.example.com", "node-1", "gpu-0", "A100")
    assert (row.start, row.end, row.read, row.part) == (after(2), after(24), 22 * HOUR, 22 * HOUR)
    assert row.card_equivalents == 22 * HOUR * Fraction(1, 4)
    assert [one.total for one in row.amounts] == [20 * 2**30 * 22 * HOUR, 10 * 22 * HOUR]
    assert (row.allocated_at, row.released_at) == (after(1), None)


def test_pods_that_use_a_claim_at_once_have_an_even_part_each() -> None:
    make_coverage()
    make_published()
    share = make_held(end=6, consumed=QUARTER)
    for number, end in enumerate((6, 4, 4)):
        make_used(share, f"pod-{number}", 0, end)
    rows = {row.pod: row for row in asked()}
    assert {pod: row.part / HOUR for pod, row in rows.items()} == {
        "pod-0": Fraction(4, 3) + 2,
        "pod-1": Fraction(4, 3),
        "pod-2": Fraction(4, 3),
    }
    assert {row.read / HOUR for row in rows.values()} == {4, 6}


def test_what_another_clock_dates_later_was_allocated_when_it_was_seen() -> None:
    make_coverage()
    make_published()
    make_held(start=1, end=2, given_at=after(300))
    make_held(start=3, end=4, given_at=after(-5))
    assert [row.allocated_at for row in asked()] == [after(1), after(-5)]


def test_it_adds_up_to_the_report() -> None:
    make_coverage(0, 10)
    make_coverage(13, 20)
    make_published(end=12)
    make_published(start=12, end=15, capacity={"memory": "40Gi", "cores": "100"})
    for end in (6, 14, None):
        share = make_held(start=2, end=end, consumed=QUARTER)
        make_used(share, "a", 3, 14)
        make_used(share, "b", 4.5, 13.7)
    make_held(start=9, end=17)
    rows = asked(1, 19)
    (whole,) = usage.report(
        Period(after(1), after(19)), (), UsageFilter({}, viewer=EVERYTHING), viewer=EVERYTHING
    ).rows
    assert sum(row.part for row in rows) == whole.use.shares
    assert sum(row.card_equivalents or 0 for row in rows) == whole.use.card_equivalents
    for place, one in enumerate(whole.use.amounts):
        assert sum(row.amounts[place].total for row in rows) == one.total
        assert sum(row.amounts[place].unknown for row in rows) == one.unknown


def test_only_what_the_viewer_may_read_is_told() -> None:
    make_coverage()
    make_published()
    make_held(consumed=QUARTER)
    make_held(consumed=QUARTER, team_slug="speech")
    make_held(consumed=QUARTER, team_slug="")
    viewer = Viewer(frozenset({make_team("vision").pk}))
    assert [row.team for row in asked(viewer=viewer)] == ["vision"]
    assert asked(viewer=viewer, team="speech") == []
    assert [row.team for row in asked()] == ["vision", "speech", None]


def test_it_is_narrowed_to_a_workload_and_a_product() -> None:
    make_coverage()
    make_published()
    make_used(make_held(consumed=QUARTER), "a")
    make_used(make_held(consumed=QUARTER), "b", workload_kind="Job", workload_name="train")
    assert [row.pod for row in asked(workload="train")] == ["b"]
    assert [row.pod for row in asked(workload="Deployment/web")] == ["a"]
    assert asked(product="H100") == []


def test_a_period_without_time_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(ValidationError, match="ends before it begins"):
        pods(Period(after(3), after(3)), UsageFilter({}, viewer=EVERYTHING), viewer=EVERYTHING)


def test_shares_are_read_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pods_of_usage, "_AT_ONCE", 2)
    make_coverage()
    make_published()
    for number in range(5):
        make_used(make_held(start=number, consumed=QUARTER), f"pod-{number}", number)
    make_held("never-published", consumed=QUARTER)
    assert [row.pod for row in asked()] == [f"pod-{number}" for number in range(5)]


def test_pods_of_many_shares_are_looked_up_together() -> None:
    make_coverage()
    make_published()
    for _ in range(20):
        make_used(make_held(consumed=QUARTER))
    with CaptureQueriesContext(connection) as queries:
        assert len(asked()) == 20
    assert questions(queries) <= 7
