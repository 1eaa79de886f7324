from decimal import Decimal
from typing import Any

from django.http import QueryDict

from dashboard.charts import wall
from inventory.kube.quantity import parse
from inventory.queries.dimensions import Dimension
from inventory.queries.kinds import Kind
from inventory.queries.wall import Block, BlockGroup, Cell, Column, Group

KIND = Kind("gpu.example.com", "A100", "shared")


def _cell(**fields: Any) -> Cell:
    memory = Dimension(parse("80Gi"), parse("32Gi"), parse("48Gi"), Decimal("0.4"), None)
    known: dict[str, Any] = {
        "card": 1,
        "device": 7,
        "key": "gpu-0",
        "use": 40,
        "tainted": False,
        "muted": False,
        "shares": 2,
    }
    return Cell(**{**known, "dimensions": {"memory": memory}, **fields})


def _wall(*cells: Cell) -> dict[str, Any]:
    groups = wall.wall([Group("lab", KIND, (Column("node-1", 3, 2, cells),))])["groups"]
    column: dict[str, Any] = groups[0]["columns"][0]
    return column


def test_a_cell_is_its_use_and_what_is_said_of_it() -> None:
    column = _wall(_cell())
    assert column["cells"] == [[40, 0, "<b>node-1 · gpu-0</b><br>40 % used<br>memory 40 %<br>2 shares"]]


def test_a_use_that_is_not_known_is_null_and_said_to_be_unknown() -> None:
    ((use, _, text),) = _wall(_cell(use=None))["cells"]
    assert use is None
    assert "use not known" in text


def test_taints_and_filters_are_flags_of_their_own() -> None:
    assert [cell[1] for cell in _wall(_cell(tainted=True), _cell(muted=True))["cells"]] == [1, 2]


def test_a_column_leads_to_its_node_or_to_the_cards_of_its_pool() -> None:
    assert _wall(_cell())["href"] == "/nodes/3/"
    pool = wall.wall([Group("lab", KIND, (Column("rack 1&2", None, 2, (_cell(),)),))])
    assert pool["groups"][0]["columns"][0]["href"] == "/devices/?pool=rack+1%262"


def test_names_are_no_markup() -> None:
    ((_, _, text),) = _wall(_cell(key="<script>"))["cells"]
    assert "&lt;script&gt;" in text


def test_a_run_of_nodes_leads_to_the_wall_of_them_with_the_same_filters() -> None:
    block = Block("node-1", "node-9", 9, 72, 0, 0, 55)
    figure = wall.blocks([BlockGroup("lab", KIND, (block,))], QueryDict("state=free&page=2"))
    column = figure["groups"][0]["columns"][0]
    assert column["href"] == "/devices/?state=free&view=wall&from=node-1&to=node-9&cluster=lab"
    assert column["cells"] == [[55, 0, "<b>node-1 – node-9</b><br>72 cards<br>55 % used on average"]]


def test_a_wall_that_opens_nothing_says_its_columns_in_words() -> None:
    cells = (_cell(use=None), _cell(use=40), _cell(use=61, tainted=True))
    figure = wall.wall([Group("lab", KIND, (Column("node-1", 3, 2, cells),))], opens=False)
    said = "node-1: 3 cards, 51 % used on average, 1 not known, 1 tainted"
    assert figure["groups"][0]["columns"][0]["said"] == said
    assert _wall(_cell())["said"] == ""


def test_a_node_of_which_a_little_is_held_is_not_said_to_be_free() -> None:
    cells = (_cell(use=1), *[_cell(use=0)] * 7)
    figure = wall.wall([Group("lab", KIND, (Column("node-1", 3, 2, cells),))], opens=False)
    assert figure["groups"][0]["columns"][0]["said"] == "node-1: 8 cards, 1 % used on average"


def test_a_run_of_nodes_says_of_how_many_cards_its_use_is_not_known() -> None:
    block = Block("node-1", "node-9", 9, 72, 0, 4, 55)
    figure = wall.blocks([BlockGroup("lab", KIND, (block,))], QueryDict())
    ((_, _, text),) = figure["groups"][0]["columns"][0]["cells"]
    assert text == "<b>node-1 – node-9</b><br>72 cards<br>55 % used on average<br>4 not known"


def test_groups_are_told_apart_by_what_they_are_of() -> None:
    block = Block("node-1", "node-9", 9, 72, 0, 0, 55)
    other = Kind("gpu.example.com", "H100", "shared")
    groups = [BlockGroup("lab", KIND, (block,)), BlockGroup("lab", other, (block,))]
    figure = wall.blocks(groups, QueryDict())
    refs = [column["ref"] for group in figure["groups"] for column in group["columns"]]
    assert len(set(refs)) == 2
    assert [line.name for line in wall.block_lines(groups, QueryDict())] == ["node-1 – node-9"] * 2
