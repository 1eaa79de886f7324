"""Changes of teams that belong together."""

import pytest

from inventory.models import Cluster, Namespace, TeamNamespace, TeamRule
from inventory.teams.assignment import changing_teams
from tests.factories import make_namespace, make_team

pytestmark = pytest.mark.django_db


def test_changes_that_belong_together_move_things_once() -> None:
    for name in "ab":
        make_namespace(name)
    team = make_team()
    revision = Cluster.objects.get().revision
    with changing_teams(), changing_teams():
        for name in "ab":
            TeamNamespace.objects.create(team=team, namespace=name)
        assert not Namespace.objects.exclude(team=None).exists()
    assert Namespace.objects.filter(team=team).count() == 2
    assert Cluster.objects.get().revision == revision + 1


def test_changes_that_fail_move_nothing_and_hold_nothing_back() -> None:
    make_namespace("a")
    team = make_team()

    def fail() -> None:
        with changing_teams():
            TeamNamespace.objects.create(team=team, namespace="a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not TeamNamespace.objects.exists()
    assert Namespace.objects.get().team is None
    TeamNamespace.objects.create(team=team, namespace="a")
    assert Namespace.objects.get().team == team


def test_what_moves_nothing_is_no_news() -> None:
    make_namespace("a")
    revision = Cluster.objects.get().revision
    TeamRule.objects.create(key="team")
    assert Cluster.objects.get().revision == revision
