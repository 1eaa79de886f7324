import pytest
from django.test import Client

from dashboard.pages.searches import BusyError, Searches
from inventory.models import Cluster, Node, Pod
from tests.dashboard.pages.conftest import Get
from tests.factories import make_cluster

pytestmark = pytest.mark.django_db


def _answers(searches: Searches[int], cluster: Cluster, *, subject: str = "claim") -> list[int]:
    """What is found for the same subject, again and again; a search finds how often it was made."""
    made: list[int] = []

    def search() -> int:
        made.append(len(made) + 1)
        return made[-1]

    return [searches.answer(cluster, subject, search) for _ in range(3)]


def test_an_answer_stays_while_the_cluster_stays_as_it_is() -> None:
    searches: Searches[int] = Searches(2, lambda _: True)
    assert _answers(searches, make_cluster()) == [1, 1, 1]


def test_a_cluster_that_changed_is_searched_again() -> None:
    searches: Searches[int] = Searches(2, lambda _: True)
    cluster = make_cluster()
    assert searches.answer(cluster, "claim", lambda: 1) == 1
    cluster.revision += 1
    assert searches.answer(cluster, "claim", lambda: 2) == 2
    assert searches.answer(cluster, "claim", lambda: 3) == 2


def test_what_is_not_settled_is_searched_again() -> None:
    searches: Searches[int] = Searches(2, lambda found: found > 1)
    assert _answers(searches, make_cluster()) == [1, 2, 2]


def test_only_the_last_answers_are_kept() -> None:
    searches: Searches[int] = Searches(2, lambda _: True)
    cluster = make_cluster()
    for subject in ("a", "b", "c"):
        assert searches.answer(cluster, subject, lambda: 1) == 1
    assert searches.answer(cluster, "c", lambda: 2) == 1
    assert searches.answer(cluster, "a", lambda: 2) == 2


def test_a_search_that_fails_leaves_room_for_the_next() -> None:
    searches: Searches[int] = Searches(2, lambda _: True)
    cluster = make_cluster()
    with pytest.raises(ZeroDivisionError):
        searches.answer(cluster, "claim", lambda: 1 // 0)
    assert searches.answer(cluster, "claim", lambda: 1) == 1


def test_another_search_waits_until_the_first_is_over() -> None:
    first: Searches[int] = Searches(2, lambda _: True)
    second: Searches[int] = Searches(2, lambda _: True)
    cluster = make_cluster()

    def search() -> int:
        with pytest.raises(BusyError):
            second.answer(cluster, "pod", lambda: 1)
        return 1

    assert first.answer(cluster, "claim", search) == 1
    assert second.answer(cluster, "pod", lambda: 1) == 1


def test_parts_of_pages_say_when_to_ask_again_and_pages_that_they_wait(
    recorded_cluster: Cluster, signed_in: Client, read: Get
) -> None:
    pod = Pod.objects.get(name="share-c").pk
    node = Node.objects.get(name="gpu-node-1").pk
    searches: Searches[int] = Searches(1, lambda _: True)

    def ask_while_searching() -> int:
        for path in (f"/pods/{pod}/fit/", f"/nodes/{node}/largest/"):
            response = signed_in.get(path)
            assert response.status_code == 503
            assert int(response["Retry-After"]) > 0
        for path in (f"/pods/{pod}/?fit=now", f"/nodes/{node}/?largest=now", "/nodes/largest/"):
            assert "Another search is running; it ends within seconds." in read(path)
        return 1

    assert searches.answer(recorded_cluster, "x", ask_while_searching) == 1
    assert "50 % of cores needed" in read(f"/pods/{pod}/fit/")


def test_a_kept_answer_is_told_while_others_search(
    recorded_cluster: Cluster, signed_in: Client, read: Get
) -> None:
    path = f"/pods/{Pod.objects.get(name='share-c').pk}/fit/"
    told = read(path)
    searches: Searches[str] = Searches(1, lambda _: True)
    again = searches.answer(recorded_cluster, "x", lambda: read(path))
    assert "50 % of cores needed" in again
    assert again.partition("As of")[0] == told.partition("As of")[0]
