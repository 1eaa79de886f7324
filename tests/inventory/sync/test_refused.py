"""A cluster, or one of its kinds, that cannot be read."""

import socket
from pathlib import Path
from typing import Any

import pytest

from demo.access import Grant
from demo.faults import CutBody, ExpireContinue, Refuse
from inventory.dra.accelerators import RuleError
from inventory.models import Claim, Cluster, Device, KindState, Node
from inventory.sync.poll import poll_cluster
from tests.inventory.sync.books import CLAIMS, RESOURCES, SLICES, balance, shared, snapshot
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import IN_PAGES, card, claim, resource_slice, store


def test_a_kind_that_is_forbidden_is_told_and_the_rest_goes_on(follow: Follow) -> None:
    kinds = frozenset(RESOURCES) - {"resourceclaims"}
    held = store(resource_slice(card()), claim("c", shared()))
    followed = follow(held, token="viewer", tokens={"viewer": Grant("viewer", kinds)})
    followed.applied()
    state = KindState.objects.get(kind="resourceclaims")
    assert (state.state, state.error_reason) == ("forbidden", "forbidden")
    assert "resourceclaims" in state.error_message
    assert KindState.objects.get(kind="resourceslices").state == "read"
    # Never read is not nothing held.
    assert balance("memory") == ("24Gi", None, None)
    assert (Device.objects.get().state, Device.objects.get().reason) == (
        "unknown",
        "resource claims were never read",
    )


def test_a_kind_that_became_forbidden_keeps_what_was_read_before(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    # Whatever is asked of the kind: the watch, or where the list stands.
    followed.server.faults.inject(CLAIMS, Refuse(403), times=10)
    followed.applied()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    state = KindState.objects.get(kind="resourceclaims")
    assert state.state == "forbidden"
    assert state.succeeded_at is not None


def test_slices_that_cannot_be_read_keep_the_devices_of_before(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.server.faults.inject(SLICES, Refuse(500), times=10)
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert KindState.objects.get(kind="resourceslices").state == "failed"


def test_nodes_and_namespaces_that_may_not_be_read_are_known_by_name(follow: Follow) -> None:
    kinds = frozenset(RESOURCES) - {"nodes", "namespaces"}
    held = store(resource_slice(card()), claim("c", shared()))
    follow(held, token="viewer", tokens={"viewer": Grant("viewer", kinds)}).applied()
    node = Node.objects.get()
    assert (node.name, node.listed, node.ready) == ("node-1", False, None)
    assert Claim.objects.get().namespace.name == "team-a"


def test_a_connection_that_breaks_in_the_middle_leaves_the_old_snapshot_whole(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    before = snapshot()
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.server.faults.inject("*/pods", CutBody(), times=10)
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", "unreachable")
    assert snapshot() == before
    followed.server.faults.clear()
    followed.applied()
    assert followed.cluster.error_reason == ""
    assert balance("memory") == ("24Gi", "0", "24Gi")


def test_a_list_that_expires_in_the_middle_is_started_over(follow: Follow) -> None:
    held = store(resource_slice(card()), *(claim(f"c-{number}") for number in range(600)))
    followed = follow(held, version=IN_PAGES)
    followed.server.faults.inject("*/resourceclaims", ExpireContinue())
    followed.applied()
    assert Claim.objects.count() == 600


def test_a_list_that_never_completes_deletes_nothing(follow: Follow) -> None:
    held = store(resource_slice(card()), *(claim(f"c-{number}") for number in range(600)))
    followed = follow(held, version=IN_PAGES)
    followed.applied()
    followed.server.faults.inject("*/resourceclaims", ExpireContinue(), times=10)
    followed.applied(in_full=True)
    assert Claim.objects.count() == 600
    assert KindState.objects.get(kind="resourceclaims").error_reason == "expired"


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "unauthorized"), (429, "throttled"), (500, "server_error"), (504, "timeout")]
)
def test_what_spoils_one_kind_leaves_the_others(follow: Follow, status: int, reason: str) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.server.faults.inject("*/resourcequotas", Refuse(status), times=10)
    followed.applied()
    state = KindState.objects.get(kind="resourcequotas")
    assert (state.state, state.error_reason) == ("failed", reason)
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")


@pytest.mark.parametrize(("status", "reason"), [(401, "unauthorized"), (429, "throttled"), (504, "timeout")])
def test_what_spoils_every_kind_keeps_the_snapshot_and_names_the_reason(
    follow: Follow, status: int, reason: str
) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    before = snapshot()
    followed.server.faults.inject("*s", Refuse(status), times=50)
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", reason)
    assert followed.cluster.error_message
    assert snapshot() == before


def test_a_fault_of_ours_is_told_on_the_cluster_and_not_swallowed(follow: Follow, settings: Any) -> None:
    followed = follow(store(resource_slice(card())))
    settings.SLICEBOARD_ACCELERATORS = ["!"]
    with pytest.raises(RuleError):
        followed.poll()
    followed.cluster.refresh_from_db()
    assert followed.cluster.error_reason == "internal"
    assert "RuleError" in followed.cluster.error_message


def test_a_server_without_dra_says_what_it_serves(follow: Follow) -> None:
    followed = follow(store(), dra_versions=[])
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", "not_served")
    assert "resource.k8s.io" in followed.cluster.error_message


def test_a_kubeconfig_that_does_not_exist_is_named(db: None) -> None:
    cluster = Cluster.objects.create(name="lab", kubeconfig="/nowhere/config")
    assert poll_cluster(cluster.pk).ended == "failed"
    cluster.refresh_from_db()
    assert (cluster.error_reason, "/nowhere/config" in cluster.error_message) == ("kubeconfig", True)


def test_a_refused_connection_is_named(db: None, tmp_path: Path, follow: Follow) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    followed = follow(store())
    config = Path(followed.cluster.kubeconfig)
    config.write_text(config.read_text().replace(followed.server.url, f"http://127.0.0.1:{port}"))
    assert (followed.poll().ended, followed.cluster.error_reason) == ("failed", "unreachable")
    assert str(port) in followed.cluster.error_message


def test_a_role_that_may_list_and_not_watch_is_read_in_full_again_and_again(follow: Follow) -> None:
    held = store(resource_slice(card()), claim("c", shared()))
    grant = Grant("lister", verbs=frozenset({"get", "list"}))
    followed = follow(held, token="lister", tokens={"lister": grant})
    followed.poll()
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    state = KindState.objects.get(kind="resourceclaims")
    assert (state.state, '"watch"' in state.error_message) == ("forbidden", True)

    held.delete(RESOURCES["resourceclaims"], "team-a", "c")
    KindState.objects.update(retry_at=None)
    followed.poll()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert KindState.objects.get(kind="resourceclaims").lists_total == 2
