"""Allocations, and what slices publish or no longer publish."""

from inventory.models import Device, Pool
from tests.inventory.sync.books import RESOURCES, balance, shared
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import HAMI, card, claim, named, resource_slice, store


def test_an_allocation_of_an_unknown_device_is_shown_as_not_published(follow: Follow) -> None:
    follow(store(claim("c", shared(device="never-seen")))).applied()
    device = Device.objects.get()
    assert (device.name, device.published, device.state) == ("never-seen", False, "not_published")
    assert balance("memory", "never-seen") == (None, "8Gi", None)
    assert Pool.objects.get().state == "not_published"


def test_a_device_that_nobody_lists_is_where_its_allocation_is_bound_to(follow: Follow) -> None:
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]
    held = claim("c", shared(device="never-seen"))
    held["status"]["allocation"]["nodeSelector"] = {"nodeSelectorTerms": terms}
    follow(store(held, named("v1", "Node", "node-1"))).applied()
    node = Device.objects.get().node
    assert node is not None
    assert node.name == "node-1"


def test_a_device_that_left_its_slice_keeps_its_shares_and_its_product(follow: Follow) -> None:
    followed = follow(store(resource_slice(card(), card("hami-gpu-1")), claim("c", shared())))
    followed.applied()
    followed.store.put(resource_slice(card("hami-gpu-1"), generation=2))
    followed.applied()
    device = Device.objects.get(name="hami-gpu-0")
    assert (device.state, device.product, device.published) == ("not_published", "NVIDIA L4", False)
    assert balance("memory") == (None, "8Gi", None)


def test_a_device_that_nobody_holds_goes_with_its_slice(follow: Follow) -> None:
    followed = follow(store(resource_slice(card())))
    followed.applied()
    followed.store.delete(RESOURCES["resourceslices"], "", "slice-1")
    followed.applied()
    assert not Device.objects.exists()
    assert not Pool.objects.exists()


def test_a_slice_without_devices_is_a_pool_without_devices(follow: Follow) -> None:
    follow(store(resource_slice())).applied()
    assert Pool.objects.get().state == "complete"
    assert not Device.objects.exists()


def test_a_tainted_free_card_is_unavailable_and_says_why(follow: Follow) -> None:
    taint = {"key": "gpu.nvidia.com/xid", "value": "79", "effect": "NoSchedule"}
    follow(store(resource_slice(card(taints=[taint])))).applied()
    device = Device.objects.get()
    assert (device.state, device.tainted) == ("unavailable", True)
    assert device.reason == "tainted: gpu.nvidia.com/xid=79:NoSchedule"


def test_a_taint_without_effect_keeps_nobody_off(follow: Follow) -> None:
    follow(store(resource_slice(card(taints=[{"key": "drain", "effect": "None"}])))).applied()
    assert (Device.objects.get().state, Device.objects.get().tainted) == ("free", False)


def test_an_allocation_from_an_older_generation_is_of_the_device_of_that_name(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())))
    followed.applied()
    followed.store.put(resource_slice(card(), generation=2))
    followed.applied()
    assert (balance("memory"), Pool.objects.get().generation) == (("24Gi", "8Gi", "16Gi"), 2)


def test_devices_of_one_name_in_other_pools_and_drivers_are_other_devices(follow: Follow) -> None:
    slices = (
        resource_slice(card()),
        resource_slice(card(), name="slice-2", pool="node-2"),
        resource_slice(card(), name="slice-3", driver="gpu.example.com"),
    )
    follow(store(*slices, claim("c", shared()))).applied()
    held = Device.objects.filter(shares=1).values_list("pool__driver", "pool__name")
    assert (Device.objects.count(), list(held)) == (3, [(HAMI, "node-1")])
