import re
from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from tests.factories import later, make_cluster, make_device, make_team

PATH = "/api/v1/devices/"


def tag(api: Client, path: str = PATH, **headers: str) -> str:
    return str(api.get(path, headers=headers)["ETag"])


def test_an_unchanged_answer_is_not_sent_again(
    api: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_device()
    known = tag(api)
    # The token and its user, and what the answer rests on: no count, no device.
    with django_assert_num_queries(5):
        response = api.get(PATH, headers={"If-None-Match": known})
    assert (response.status_code, response.content) == (304, b"")
    assert response["ETag"] == known
    assert "Authorization" in response["Vary"]


def test_the_tag_is_strong(api: Client) -> None:
    assert re.fullmatch(r'"[0-9a-f]{40}"', tag(api))


def test_an_item_is_not_sent_again_either(api: Client) -> None:
    path = f"{PATH}{make_device().pk}/"
    assert api.get(path, headers={"If-None-Match": tag(api, path)}).status_code == 304


def test_a_poll_that_finds_no_change_sends_nothing_but_the_newer_time(api: Client) -> None:
    cluster = make_cluster()
    first = api.get(PATH)
    cluster.observed_at = cluster.attempted_at = later(15)
    cluster.save()
    again = api.get(PATH, headers={"If-None-Match": first["ETag"]})
    assert first["Sliceboard-As-Of"] == first.json()["as_of"]
    assert (again.status_code, again.content) == (304, b"")
    assert again["Sliceboard-As-Of"] > first["Sliceboard-As-Of"]


def test_a_poll_that_finds_a_change_makes_another_answer(api: Client) -> None:
    cluster = make_cluster()
    known = tag(api)
    cluster.revision += 1
    cluster.save()
    assert api.get(PATH, headers={"If-None-Match": known}).status_code == 200


def test_rows_that_tell_their_age_are_always_new(api: Client) -> None:
    make_cluster()
    assert tag(api, "/api/v1/clusters/") != tag(api, "/api/v1/clusters/")


def test_before_the_first_poll_there_is_no_time_to_tell(api: Client) -> None:
    assert "Sliceboard-As-Of" not in api.get(PATH)


def test_what_is_asked_who_asks_and_how_make_different_tags(api: Client, operator: User) -> None:
    other = Client()
    other.force_login(User.objects.create_user("other"))
    tags = [
        tag(api),
        tag(api, f"{PATH}?state=free"),
        tag(api, f"{PATH}?state=full"),
        tag(api, f"{PATH}?format=csv"),
        tag(api, **{"Accept-Language": "zh-hans"}),
        tag(other),
        tag(api, "/api/v1/shares/"),
    ]
    assert len(set(tags)) == len(tags)


def test_the_order_of_parameters_makes_no_difference(api: Client) -> None:
    assert tag(api, f"{PATH}?state=free&limit=1") == tag(api, f"{PATH}?limit=1&state=free")


def test_a_cluster_that_was_not_asked_for_changes_nothing(api: Client) -> None:
    make_cluster("lab")
    other = make_cluster("other")
    known = tag(api, f"{PATH}?cluster=lab")
    other.revision += 1
    other.save()
    assert tag(api, f"{PATH}?cluster=lab") == known


def test_turning_stale_makes_another_answer(api: Client, settings: Settings) -> None:
    make_cluster(observed_at=timezone.now() - timedelta(hours=1))
    settings.SLICEBOARD_STALE_SECONDS = 2 * 3600
    fresh = tag(api)
    settings.SLICEBOARD_STALE_SECONDS = 60
    assert tag(api) != fresh


def test_a_renamed_team_makes_another_answer(api: Client) -> None:
    team = make_team()
    known = tag(api)
    team.slug = "sight"
    team.save()
    assert tag(api) != known


def test_a_mistake_is_told_whatever_the_client_knows(api: Client) -> None:
    response = api.get(f"{PATH}?colour=red", headers={"If-None-Match": "*"})
    assert response.status_code == 400


def test_answers_belong_to_one_viewer_and_are_asked_for_again(api: Client) -> None:
    response = api.get(PATH)
    assert response["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "Cookie", "Accept", "Accept-Language"} <= set(response["Vary"].split(", "))
