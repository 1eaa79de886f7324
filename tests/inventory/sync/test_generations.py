"""With each share it is written in which generation of its cluster what happened to it."""

from inventory.models import Cluster, ShareInterval, Team
from tests.inventory.sync.books import GIVEN, RESOURCES, allocated, shared
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, claim, named, pod, resource_slice, store
from tests.inventory.sync.whose import namespace, of_key, reserved


def told() -> list[tuple[int, int, int | None]]:
    return list(ShareInterval.objects.order_by("pk").values_list("began_in", "told_in", "ended_in"))


def generation() -> int:
    return Cluster.objects.get().revision


def test_a_share_begins_and_ends_in_the_generations_that_polls_make(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    ((began, first_told, _),) = told()
    assert 0 < began == first_told <= generation()
    followed.store.put(claim("c"))
    followed.applied()
    ((still, last_told, ended),) = told()
    assert still == began < generation() == ended == last_told


def test_one_that_goes_with_its_claim_ends_in_a_generation_too(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.delete(RESOURCES["resourceclaims"], "team-a", "c")
    followed.applied()
    ((began, last_told, ended),) = told()
    assert ended is not None
    assert began < ended == last_told


def test_what_changes_elsewhere_is_not_told_of_a_share(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    before, began = told(), generation()
    followed.store.put(named("v1", "Node", "node-2", status={}))
    followed.applied()
    followed.applied(in_full=True)
    assert generation() > began
    assert told() == before


def _told_again() -> bool:
    """Of the only share that there is."""
    ((began, last_told, ended),) = told()
    return ended is None and began < last_told <= generation()


def test_it_is_told_again_when_its_claim_is_reserved_for_others(busy: Followed) -> None:
    busy.applied()
    assert not _told_again()
    busy.store.put(reserved(busy.store.put(pod("p")), busy.store.put(pod("q", ("c",)))))
    busy.applied()
    assert _told_again()


def test_it_is_told_again_when_its_claim_is_being_deleted(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.put(allocated(GIVEN, deletionTimestamp="2026-11-29T10:00:00Z", finalizers=["kept"]))
    followed.applied()
    assert _told_again()


def test_it_is_told_again_when_it_consumes_something_else(follow: Follow) -> None:
    followed = follow(store(resource_slice(card()), allocated(GIVEN)))
    followed.applied()
    followed.store.put(allocated(GIVEN, shared(memory="9Gi")))
    followed.applied()
    assert _told_again()


def test_one_that_becomes_another_teams_ends_and_begins_in_one_generation(
    busy: Followed, vision: Team, nlp: Team
) -> None:
    of_key("team")
    busy.applied()
    busy.store.put(namespace(labels={"team": "nlp"}))
    busy.applied()
    (began, _, ended), (again, last_told, open_end) = told()
    assert began < again == ended == last_told <= generation()
    assert open_end is None


def test_a_team_of_another_name_is_another_one_in_a_generation_of_its_own(
    busy: Followed, vision: Team
) -> None:
    of_key("team")
    busy.applied()
    before = generation()
    vision.slug = "sight"
    vision.save()
    (_, _, ended), (again, _, _) = told()
    assert ended is not None
    assert before < again == ended <= generation()
