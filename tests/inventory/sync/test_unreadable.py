"""Objects, and parts of them, that cannot be read."""

from demo.faults import ReplaceItem
from inventory.models import Claim, Device, Share, SkippedObject
from tests.inventory.sync.books import balance, shared
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import IN_PAGES, SHARE, card, claim, resource_slice, result, store


def test_a_capacity_that_does_not_parse_is_unknown_and_reported(follow: Follow) -> None:
    broken = card(capacity={"memory": {"value": "24XB"}, "cores": {"value": "100"}})
    follow(store(resource_slice(broken), claim("c", shared()))).applied()
    assert balance("memory") == (None, "8Gi", None)
    assert balance("cores") == ("100", "50", "50")
    (skipped,) = SkippedObject.objects.all()
    assert (skipped.kind, skipped.name, skipped.part) == ("resourceslices", "slice-1", "device hami-gpu-0")
    assert "'24XB' is not a Kubernetes quantity" in skipped.reason


def test_a_consumption_that_does_not_parse_makes_what_is_left_unknown(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", shared(memory="8XB")))).applied()
    assert balance("memory") == ("24Gi", None, None)
    assert "8XB" in Share.objects.get().problem


def test_a_consumption_that_is_no_mapping_leaves_nothing_of_the_card_known(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result(consumedCapacity="all")))).applied()
    assert balance("memory") == ("24Gi", None, None)
    assert balance("cores") == ("100", None, None)
    assert SkippedObject.objects.get().part.endswith("consumedCapacity")


def test_a_malformed_detail_of_an_allocation_leaves_its_device_held(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result(share_id=None, tolerations="x")))).applied()
    assert Device.objects.get().state == "dedicated"


def test_a_number_is_an_amount_as_for_the_api_server(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result(consumedCapacity={"cores": 50})))).applied()
    assert balance("cores") == ("100", "50", "50")


def test_a_share_that_states_no_consumption_counts_nothing_and_is_told(follow: Follow) -> None:
    follow(store(resource_slice(card()), claim("c", result()))).applied()
    assert balance("memory") == ("24Gi", "0", "24Gi")
    assert "states no consumed capacity" in Share.objects.get().problem


def test_an_unknown_kind_of_attribute_is_kept_and_reported(follow: Follow) -> None:
    odd = card(attributes={"weight": {"float": "1.5"}, "uuid": {"string": "GPU-1"}})
    follow(store(resource_slice(odd))).applied()
    assert Device.objects.get().attributes["weight"] == {"float": "1.5"}
    assert "its kind 'float' is not known" in SkippedObject.objects.get().reason


def test_a_malformed_claim_is_skipped_and_its_row_kept(follow: Follow) -> None:
    held = store(resource_slice(card()), claim("good", shared("1Gi", "10")))
    uid = held.put(claim("bad", shared("2Gi", "20", share_id=SHARE.replace("1", "2"))))["metadata"]["uid"]
    followed = follow(held, version=IN_PAGES)
    followed.applied()
    broken = f'{{"metadata":{{"name":"bad","namespace":"team-a","uid":"{uid}"}},"spec":{{}},"status":"oops"}}'
    followed.server.faults.inject("*/resourceclaims", ReplaceItem(0, broken.encode()))
    followed.applied(in_full=True)
    assert set(Claim.objects.values_list("name", flat=True)) == {"good", "bad"}
    assert balance("memory") == ("24Gi", "3Gi", "21Gi")
    skipped = SkippedObject.objects.get()
    assert (skipped.kind, skipped.name, skipped.uid) == ("resourceclaims", "bad", uid)


def test_a_claim_without_a_name_that_can_be_read_keeps_all_rows_of_its_kind(follow: Follow) -> None:
    followed = follow(
        store(resource_slice(card()), claim("a", shared("1Gi", "1")), claim("b")), version=IN_PAGES
    )
    followed.applied()
    followed.server.faults.inject("*/resourceclaims", ReplaceItem(0, b'"no object at all"'))
    followed.applied(in_full=True)
    assert set(Claim.objects.values_list("name", flat=True)) == {"a", "b"}
    assert SkippedObject.objects.count() == 1


def test_a_malformed_slice_leaves_its_devices_as_they_were(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), claim("c", shared())), version=IN_PAGES)
    followed.applied()
    broken = b'{"metadata":{"name":"slice-1","uid":"u"},"spec":{"driver":5}}'
    followed.server.faults.inject("*/resourceslices", ReplaceItem(0, broken))
    followed.applied(in_full=True)
    assert balance("memory") == ("24Gi", "8Gi", "16Gi")
    assert SkippedObject.objects.get().name == "slice-1"
