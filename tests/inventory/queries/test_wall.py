import pytest

from inventory.models import Card, Pool
from inventory.queries import wall
from tests.factories import make_balance, make_device, make_node, make_pool

pytestmark = pytest.mark.django_db


def _card(name: str, node: str, **fields: object) -> Card:
    device = make_device(name, pool=make_pool(node), node=make_node(node))
    make_balance(device, "memory", "80Gi", "0")
    Card.objects.filter(devices=device).update(**fields)
    return Card.objects.get(devices=device)


def _cells() -> list[wall.Cell]:
    groups = wall.cells(wall.placed(wall.of_clusters([])), None)
    return [cell for group in groups for column in group.columns for cell in column.cells]


@pytest.mark.parametrize(
    ("millionths", "use"), [(0, 0), (1, 1), (400_000, 40), (400_001, 41), (1_200_000, 100)]
)
def test_a_card_of_which_anything_is_held_is_not_drawn_as_free(millionths: int, use: int) -> None:
    _card("gpu-0", "node-1", use_millionths=millionths)
    assert [cell.use for cell in _cells()] == [use]


def test_the_use_of_a_card_in_an_incomplete_pool_is_not_known() -> None:
    _card("gpu-0", "node-1", use_millionths=0)
    Pool.objects.update(state=Pool.State.INCOMPLETE)
    assert [cell.use for cell in _cells()] == [None]


def test_a_column_is_a_node_and_a_group_a_kind() -> None:
    for node in ("node-1", "node-2"):
        for name in ("gpu-0", "gpu-1"):
            _card(name, node)
    _card("npu-0", "node-2", product="310P3")
    groups = wall.cells(wall.placed(wall.of_clusters([])), None)
    assert [(group.kind.product, [column.place for column in group.columns]) for group in groups] == [
        ("310P3", ["node-2"]),
        ("A100", ["node-1", "node-2"]),
    ]


def test_cards_that_do_not_match_stay_in_place_and_are_muted() -> None:
    kept = _card("gpu-0", "node-1")
    _card("gpu-1", "node-1")
    groups = wall.cells(wall.placed(wall.of_clusters([])), Card.objects.filter(pk=kept.pk))
    assert [cell.muted for cell in groups[0].columns[0].cells] == [False, True]


def test_blocks_take_the_mean_of_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall, "BLOCKS", 1)
    for number, use in enumerate((200_000, 400_000, None)):
        _card(f"gpu-{number}", f"node-{number}", use_millionths=use)
    (group,) = wall.blocks(wall.placed(wall.of_clusters([])))
    (block,) = group.blocks
    assert (block.first, block.last, block.nodes, block.cards) == ("node-0", "node-2", 3, 3)
    assert (block.use, block.unknown) == (30, 1)


def test_never_more_cells_than_a_screen_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall, "BLOCKS", 4)
    for number in range(10):
        _card(f"gpu-{number}", f"node-{number}")
    (group,) = wall.blocks(wall.placed(wall.of_clusters([])))
    assert len(group.blocks) == 4
    assert sum(block.cards for block in group.blocks) == 10


@pytest.mark.parametrize("ref", ["", "n", "x1", "n-1", "n1.5", "n" + "9" * 19])
def test_what_names_no_column_has_no_cards(ref: str) -> None:
    _card("gpu-0", "node-1")
    assert not wall.column(ref).exists()
