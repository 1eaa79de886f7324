"""The admin of clusters: pausing, resuming, and asking for a reading at once, with a real broker."""

from datetime import timedelta

import pytest
import redis
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inventory.models import Cluster
from tests.factories import make_cluster
from tests.inventory.waiting import waiting

CHANGELIST = reverse("admin:inventory_cluster_changelist")


@pytest.fixture
def operator(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("operator"))
    return client


def ask(operator: Client, action: str, *clusters: Cluster) -> str:
    chosen = {"action": action, "_selected_action": [cluster.pk for cluster in clusters]}
    response = operator.post(CHANGELIST, chosen, follow=True)
    return str(response.content.decode())


def test_a_cluster_that_is_paused_keeps_what_was_read(operator: Client, broker: redis.Redis) -> None:
    cluster = make_cluster()
    told = ask(operator, "pause", cluster)
    cluster.refresh_from_db()
    assert not cluster.enabled
    assert "Paused: lab. What was read last stays." in told
    assert waiting(broker) == []


def test_a_cluster_that_is_resumed_is_read_next(operator: Client, broker: redis.Redis) -> None:
    cluster = make_cluster(enabled=False)
    told = ask(operator, "resume", cluster)
    cluster.refresh_from_db()
    assert cluster.enabled
    assert "Resumed: lab. A worker reads next what has changed." in told
    assert waiting(broker) == [[cluster.pk]]


def test_a_poll_is_sent_to_the_queue_of_its_cluster(operator: Client, broker: redis.Redis) -> None:
    near, far = make_cluster("near"), make_cluster("far", queue="far-away")
    ask(operator, "read_now", near, far)
    assert waiting(broker) == [[near.pk]]
    assert waiting(broker, "far-away") == [[far.pk]]


def test_a_cluster_that_is_read_now_need_not_wait_after_a_failure(
    operator: Client, broker: redis.Redis
) -> None:
    cluster = make_cluster("lab", retry_at=timezone.now() + timedelta(minutes=5))
    ask(operator, "read_now", cluster)
    cluster.refresh_from_db()
    assert cluster.retry_at is None
    assert waiting(broker) == [[cluster.pk]]


def test_paused_clusters_are_found(operator: Client) -> None:
    make_cluster("paused", enabled=False)
    make_cluster("read")
    page = operator.get(f"{CHANGELIST}?enabled__exact=0").content.decode()
    assert ">paused</a>" in page
    assert ">read</a>" not in page


def test_a_queue_is_given_in_the_form_of_a_cluster(operator: Client) -> None:
    cluster = make_cluster()
    form = (
        operator.get(reverse("admin:inventory_cluster_change", args=[cluster.pk])).context["adminform"].form
    )
    assert "queue" in form.fields
