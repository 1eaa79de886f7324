import pytest
from pytest_django import DjangoAssertNumQueries

from inventory.kube.quantity import parse
from inventory.models import Card
from inventory.queries import held_cards
from inventory.queries.cards import queryset
from inventory.viewer import EVERYTHING
from tests.factories import (
    later,
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_node,
    make_pod,
    make_share,
    make_team,
)

pytestmark = pytest.mark.django_db


def _only() -> held_cards.HeldCard:
    (card,) = held_cards.rows(queryset(), viewer=EVERYTHING)
    return card


def _held(device: object, namespace: str, colour: int, seconds: int, amount: str) -> None:
    team = make_team(namespace)
    team.colour = colour
    team.save()
    claim = make_claim(namespace=make_namespace(namespace, team=team))
    make_share(device, claim, started_at=later(seconds), consumed={"memory": amount})  # type: ignore[arg-type]


def test_slices_are_in_the_order_of_teams_then_of_age() -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "16Gi")
    _held(device, "vision", 2, 0, "8Gi")
    _held(device, "nlp", 1, 9, "2Gi")
    _held(device, "nlp", 1, 3, "4Gi")
    _held(device, "other", 0, 0, "1Gi")
    (track,) = _only().tracks
    assert [str(one.amount) for one in track.slices] == ["4Gi", "2Gi", "8Gi", "1Gi"]


def test_room_beside_a_used_up_dimension_is_stranded() -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "38Gi")
    make_balance(device, "cores", "100", "100")
    memory, cores = _only().tracks
    assert memory.stranded
    assert not cores.stranded


def test_a_dedicated_share_holds_all_of_its_device() -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "80Gi")
    make_share(device)
    (one,) = _only().tracks[0].slices
    assert one.amount == parse("80Gi")
    assert one.ratio == 1


def test_admin_access_holds_nothing() -> None:
    make_share(make_device(), admin_access=True)
    assert _only().shares == ()


def test_a_claim_of_several_pods_is_one_slice() -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "8Gi")
    share = make_share(device, consumed={"memory": "8Gi"})
    for name in ("a", "b"):
        make_pod(name, uses=share.claim)
    (one,) = _only().tracks[0].slices
    assert one.share is not None
    assert [pod.name for pod in one.share.pods] == ["a", "b"]


def test_a_partition_is_a_slice_of_its_card() -> None:
    whole = make_device("gpu-0", uuid="GPU-1")
    part = make_device("gpu-0-mig-1", card=whole.card)
    make_balance(whole, "memory", "80Gi", "20Gi")
    part.balances.create(
        cluster=part.cluster,
        dimension="memory",
        notation="BinarySI",
        total=20 * 2**30,
        allocated=0,
        remaining=0,
    )
    make_share(part)
    card = _only()
    assert card.device == whole.pk
    assert str(card.tracks[0].slices[0].amount) == "20Gi"


def test_a_card_of_no_node_is_placed_by_its_pool() -> None:
    make_device("free")
    assert _only().place == "node-1"
    Card.objects.update(node=make_node("node-7"))
    assert _only().place == "node-7"


def test_the_number_of_queries_is_fixed(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(5):
        device = make_device(f"gpu-{number}", node=make_node(f"node-{number}"))
        make_balance(device, "memory", "80Gi", "8Gi")
        make_pod(uses=make_share(device, consumed={"memory": "8Gi"}).claim)
    with django_assert_num_queries(8):
        assert len(held_cards.rows(queryset(), viewer=EVERYTHING)) == 5
