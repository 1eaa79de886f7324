"""What cards, devices and shares have, hold and have left."""

from pytest_django import Settings

from inventory.models.devices import DeviceState
from tests.dashboard.metrics.conftest import Scrape, values
from tests.factories import (
    later,
    make_balance,
    make_claim,
    make_device,
    make_node,
    make_pool,
    make_share,
)


def test_cards_are_counted_by_state_with_the_states_in_which_none_is(scrape: Scrape) -> None:
    make_device("gpu-0", state=DeviceState.OVER_ALLOCATED)
    make_device("gpu-1")
    cards = values(scrape(), "sliceboard_cards", "product", "state")
    assert len(cards) == len(DeviceState)
    assert cards["A100", "over_allocated"] == cards["A100", "free"] == 1
    assert cards["A100", "full"] == 0


def test_sums_over_cards_are_in_base_units_and_leave_out_what_is_not_known(scrape: Scrape) -> None:
    for name, total, allocated in (("gpu-0", "80Gi", "8Gi"), ("gpu-1", "80Gi", "0"), ("gpu-2", None, "0")):
        make_balance(make_device(name), "memory", total, allocated)
    told = scrape()
    memory = ("lab", "gpu.example.com", "A100", "memory", "bytes")
    labels = ("cluster", "driver", "product", "dimension", "unit")
    assert values(told, "sliceboard_cards_capacity", *labels) == {memory: 160 * 2**30}
    assert values(told, "sliceboard_cards_allocated", *labels) == {memory: 8 * 2**30}
    assert values(told, "sliceboard_cards_usable", *labels) == {memory: 152 * 2**30}
    assert values(told, "sliceboard_cards_unknown", *labels) == {memory: 1}


def test_a_device_is_told_by_the_labels_of_its_driver(scrape: Scrape) -> None:
    device = make_device("gpu-0", node=make_node("node-1"), uuid="GPU-1", shares=2)
    make_balance(device, "memory", "80Gi", "8Gi")
    make_balance(device, "cores", "1500m", None)
    told = scrape()
    gpu = ("lab", "gpu.example.com", "node-1", "gpu-0")
    labels = ("cluster", "driver", "pool", "device")
    about = values(told, "sliceboard_device_info", *labels, "node", "product", "uuid")
    assert about == {(*gpu, "node-1", "A100", "GPU-1"): 1}
    assert values(told, "sliceboard_device_state", *labels, "state") == {(*gpu, "free"): 1}
    assert values(told, "sliceboard_device_shares", *labels) == {gpu: 2}
    capacity = values(told, "sliceboard_device_capacity", *labels, "dimension", "unit")
    assert capacity == {(*gpu, "memory", "bytes"): 80 * 2**30, (*gpu, "cores", "count"): 1.5}
    assert values(told, "sliceboard_device_allocated", *labels, "dimension") == {(*gpu, "memory"): 8 * 2**30}


def test_devices_can_be_left_out(scrape: Scrape, settings: Settings) -> None:
    make_device()
    settings.SLICEBOARD_METRICS_DEVICES = False
    assert not [name for name in scrape() if name.startswith("sliceboard_device")]


def test_shares_are_told_only_where_they_are_asked_for(scrape: Scrape, settings: Settings) -> None:
    claim = make_claim("train")
    make_share(make_device(), claim, share_id="s-1", started_at=later(5), consumed={"memory": "8Gi"})
    assert not [name for name in scrape() if name.startswith("sliceboard_share")]

    settings.SLICEBOARD_METRICS_SHARES = True
    told = scrape()

    share = ("team-vision", "train", claim.uid, "card", "s-1")
    labels = ("namespace", "resourceclaim", "resourceclaim_uid", "request", "share_id")
    consumed = values(told, "sliceboard_share_consumed", *labels, "device", "dimension", "unit")
    assert consumed == {(*share, "gpu-0", "memory", "bytes"): 8 * 2**30}
    assert values(told, "sliceboard_share_started_timestamp_seconds", *labels) == {
        share: later(5).timestamp()
    }


def test_a_family_that_is_read_in_parts_is_told_once(scrape: Scrape) -> None:
    pool = make_pool()
    for number in range(2001):
        make_device(f"nic-{number}", pool=pool, accelerator=False)
    assert len(values(scrape(), "sliceboard_device_shares", "device")) == 2001
