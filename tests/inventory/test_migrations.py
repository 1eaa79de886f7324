"""A database that an earlier version has filled is taken along."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from inventory.models import InstantSource, KindState, Share, ShareInterval
from inventory.sync import progress
from tests.factories import READ_AT


@pytest.mark.django_db(transaction=True)
def test_what_was_read_before_clusters_were_followed_is_kept_and_then_read_in_full() -> None:
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes("inventory")
    before = executor.migrate([("inventory", "0001_initial")]).apps
    rows = {name: before.get_model("inventory", name).objects for name in ("Cluster", "KindState", "Share")}
    cluster = rows["Cluster"].create(name="lab")
    rows["KindState"].create(cluster=cluster, kind="resourceclaims", resource_version="42")
    pool = before.get_model("inventory", "Pool").objects.create(
        cluster=cluster, driver="d", name="p", state="complete"
    )
    device = before.get_model("inventory", "Device").objects.create(cluster=cluster, pool=pool, name="gpu-0")
    namespace = before.get_model("inventory", "Namespace").objects.create(cluster=cluster, name="team-a")
    claim = before.get_model("inventory", "Claim").objects.create(
        cluster=cluster, namespace=namespace, name="c", uid="u", resource_version="1", state="allocated"
    )
    rows["Share"].create(
        cluster=cluster,
        claim=claim,
        position=0,
        device=device,
        request="gpu",
        dedicated=True,
        admin_access=False,
        started_at=None,
    )

    executor.loader.build_graph()
    executor.migrate(latest)

    share = Share.objects.get()
    assert (share.device.name, share.started_source) == ("gpu-0", InstantSource.OBSERVED)
    assert progress.cursor(KindState.objects.get()) == ""


@pytest.mark.django_db(transaction=True)
def test_shares_from_before_teams_were_kept_are_those_of_their_namespaces() -> None:
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes("inventory")
    before = executor.migrate([("inventory", "0005_teams_of_claims_and_pods")]).apps
    rows = {
        name: before.get_model("inventory", name).objects for name in ("Cluster", "Team", "ShareInterval")
    }
    cluster, team = rows["Cluster"].create(name="lab"), rows["Team"].create(slug="vision", name="Vision")
    namespaces = before.get_model("inventory", "Namespace").objects
    namespaces.create(cluster=cluster, name="ours", team=team)
    namespaces.create(cluster=cluster, name="nobodys")
    for namespace in ("ours", "nobodys", "gone"):
        rows["ShareInterval"].create(
            cluster=cluster,
            claim_uid=namespace,
            namespace=namespace,
            started_at=READ_AT,
            dedicated=True,
            admin_access=False,
        )

    executor.loader.build_graph()
    executor.migrate(latest)

    told = dict(ShareInterval.objects.values_list("namespace", "team_slug"))
    assert told == {"ours": "vision", "nobodys": "", "gone": ""}


@pytest.mark.django_db(transaction=True)
def test_shares_that_were_read_before_are_of_the_device_classes_of_their_requests() -> None:
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes("inventory")
    before = executor.migrate([("inventory", "0010_generations_of_shares")]).apps
    models = {name: before.get_model("inventory", name).objects for name in ("Cluster", "Pool", "Device")}
    cluster = models["Cluster"].create(name="lab")
    pool = models["Pool"].create(cluster=cluster, driver="d", name="p", state="complete")
    device = models["Device"].create(cluster=cluster, pool=pool, name="gpu-0")
    namespace = before.get_model("inventory", "Namespace").objects.create(cluster=cluster, name="team-a")
    specs = {
        "plain": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "large"}}]}},
        "listed": {
            "devices": {
                "requests": [
                    {"name": "gpu", "firstAvailable": [{"name": "small", "deviceClassName": "tiny"}]}
                ]
            }
        },
        "odd": {"devices": {"requests": ["gpu", {"name": "gpu", "exactly": {"deviceClassName": 3}}]}},
    }
    for uid, request in (("plain", "gpu"), ("listed", "gpu/small"), ("odd", "gpu")):
        claim = before.get_model("inventory", "Claim").objects.create(
            cluster=cluster,
            namespace=namespace,
            name=uid,
            uid=uid,
            resource_version="1",
            state="allocated",
            spec=specs[uid],
        )
        before.get_model("inventory", "Share").objects.create(
            cluster=cluster,
            claim=claim,
            position=0,
            device=device,
            request=request,
            dedicated=True,
            admin_access=False,
            started_at=READ_AT,
            started_source="observed",
        )

    executor.loader.build_graph()
    executor.migrate(latest)

    told = dict(Share.objects.values_list("claim__uid", "device_class"))
    assert told == {"plain": "large", "listed": "tiny", "odd": ""}
