import json
import re

import pytest

from inventory.models import Cluster, Device, Pool
from inventory.models.devices import DeviceState
from tests.dashboard.pages.conftest import Get
from tests.factories import (
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_pod,
    make_pool,
    make_share,
    make_team,
)


def test_a_recorded_card_tells_who_holds_which_slice(recorded_cluster: Cluster, read: Get) -> None:
    card = Device.objects.get(name="hami-gpu-1", node__name="gpu-node-2")
    page = read(f"/devices/{card.pk}/")
    assert "pod-count-2 team-nlp nlp count-2 2 GiB 10 %" in page
    assert (
        "shared-0 , shared-1 , shared-2 team-batch · 3 Pods use this claim batch shared 16 GiB 40 %" in page
    )
    assert "Allocated 38 GiB 100 % Left 42 GiB 0 % Device 80 GiB 100 %" in page
    assert (
        "3 shares hold it; no cores left, so that the 42 GiB memory left fit only a claim that asks" in page
    )
    assert "memory 1 MiB 80 GiB 1 MiB 80 GiB cores 0 % 100 % 1 % 100 %" in page
    assert "cudaComputeCapability 8.0.0" in page


def test_the_picture_has_a_bar_for_each_dimension(recorded_cluster: Cluster, get: Get) -> None:
    card = Device.objects.get(name="hami-gpu-1", node__name="gpu-node-2")
    page = get(f"/devices/{card.pk}/")
    match = re.search(r'<script id="dimensions-figure" type="application/json">(.*?)</script>', page)
    assert match
    figure = json.loads(match[1])
    assert figure["data"][0]["x"] == [100.0, 100.0]
    assert [trace["marker"]["color"] for trace in figure["data"][1:]] == [
        f"var(--team-{n})" for n in (1, 2, 3)
    ]
    assert 'aria-label="memory: 38 GiB of 80 GiB allocated, 42 GiB left. cores: 100 % of 100 %' in page


@pytest.mark.django_db
def test_a_partition_shows_the_rest_of_its_card(read: Get) -> None:
    whole = make_device("gpu-0")
    part = make_device("gpu-0-mig-1", card=whole.card, consumes_counters=[{"counterSet": "gpu-0"}])
    assert "The rest of the card other devices of gpu-0" in read(f"/devices/{part.pk}/")
    assert "gpu-0-mig-1" in read(f"/devices/{whole.pk}/")


def test_a_whole_device_whose_partitions_are_held_says_so(recorded_cluster: Cluster, read: Get) -> None:
    whole = Device.objects.get(name="gpu-1", pool__name="mig-node-1")
    page = read(f"/devices/{whole.pk}/")
    assert "Nothing of it is held by its own name, but 4 other devices of the card are" in page


def test_a_held_partition_is_held_whole_and_no_whole_card(recorded_cluster: Cluster, read: Get) -> None:
    part = Device.objects.get(name="gpu-1-mig-1g10gb-19-0")
    page = read(f"/devices/{part.pk}/")
    assert "held whole" in page
    assert "whole card" not in page


@pytest.mark.django_db
def test_admin_access_is_told_and_holds_nothing(read: Get) -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "0")
    make_share(device, make_claim("monitor"), admin_access=True)
    page = read(f"/devices/{device.pk}/")
    assert "No claim holds it." in page
    assert "With admin access, which holds nothing: team-vision/monitor" in page


@pytest.mark.django_db
def test_a_share_whose_amount_cannot_be_read_is_listed_and_not_drawn(read: Get) -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", None, reason="a share's consumed capacity cannot be read")
    claim = make_claim(namespace=make_namespace(team=make_team()))
    make_share(device, claim, consumed={"memory": None}, problem="'8GB' is not a Kubernetes quantity")
    make_pod("odd", uses=claim)
    page = read(f"/devices/{device.pk}/")
    assert "odd" in page
    assert "None of its numbers is known; the table says what is." in page
    assert "Allocated not known Left not known Device 80 GiB" in page


@pytest.mark.django_db
def test_a_device_that_is_gone_still_shows_who_holds_it(read: Get) -> None:
    device = make_device(
        published=False, state=DeviceState.NOT_PUBLISHED, reason="no current slice lists the device"
    )
    make_pod("left-behind", uses=make_share(device).claim)
    page = read(f"/devices/{device.pk}/")
    assert "not published" in page
    assert "left-behind" in page


@pytest.mark.django_db
def test_an_incomplete_pool_is_told_on_its_devices(read: Get) -> None:
    pool = make_pool(state=Pool.State.INCOMPLETE, reason="1 of 2 slices are published")
    page = read(f"/devices/{make_device(pool=pool).pk}/")
    assert "Its pool is not complete: 1 of 2 slices are published" in page


@pytest.mark.django_db
def test_attributes_of_every_kind_are_shown_as_published(read: Get) -> None:
    attributes = {
        "resource.kubernetes.io/pcieRoot": {"string": "pci0"},
        "healthy": {"bool": True},
        "numa": {"ints": [0, 1]},
        "version": {"version": "1.2.3"},
        "odd": {"string": "a", "int": 1},
    }
    page = read(f"/devices/{make_device(attributes=attributes).pk}/")
    assert 'healthy true numa 0, 1 odd {"int": 1, "string": "a"} pcieRoot pci0 version 1.2.3' in page


@pytest.mark.django_db
def test_a_device_that_never_was_is_not_found(read: Get) -> None:
    assert "There is no such device; it may have gone since." in read("/devices/1/", 404)
