import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random

import pytest

from demo import generated, recorded, resources
from demo.churn import WRITTEN_AT, Churn, run
from demo.churn.bag import Bag
from demo.store import Change, Object, Store
from tests.demo.story.books import device_id, overdrawn
from tests.inventory.sync.objects import card, resource_slice, store

STEPS = 4000


def small(seed: int = 1) -> Store:
    held = generated.cluster(48, 80, seed=seed, managed_fields=False)
    held.clock = lambda: datetime(2026, 12, 1, tzinfo=UTC)
    return held


def changes(held: Store, churn: Churn, count: int = STEPS) -> list[Change]:
    before = held.revision
    for _ in range(count):
        churn.step()
    return held.changes_after(before)


def results(claim: Object) -> list[Object]:
    found: list[Object] = claim["status"].get("allocation", {}).get("devices", {}).get("results", [])
    return found


@pytest.fixture(scope="module")
def lived() -> tuple[Store, list[Change]]:
    held = small()
    return held, changes(held, Churn(held, 5))


def claims_of(written: list[Change]) -> Iterator[Object]:
    for change in written:
        if change.resource is resources.RESOURCE_CLAIMS and not change.deleted:
            yield change.record.object()


def test_every_step_is_one_write(lived: tuple[Store, list[Change]]) -> None:
    assert len(lived[1]) == STEPS


def test_no_card_is_ever_overdrawn() -> None:
    held = small()
    churn = Churn(held, 2)
    for _ in range(25):
        changes(held, churn, 80)
        assert overdrawn(held) == []


def unlawful(held: Store) -> Iterator[str]:
    """What no control plane would let be, apart from sums."""
    claims = held.objects(resources.RESOURCE_CLAIMS)
    pods = {pod["metadata"]["uid"]: pod for pod in held.objects(resources.PODS)}
    yield from unlawful_results([result for claim in claims for result in results(claim)])
    for claim in claims:
        yield from (f"{claim['metadata']['name']} {fault}" for fault in unlawful_claim(claim, pods))


def unlawful_results(given: list[Object]) -> Iterator[str]:
    share_ids = Counter(result["shareID"] for result in given if "shareID" in result)
    yield from (f"{share_id} is given twice" for share_id, count in share_ids.items() if count > 1)
    counted = [result for result in given if not result.get("adminAccess")]
    holders = Counter(map(device_id, counted))
    for result in counted:
        if "shareID" not in result and holders[device_id(result)] > 1:
            yield f"{device_id(result)} is held whole, and by others"


def unlawful_claim(claim: Object, pods: dict[str, Object]) -> Iterator[str]:
    taken, consumers = results(claim), claim["status"].get("reservedFor", [])
    if taken and "finalizers" not in claim["metadata"]:
        yield "is allocated without a finalizer"
    if bool(consumers) is not bool(taken):
        yield f"is reserved {len(consumers)} times, allocated {len(taken)} times"
    asked = claim["spec"]["devices"]["requests"][0]["exactly"].get("capacity", {}).get("requests", {})
    if any("shareID" in one and not asked.items() <= one["consumedCapacity"].items() for one in taken):
        yield "consumes other than it asks for"
    running = [pods[one["uid"]] for one in consumers if one["uid"] in pods]
    nodes = {pod["spec"].get("nodeName") for pod in running if pod["status"]["phase"] == "Running"}
    # A pool of the generated cluster is named as its node.
    if nodes and nodes != {result["pool"] for result in taken}:
        yield "is on another node than its Pods"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_there_is_lawful_at_any_time(seed: int) -> None:
    held = small()
    churn = Churn(held, seed)
    for _ in range(40):
        changes(held, churn, 50)
        assert list(unlawful(held)) == []


def test_even_in_a_full_cluster_no_card_is_overdrawn() -> None:
    held = generated.cluster(10, 200, seed=4)
    changes(held, Churn(held, 1), 1500)
    assert overdrawn(held) == []


def test_the_same_seed_makes_the_same_changes() -> None:
    first, second = small(), small()
    one, other = changes(first, Churn(first, 9)), changes(second, Churn(second, 9))
    assert [each.record for each in one] == [each.record for each in other]


def test_most_writes_concern_pods_that_hold_no_device(lived: tuple[Store, list[Change]]) -> None:
    plain = [
        change
        for change in lived[1]
        if change.resource is resources.PODS and "resourceClaims" not in change.record.object()["spec"]
    ]
    assert len(plain) > STEPS / 2


def test_the_cluster_keeps_its_size() -> None:
    held = small()
    changes(held, Churn(held, 3), 8000)
    assert 60 < len(held.snapshot(resources.RESOURCE_CLAIMS).records) < 100


def test_every_kind_of_change_comes_about() -> None:
    held = small()
    churn = Churn(held, 5)
    kinds = Counter(churn.step() for _ in range(2 * STEPS))
    assert len(kinds) == 16, kinds


