"""How reading goes, cluster by cluster and kind by kind."""

from datetime import datetime, timedelta

from django.utils import timezone

from inventory.models import Cluster, Lease, ShareInterval
from tests.dashboard.metrics.conftest import Scrape, make_kind, values
from tests.factories import READ_AT, later, make_cluster

SECONDS = READ_AT.timestamp()


def test_a_kind_tells_how_it_is_followed(scrape: Scrape) -> None:
    make_kind(
        objects_read=7,
        objects_skipped=2,
        listed_at=later(-3600),
        seconds="1.250",
        lists_total=3,
        events_total=90,
        bytes_total=4096,
        failures_total=5,
        failures=1,
    )
    told = scrape()
    pods = ("lab", "pods")
    for name, value in {
        "kind_last_success_timestamp_seconds": SECONDS,
        "kind_objects": 7,
        "kind_objects_skipped": 2,
        "kind_last_list_timestamp_seconds": SECONDS - 3600,
        "kind_last_list_duration_seconds": 1.25,
        "kind_failures_in_a_row": 1,
        "kind_lists": 3,
        "kind_events": 90,
        "kind_received_bytes": 4096,
        "kind_failures": 5,
    }.items():
        assert values(told, f"sliceboard_{name}", "cluster", "kind") == {pods: value}, name


def test_ages_are_those_of_now(scrape: Scrape) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    make_kind(cluster=make_cluster(observed_at=long_ago), succeeded_at=long_ago)
    told = scrape()
    (kind,) = values(told, "sliceboard_kind_age_seconds", "kind").values()
    (cluster,) = values(told, "sliceboard_cluster_observed_age_seconds", "cluster").values()
    assert 3600 <= kind < 3720
    assert 3600 <= cluster < 3720


def test_the_state_of_a_kind_is_one_of_all(scrape: Scrape) -> None:
    make_kind(state="forbidden", error_reason="forbidden")
    told = scrape()
    states = values(told, "sliceboard_kind_state", "state")
    assert states == {"never": 0, "read": 0, "forbidden": 1, "failed": 0}
    assert values(told, "sliceboard_kind_error", "kind", "reason") == {("pods", "forbidden"): 1}


def test_a_cluster_tells_how_its_last_attempt_went(scrape: Scrape) -> None:
    make_cluster("well", poll_seconds="2.5", compared_at=later(5), differences=0)
    make_cluster("badly", error_reason="unreachable", failures=4, retry_at=later(60))
    make_cluster("paused", enabled=False)
    make_cluster("new", observed_at=None, attempted_at=None)
    told = scrape()
    assert values(told, "sliceboard_cluster_up", "cluster") == {"well": 1, "badly": 0, "paused": 1}
    assert values(told, "sliceboard_cluster_enabled", "cluster")["paused"] == 0
    assert values(told, "sliceboard_cluster_error", "cluster", "reason") == {("badly", "unreachable"): 1}
    assert values(told, "sliceboard_cluster_failures_in_a_row", "cluster")["badly"] == 4
    assert values(told, "sliceboard_cluster_retry_timestamp_seconds", "cluster") == {"badly": SECONDS + 60}
    assert values(told, "sliceboard_cluster_full_reading_duration_seconds", "cluster") == {"well": 2.5}
    assert values(told, "sliceboard_cluster_compared_timestamp_seconds", "cluster") == {"well": SECONDS + 5}


def test_what_is_not_known_is_left_out_and_never_zero(scrape: Scrape) -> None:
    make_kind(cluster=make_cluster(observed_at=None, attempted_at=None), state="never", succeeded_at=None)
    told = scrape()
    for name in (
        "cluster_up",
        "cluster_observed_age_seconds",
        "cluster_last_attempt_timestamp_seconds",
        "cluster_differences",
        "kind_age_seconds",
        "kind_objects",
    ):
        assert told[f"sliceboard_{name}"].samples == [], name


def test_followers_and_open_intervals_are_counted(scrape: Scrape) -> None:
    cluster = make_cluster()
    soon = timezone.now() + timedelta(minutes=1)
    Lease.objects.create(cluster=cluster, part="devices", holder="a", until=soon)
    Lease.objects.create(cluster=cluster, part="pods", holder="b", until=READ_AT)
    for number, ended_at in enumerate((None, None, later(9))):
        make_interval(cluster, number, ended_at)
    told = scrape()
    assert values(told, "sliceboard_cluster_leases", "cluster") == {"lab": 1}
    assert values(told, "sliceboard_cluster_open_share_intervals", "cluster") == {"lab": 2}


def make_interval(cluster: Cluster, number: int, ended_at: datetime | None) -> None:
    ShareInterval.objects.create(
        cluster=cluster,
        claim_uid=f"u-{number}",
        namespace="team-vision",
        claim_name="train",
        driver="gpu.example.com",
        pool="node-1",
        device="gpu-0",
        request="card",
        dedicated=True,
        admin_access=False,
        started_at=READ_AT,
        started_source="observed",
        ended_at=ended_at,
    )
