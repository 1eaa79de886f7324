from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from demo import resources
from demo.server import ApiServer
from demo.story import Story, trouble
from demo.story.ascend import CARD, NAMESPACE, SHARE_A, SHARE_B, SHARE_C, claim_name
from demo.story.devices import ASCEND, HAMI, NVIDIA
from demo.story.fleet import H100_NODE, L40S_NODE, LAB_NODE, T4_NODE, TAINTED_CARD
from demo.story.player import Player
from tests.demo.asking import watching
from tests.demo.story.books import allocated, device_id, overdrawn, published, results

START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
LAB_CARD = (ASCEND, LAB_NODE, CARD)


@pytest.fixture
def story() -> Story:
    return Story(seed=3, start=START)


@pytest.fixture(scope="module")
def opening() -> Story:
    """The story as it opens, for tests that change nothing of it."""
    return Story(seed=3, start=START)


def claim_of(story: Story, pod_name: str) -> dict[str, Any]:
    found = story.store.find(resources.RESOURCE_CLAIMS, NAMESPACE, claim_name(pod_name))
    assert found is not None
    return found


def pod(story: Story, namespace: str, name: str) -> dict[str, Any]:
    found = story.store.find(resources.PODS, namespace, name)
    assert found is not None
    return found


def test_two_shares_fill_the_card_and_the_third_waits(opening: Story) -> None:
    assert allocated(opening.store, LAB_CARD) == {"cores": Decimal(100), "memory": Decimal(16384 * 2**20)}
    assert claim_of(opening, SHARE_C)["status"] == {}
    condition = pod(opening, NAMESPACE, SHARE_C)["status"]["conditions"][0]
    assert condition["reason"] == "Unschedulable"
    assert condition["message"].startswith("0/10 nodes are available: 10 cannot allocate all claims.")


def test_a_share_of_the_card_is_what_the_lab_shows(opening: Story) -> None:
    claim = claim_of(opening, SHARE_A)
    assert claim["metadata"]["name"] == "team-vision-ascend-share-a-app-ascend310p"
    assert "ownerReferences" not in claim["metadata"]
    result = claim["status"]["allocation"]["devices"]["results"][0]
    assert result["consumedCapacity"] == {"cores": "50", "memory": "8Gi"}
    assert (result["device"], result["pool"]) == ("npu-0-0", "aio-node74-arm")
    assert claim["status"]["reservedFor"][0]["uid"] == pod(opening, NAMESPACE, SHARE_A)["metadata"]["uid"]


def test_when_share_a_leaves_share_c_gets_its_place(story: Story) -> None:
    story.delete_share_a()
    assert story.store.find(resources.RESOURCE_CLAIMS, NAMESPACE, claim_name(SHARE_A)) is None
    assert claim_of(story, SHARE_C)["status"]["allocation"]
    assert allocated(story.store, LAB_CARD)["cores"] == 100
    story.advance(5)
    assert pod(story, NAMESPACE, SHARE_C)["status"]["phase"] == "Running"


def test_steps_taken_twice_change_nothing(story: Story) -> None:
    story.restore_share_a()
    story.delete_share_a()
    reached = story.store.revision
    story.delete_share_a()
    assert story.store.revision == reached


def test_everything_can_start_over(story: Story) -> None:
    story.delete_share_a()
    story.restore_share_a()
    assert claim_of(story, SHARE_A)["status"]["allocation"]
    assert claim_of(story, SHARE_B)["status"]["allocation"]
    assert claim_of(story, SHARE_C)["status"] == {}


def test_the_story_goes_on_by_itself(story: Story) -> None:
    seen = []
    for _ in range(4):
        story.advance(80)
        seen.append(story.store.get(resources.PODS, NAMESPACE, SHARE_A) is not None)
    assert True in seen
    assert False in seen


