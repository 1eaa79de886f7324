from collections import Counter

import pytest

from demo import generated, resources
from demo.server import ApiServer
from tests.demo.asking import CLAIMS, PODS, ask
from tests.demo.story.books import device_id, overdrawn, published, results


def test_the_cluster_has_the_size_asked_for() -> None:
    store = generated.cluster(100, 300, seed=2)
    assert len(published(store)) == 100
    assert len(store.snapshot(resources.RESOURCE_CLAIMS).records) == 300
    assert len(store.snapshot(resources.RESOURCE_SLICES).records) == 13
    assert len(store.snapshot(resources.PODS).records) == 360


def test_cards_are_shared_and_never_overdrawn() -> None:
    store = generated.cluster(100, 300, seed=2)
    held = Counter(device_id(result) for result in results(store))
    assert held.total() == 285
    assert held.keys() <= published(store).keys()
    assert len(held) < 100
    assert overdrawn(store) == []


def test_even_a_crowded_cluster_is_not_overdrawn() -> None:
    assert overdrawn(generated.cluster(10, 200, seed=4)) == []


def test_more_claims_than_room_are_refused() -> None:
    with pytest.raises(ValueError, match="too many"):
        generated.cluster(1, 100)


def test_the_same_seed_makes_the_same_cluster() -> None:
    first, second = (generated.cluster(16, 40, seed=9).snapshot(resources.PODS).records for _ in range(2))
    assert first == second


def test_claims_have_the_weight_of_real_ones() -> None:
    for managed_fields, least, most in ((True, 2200, 2700), (False, 1200, 1600)):
        records = (
            generated.cluster(40, 200, managed_fields=managed_fields)
            .snapshot(resources.RESOURCE_CLAIMS)
            .records
        )
        assert least < sum(len(record.body) for record in records) / len(records) < most


def test_every_claim_has_its_pod_and_every_owner_is_there() -> None:
    with ApiServer(generated.cluster(16, 40, seed=9)) as server:
        pods = {each["metadata"]["uid"]: each for each in ask(server.url, PODS).json["items"]}
        for claim in ask(server.url, CLAIMS).json["items"]:
            owner = claim["metadata"]["ownerReferences"][0]
            holder = pods[owner["uid"]]
            assert (
                claim["metadata"]["name"] == holder["status"]["resourceClaimStatuses"][0]["resourceClaimName"]
            )
            assert bool(claim["status"].get("allocation")) is (holder["status"]["phase"] == "Running")
        sets = {
            each["metadata"]["uid"] for each in ask(server.url, "/apis/apps/v1/replicasets").json["items"]
        }
        owners = {ref["uid"] for each in pods.values() for ref in each["metadata"].get("ownerReferences", [])}
        assert owners <= sets
