import pytest

from inventory.kube.quantity import parse
from inventory.models import Share
from inventory.queries import holders, pods
from inventory.viewer import EVERYTHING
from tests.factories import (
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_pod,
    make_share,
    make_team,
)

pytestmark = pytest.mark.django_db


def by_team() -> dict[str | None, holders.TeamRow]:
    return {
        row.slug: row
        for row in holders.by_team(Share.objects.all(), pods.queryset(viewer=EVERYTHING), viewer=EVERYTHING)
    }


def test_a_claim_reserved_by_many_pods_counts_once() -> None:
    claim = make_claim(namespace=make_namespace(team=make_team()))
    make_share(make_device(), claim, consumed={"memory": "8Gi"})
    make_pod(uses=claim)
    make_pod(uses=claim)

    row = by_team()["vision"]

    assert (row.cards, row.shares, row.pods) == (1, 1, 2)
    assert [(one.dimension, one.held) for one in row.amounts] == [("memory", parse("8Gi"))]


def test_a_dedicated_share_holds_all_that_the_device_has() -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "80Gi")
    make_share(device, make_claim(namespace=make_namespace(team=make_team())), dedicated=True)
    assert by_team()["vision"].amounts[0].held == parse("80Gi")


def test_admin_access_counts_nothing() -> None:
    claim = make_claim(namespace=make_namespace(team=make_team()))
    make_share(make_device(), claim, admin_access=True, consumed={"memory": "80Gi"})
    row = by_team()["vision"]
    assert (row.cards, row.shares, row.amounts) == (0, 0, ())


def test_an_amount_that_cannot_be_read_is_left_out_and_counted() -> None:
    namespace = make_namespace(team=make_team())
    make_share(make_device("a"), make_claim(namespace=namespace), consumed={"memory": None})
    make_share(make_device("b"), make_claim(namespace=namespace), consumed={"memory": "1Gi"})
    (amount,) = by_team()["vision"].amounts
    assert (amount.held, amount.shares_unknown) == (parse("1Gi"), 1)


def test_a_card_that_two_teams_share_counts_for_both() -> None:
    device = make_device()
    for slug in ("vision", "nlp"):
        namespace = make_namespace(slug, team=make_team(slug))
        make_share(device, make_claim(namespace=namespace), consumed={"memory": "1Gi"})
    assert {slug: row.cards for slug, row in by_team().items()} == {"vision": 1, "nlp": 1}


def test_what_belongs_to_no_team_comes_last_and_has_no_name() -> None:
    make_team()
    make_share(make_device(), make_claim(namespace=make_namespace("stray")), consumed={"memory": "1Gi"})
    assert list(by_team()) == ["vision", None]
    assert by_team()[None].cards == 1


def test_what_is_no_accelerator_is_in_no_sum() -> None:
    claim = make_claim(namespace=make_namespace(team=make_team()))
    make_share(make_device(accelerator=False), claim, consumed={"bandwidth": "1G"})
    assert by_team()["vision"].amounts == ()
