"""Two Pods on one 310P3 and a third that waits: the books while both run, and after one has gone."""

import pytest

from demo.story import Story
from inventory.models import Balance, Claim, Device, Pod, PodClaim, Share
from inventory.models.amounts import to_quantity
from inventory.sync.check import differences
from tests.inventory.sync.conftest import Follow, Followed

CARD = {"device__pool__name": "aio-node74-arm", "device__name": "npu-0-0"}


@pytest.fixture
def story() -> Story:
    return Story(seed=1)


@pytest.fixture
def followed(follow: Follow, story: Story) -> Followed:
    found = follow(story.store, "story")
    found.applied()
    return found


def left(dimension: str) -> tuple[str, str]:
    row = Balance.objects.get(dimension=dimension, **CARD)
    return str(to_quantity(row.allocated, row.exponent, row.notation)), str(
        to_quantity(row.remaining, row.exponent, row.notation)
    )


def holders() -> set[str]:
    shares = Share.objects.filter(**CARD)
    return set(
        PodClaim.objects.filter(claim__shares__in=shares, reserved=True).values_list("pod__name", flat=True)
    )


def state(pod: str) -> str:
    return Claim.objects.get(pod_claims__pod__name=pod).state


def test_while_both_run_the_card_has_5141_mib_and_no_cores_left_and_the_third_waits(
    followed: Followed,
) -> None:
    assert left("memory") == ("16Gi", "5141Mi")
    assert left("cores") == ("100", "0")
    assert holders() == {"ascend-share-a", "ascend-share-b"}
    assert Device.objects.get(pool__name="aio-node74-arm", name="npu-0-0").state == "full"
    assert state("ascend-share-c") == "pending"
    assert "cannot allocate all claims" in Pod.objects.get(name="ascend-share-c").scheduling_message


def test_after_the_deletion_the_third_is_placed_and_the_books_recover(
    followed: Followed, story: Story
) -> None:
    story.delete_share_a()
    followed.applied()
    assert holders() == {"ascend-share-b", "ascend-share-c"}
    assert state("ascend-share-c") == "allocated,reserved"
    assert (left("memory"), left("cores")) == (("16Gi", "5141Mi"), ("100", "0"))
    assert not Pod.objects.filter(name="ascend-share-a").exists()


def test_the_books_stay_right_while_jobs_come_and_go(followed: Followed, story: Story) -> None:
    for _ in range(6):
        story.advance(30)
        followed.applied()
        assert list(differences(followed.cluster)) == []
        assert not Device.objects.filter(state="over_allocated").exists()


def test_what_goes_wrong_is_seen(followed: Followed) -> None:
    assert Device.objects.filter(state="not_published", shares__gt=0).exists()
    assert Device.objects.filter(tainted=True).exists()
    assert Device.objects.filter(pool__state="incomplete").exists()
    leaked = Claim.objects.filter(state__startswith="allocated", consumers__gone=True)
    assert leaked.exists()