def test_a_watch_sees_the_two_writes_of_an_allocation(story: Story) -> None:
    reached = story.store.revision
    story.delete_share_a()
    path = f"/apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaims"
    query = {"resourceVersion": str(reached), "fieldSelector": f"metadata.name={claim_name(SHARE_C)}"}
    with ApiServer(story.store) as server, watching(server.url, path, **query) as events:
        first, second = next(events)["object"], next(events)["object"]
    assert first["metadata"]["finalizers"]
    assert first["status"] == {}
    assert second["status"]["allocation"]["allocationTimestamp"]
    assert second["status"]["reservedFor"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_is_ever_given_away_twice(seed: int) -> None:
    story = Story(seed=seed, start=START)
    for _ in range(30):
        story.advance(30)
        assert overdrawn(story.store) == []


def test_jobs_come_and_go(story: Story) -> None:
    before = {each["metadata"]["uid"] for each in story.store.objects(resources.JOBS)}
    story.advance(1200)
    after = {each["metadata"]["uid"] for each in story.store.objects(resources.JOBS)}
    assert after - before
    assert before - after


def test_a_finished_pod_holds_nothing_and_its_own_claim_is_gone(opening: Story) -> None:
    done = [each for each in opening.store.objects(resources.PODS) if each["status"]["phase"] == "Succeeded"]
    assert done
    names = {each["metadata"]["name"] for each in opening.store.objects(resources.RESOURCE_CLAIMS)}
    assert (
        not {entry["resourceClaimName"] for each in done for entry in each["status"]["resourceClaimStatuses"]}
        & names
    )


def test_the_same_seed_tells_the_same_story() -> None:
    bodies = []
    for _ in range(2):
        story = Story(seed=5, start=START)
        story.advance(300)
        bodies.append([record.body for record in story.store.snapshot(resources.RESOURCE_CLAIMS).records])
    assert bodies[0] == bodies[1]


def test_every_team_holds_something(opening: Story) -> None:
    holding = {
        each["metadata"]["namespace"]
        for each in opening.store.objects(resources.RESOURCE_CLAIMS)
        if each["status"].get("allocation")
    }
    assert holding == {"team-vision", "team-nlp", "team-batch", "team-rec", "team-infra"}


# What goes wrong


def test_a_leaked_claim_is_held_for_a_pod_that_is_gone(opening: Story) -> None:
    leaked = opening.store.find(resources.RESOURCE_CLAIMS, "team-rec", trouble.LEAKED_CLAIM)
    assert leaked is not None
    assert leaked["status"]["allocation"]["devices"]["results"][0]["consumedCapacity"] == {
        "cores": "100",
        "memory": "8Gi",
    }
    holder = leaked["status"]["reservedFor"][0]["uid"]
    assert holder not in {each["metadata"]["uid"] for each in opening.store.objects(resources.PODS)}


def test_a_claim_holds_a_card_that_is_published_no_more(opening: Story) -> None:
    lost = (HAMI, T4_NODE, trouble.LOST_CARD)
    assert lost not in published(opening.store)
    assert lost in {device_id(result) for result in results(opening.store)}
    assert {device_id(result) for result in results(opening.store)} - published(opening.store).keys() == {
        lost
    }


def test_nothing_is_placed_on_tainted_cards_and_incomplete_pools(story: Story) -> None:
    story.advance(900)
    used = {device_id(result) for result in results(story.store)}
    assert (NVIDIA, H100_NODE, TAINTED_CARD) not in used
    assert L40S_NODE not in {pool for _, pool, _ in used}


def test_a_claim_larger_than_any_card_stays_pending(opening: Story) -> None:
    claim = opening.store.find(resources.RESOURCE_CLAIMS, "team-nlp", trouble.TOO_LARGE)
    assert claim is not None
    assert claim["status"] == {}
    message = pod(opening, "team-nlp", trouble.TOO_LARGE)["status"]["conditions"][0]["message"]
    assert message.startswith(
        "0/10 nodes are available: 1 cannot allocate all claims, "
        "9 node(s) didn't match Pod's node affinity/selector."
    )


# The rarer ways to hold a device


def test_three_pods_share_one_claim(opening: Story) -> None:
    claim = opening.store.find(resources.RESOURCE_CLAIMS, "team-rec", "embeddings-shared")
    assert claim is not None
    assert len({each["uid"] for each in claim["status"]["reservedFor"]}) == 3
    assert len(claim["status"]["allocation"]["devices"]["results"]) == 1


def test_admin_access_is_marked(opening: Story) -> None:
    claim = opening.store.find(resources.RESOURCE_CLAIMS, "team-infra", "gpu-monitor")
    assert claim is not None
    assert claim["status"]["allocation"]["devices"]["results"][0]["adminAccess"] is True


def test_an_extended_resource_takes_a_whole_card(opening: Story) -> None:
    status = pod(opening, "team-batch", "legacy-train")["status"]["extendedResourceClaimStatus"]
    assert status["requestMappings"][0]["requestName"] == "container-0-request-2"
    claim = opening.store.find(resources.RESOURCE_CLAIMS, "team-batch", status["resourceClaimName"])
    assert claim is not None
    result = claim["status"]["allocation"]["devices"]["results"][0]
    assert result["consumedCapacity"] == {"cores": "100", "memory": "15Gi"}


def test_a_classic_pod_holds_no_claim(opening: Story) -> None:
    classic = pod(opening, "team-rec", "classic-infer")
    assert "resourceClaims" not in classic["spec"]
    assert classic["status"]["phase"] == "Running"


def test_quotas_count_what_claims_ask_for(opening: Story) -> None:
    quota = next(
        q
        for q in opening.store.objects(resources.RESOURCE_QUOTAS)
        if q["metadata"]["namespace"] == "team-nlp"
    )
    claims = [
        c
        for c in opening.store.objects(resources.RESOURCE_CLAIMS)
        if c["metadata"]["namespace"] == "team-nlp"
    ]
    assert quota["status"]["used"]["count/resourceclaims.resource.k8s.io"] == str(len(claims))


# Time


def test_objects_have_been_there_for_a_while(opening: Story) -> None:
    assert pod(opening, NAMESPACE, SHARE_A)["metadata"]["creationTimestamp"] == "2026-11-29T11:40:00Z"


def test_after_the_opening_a_given_clock_tells_the_time() -> None:
    later = datetime(2027, 1, 1, tzinfo=UTC)
    story = Story(seed=3, start=START, clock=lambda: later)
    story.delete_share_a()
    claim = claim_of(story, SHARE_C)
    assert claim["status"]["allocation"]["allocationTimestamp"] == "2027-01-01T00:00:00Z"


def test_a_player_lets_time_pass(story: Story, until: Callable[[Callable[[], bool]], None]) -> None:
    reached = story.store.revision
    with Player(story, speed=1000):
        until(lambda: story.store.revision > reached + 20)
    stopped_at = story.store.revision
    assert stopped_at > reached