def test_shares_whole_cards_and_admin_access_are_given(lived: tuple[Store, list[Change]]) -> None:
    given = [result for claim in claims_of(lived[1]) for result in results(claim)]
    assert any("shareID" in result for result in given)
    assert any("shareID" not in result for result in given)
    assert any(result.get("adminAccess") for result in given)
    assert any(len(results(claim)) == 2 for claim in claims_of(lived[1]))


def test_names_come_back_with_other_uids(lived: tuple[Store, list[Change]]) -> None:
    for resource in (resources.RESOURCE_CLAIMS, resources.PODS):
        uids: dict[tuple[str, str], set[str]] = {}
        for change in lived[1]:
            if change.resource is resource:
                uids.setdefault(change.record.key, set()).add(change.record.object()["metadata"]["uid"])
        assert any(len(found) > 1 for found in uids.values())


def test_claims_are_deleted_while_they_are_held(lived: tuple[Store, list[Change]]) -> None:
    assert any("deletionTimestamp" in claim["metadata"] and results(claim) for claim in claims_of(lived[1]))


def test_a_pool_is_republished_slice_by_slice(lived: tuple[Store, list[Change]]) -> None:
    written = [
        change.record.object()["spec"]["pool"]
        for change in lived[1]
        if change.resource is resources.RESOURCE_SLICES
    ]
    assert {pool["resourceSliceCount"] for pool in written} == {1, 2}
    assert max(pool["generation"] for pool in written) > 2


def test_devices_are_tainted(lived: tuple[Store, list[Change]]) -> None:
    slices = [change.record.object() for change in lived[1] if change.resource is resources.RESOURCE_SLICES]
    assert any("taints" in device for one in slices for device in one["spec"]["devices"])


def test_devices_vanish_while_they_are_held(lived: tuple[Store, list[Change]]) -> None:
    held, written = lived
    lacking = [
        change
        for change in written
        if change.resource is resources.RESOURCE_SLICES
        and len(change.record.object()["spec"]["devices"]) == 7
    ]
    assert lacking
    for change in lacking:
        spec = change.record.object()["spec"]
        claims = held.snapshot(resources.RESOURCE_CLAIMS, change.record.revision).records
        taken = {
            result["device"]
            for record in claims
            for result in results(record.object())
            if result["pool"] == spec["pool"]["name"]
        }
        if taken - {device["name"] for device in spec["devices"]}:
            return
    pytest.fail("only free devices have vanished")


def test_claims_carry_the_instant_of_their_writing_if_asked() -> None:
    held = small()
    began = time.time_ns()
    stamps = [
        int(claim["metadata"]["labels"][WRITTEN_AT])
        for claim in claims_of(changes(held, Churn(held, 5, stamp=True), 500))
    ]
    assert stamps
    assert stamps == sorted(stamps)
    assert began <= stamps[0]
    assert stamps[-1] <= time.time_ns()


def test_without_being_asked_they_do_not(lived: tuple[Store, list[Change]]) -> None:
    assert not any(WRITTEN_AT in claim["metadata"].get("labels", {}) for claim in claims_of(lived[1]))


def test_quotas_count_the_claims_of_their_namespace() -> None:
    held = small()
    churn = Churn(held, 5)
    last = ""
    for _ in range(STEPS):
        if churn.step() == "quota counted":
            change = held.changes_after(held.revision - 1)[0].record.object()
            if (used := next(iter(change["status"]["used"].values()))) != "0":
                within = change["metadata"]["namespace"]
                records = held.snapshot(resources.RESOURCE_CLAIMS).records
                assert sum(record.namespace == within for record in records) == int(used)
                last = used
    assert last


@pytest.mark.parametrize(
    "held", [store(), store(resource_slice(card())), recorded.store()], ids=["empty", "one card", "recorded"]
)
def test_any_cluster_can_live(held: Store) -> None:
    assert len(changes(held, Churn(held, 1), 1000)) == 1000


def test_what_somebody_else_has_deleted_stops_nothing() -> None:
    held = small()
    churn = Churn(held, 1)
    for one in held.objects(resources.PODS)[::3]:
        held.delete(resources.PODS, one["metadata"]["namespace"], one["metadata"]["name"])
    assert len(changes(held, churn, 1000)) == 1000


def test_it_writes_at_the_rate_asked_for_until_it_is_stopped() -> None:
    held, stopped, written = small(), threading.Event(), list[int]()
    churn = Churn(held, 1)
    before = held.revision
    thread = threading.Thread(target=lambda: written.append(run(churn, 200.0, stopped)))
    thread.start()
    held.wait_for_change(before + 20, 20)
    stopped.set()
    thread.join()
    assert written == [held.revision - before]


def test_a_bag_gives_each_member_once() -> None:
    bag, random = Bag(range(10)), Random(1)
    bag.discard(9)
    bag.discard(9)
    assert sorted(bag.draw(random) for _ in range(9)) == list(range(9))
    with pytest.raises(LookupError):
        bag.pick(random)
