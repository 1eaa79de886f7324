"""The part of a device's page that looks back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inventory.models import Device
from tests.dashboard.pages.conftest import Get
from tests.dashboard.pages.test_teams import reader
from tests.factories import make_device, make_team
from tests.looking_back import make_held, make_read, make_there, make_used

DAY = timedelta(days=1)


@pytest.fixture
def device(db: None) -> Device:
    now = timezone.now()
    device = make_device()
    make_read(device.cluster, now - 20 * DAY, now)
    make_there(device, now - 20 * DAY)
    return device


def test_a_page_tells_who_held_it_when(device: Device, read: Get) -> None:
    now = timezone.now()
    make_used(make_held(device, now - 3 * DAY, now - 2 * DAY, consumed={"memory": "8Gi"}), "train-0")
    page = read(f"/devices/{device.pk}/")
    assert "Who held it when 1 share, 1 team" in page
    assert "train-0" in page
    assert "8 GiB" in page
    assert "1 day" in page


def test_the_period_is_in_the_address(device: Device, read: Get) -> None:
    make_held(device, timezone.now() - 15 * DAY, timezone.now() - 14 * DAY)
    path = f"/devices/{device.pk}/"
    assert "nobody held anything of it" in read(path)
    assert "1 share, 1 team" in read(f"{path}?period=month")
    until = (timezone.now() - 13 * DAY).strftime("%Y-%m-%d")
    assert "1 share, 1 team" in read(f"{path}?period=week&until={until}")
    assert "Nothing was read in this time" in read(f"{path}?until=2020-01-01")


@pytest.mark.parametrize("query", ["period=decade", "until=yesterday", "until=0001-01-01"])
def test_a_period_that_is_none_is_refused(device: Device, read: Get, query: str) -> None:
    read(f"/devices/{device.pk}/?{query}", 400)


def test_a_cluster_that_was_never_recorded_says_so(db: None, read: Get) -> None:
    assert "Nothing of its cluster was recorded yet." in read(f"/devices/{make_device().pk}/")


def test_of_others_only_the_time_is_told(device: Device) -> None:
    now = timezone.now()
    held = make_held(device, now - 3 * DAY, now - 2 * DAY, team="secret", claim_name="covert-claim")
    make_used(held, "covert-pod")
    member = reader("member", make_team("vision"))
    page = member.get(f"/devices/{device.pk}/").content.decode()
    assert "another team" in page
    assert "covert" not in page
    assert "secret" not in page


def test_an_end_that_was_found_late_says_when_it_was_seen_last(device: Device, read: Get) -> None:
    now = timezone.now()
    end, seen = now - 2 * DAY, now - 3 * DAY
    make_held(device, now - 4 * DAY, end, consumed={"memory": "8Gi"}, ended_not_before=seen)
    assert f"{end:%Y-%m-%d %H:%M} last seen held {seen:%Y-%m-%d %H:%M}" in read(f"/devices/{device.pk}/")


def test_an_end_that_was_seen_at_once_is_just_that(device: Device, read: Get) -> None:
    end = timezone.now().replace(second=30) - 2 * DAY
    make_held(device, end - DAY, end, consumed={"memory": "8Gi"}, ended_not_before=end - timedelta(seconds=5))
    assert "last seen held" not in read(f"/devices/{device.pk}/")
