"""The part of a team's page that looks back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inventory.models import Device, Team, TeamQuota
from tests.dashboard.pages.test_teams import reader, text
from tests.factories import make_device, make_team
from tests.looking_back import make_held, make_read, make_there

DAY = timedelta(days=1)


@pytest.fixture
def device(db: None) -> Device:
    now = timezone.now()
    device = make_device()
    make_read(device.cluster, now - 20 * DAY, now)
    make_there(device, now - 20 * DAY)
    return device


@pytest.fixture
def vision(device: Device) -> Team:
    now, team = timezone.now(), make_team("vision")
    make_held(device, now - 3 * DAY, now - 2 * DAY, consumed={"memory": "8Gi"})
    make_held(device, now - 3 * DAY, now - 2 * DAY, team="canary", consumed={"memory": "60Gi"})
    return team


def test_a_page_tells_what_was_held_beside_the_limit(vision: Team) -> None:
    TeamQuota.objects.create(team=vision, dimension="memory", quantity="4Gi")
    told = text(reader("lead", vision), "/teams/vision/")
    assert "at most 8 GiB held at once; over the limit for 1 day" in told
    assert "Memory as a table" in told
    assert "canary" not in told


def test_without_a_limit_it_is_card_equivalents(vision: Team) -> None:
    assert "Card-equivalents any card at most 0.1 held at once" in text(
        reader("lead", vision), "/teams/vision/"
    )


def test_the_period_is_in_the_address(vision: Team) -> None:
    lead = reader("lead", vision)
    assert "at most 0 held at once" in text(lead, "/teams/vision/?period=day")
    assert "nothing was read in this time" in text(lead, "/teams/vision/?until=2020-01-01")
    text(lead, "/teams/vision/?period=decade", 400)


def test_a_team_of_a_cluster_that_was_never_recorded(db: None) -> None:
    assert "nothing was read in this time" in text(reader("lead", make_team("vision")), "/teams/vision/")
