import pytest

from inventory.models import Cluster
from tests.dashboard.pages.conftest import Get
from tests.factories import make_claim, make_device, make_pod

pytestmark = pytest.mark.django_db


def test_a_card_is_found_by_a_part_of_its_uuid(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/search?q=e0c18477")
    assert "1 thing has “e0c18477” in its name or UUID." in page
    assert "hami-gpu-1" in page


def test_pods_claims_devices_and_nodes_are_found_at_once(recorded_cluster: Cluster, get: Get) -> None:
    page = get("/search?q=gpu")
    assert "<h2>Devices</h2>" in page
    assert "<h2>Nodes</h2>" in page
    assert "<h2>Pods</h2>" in get("/search?q=share")


def test_nothing_found_says_what_was_searched(read: Get) -> None:
    assert "No Pod, claim, device or node has “nosuch” in its name or UUID." in read("/search?q=nosuch")


def test_an_empty_search_says_how_to_search(read: Get) -> None:
    assert "Write a part of the name" in read("/search")


def test_more_than_a_screen_leads_to_the_list(get: Get) -> None:
    for number in range(21):
        make_pod(f"train-{number}", uses=make_claim(f"slice-{number}"))
    make_device("train-device")
    page = get("/search?q=train")
    assert 'href="/pods/?q=train"' in page
    assert "All 21" in page
