"""What changed since yesterday."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inventory.models import Claim, ClaimEvent, Device, InstantSource, TeamQuota
from tests.dashboard.pages.conftest import Get
from tests.dashboard.pages.test_teams import reader, text
from tests.factories import make_claim, make_device, make_namespace, make_node, make_team
from tests.looking_back import make_held, make_read, make_there

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def device(db: None) -> Device:
    now = timezone.now()
    device = make_device(node=make_node())
    make_read(device.cluster, now - 20 * DAY, now - 9 * HOUR)
    make_read(device.cluster, now - 7 * HOUR, now)
    make_there(device, now - 2 * HOUR)
    return device


def test_a_page_tells_what_changed(device: Device, read: Get) -> None:
    now, team = timezone.now(), make_team("vision")
    make_held(device, now - HOUR)
    make_claim("late", namespace=make_namespace(team=team), state=Claim.State.PENDING, created_at=now - HOUR)
    TeamQuota.objects.create(team=team, dimension="memory", quantity="4Gi", hard=True, starts_at=now - HOUR)
    page = read("/changes/")
    said = "1 device came; 1 share began; 1 claim waits that did not exist before; lab was not read for 2 h."
    assert said in page
    assert "node-1 lab came A100, 80 GiB memory" in page
    assert "late" in page
    assert "Memory: hard limit of 4 GiB on any card" in page


def test_the_period_is_in_the_address(device: Device, read: Get) -> None:
    until = (timezone.now() - 10 * HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert "Nothing changed in this time, as far as it was read." in read(f"/changes/?until={until}")
    assert "Nothing was read in this time" in read("/changes/?until=2020-01-01")
    read("/changes/?period=decade", 400)


def test_a_member_reads_no_name_of_others(device: Device) -> None:
    make_held(device, timezone.now() - HOUR, team="secret")
    told = text(reader("member", make_team("vision")), "/changes/")
    assert "another team" in told
    assert "secret" not in told


def test_what_happened_to_claims_is_counted(device: Device, read: Get) -> None:
    now = timezone.now()
    for number, kind in enumerate(("deleted", "created", "created")):
        ClaimEvent.objects.create(
            cluster=device.cluster,
            claim_uid=f"uid-{number}",
            claim_name=f"claim-{number}",
            namespace="default",
            kind=kind,
            at=now - HOUR,
            source=InstantSource.OBSERVED,
        )
    assert "Event How often created 2 deleted 1" in read("/changes/")
    assert "Nothing happened to any claim" in read("/changes/?until=2020-01-01")
