from typing import Any

import pytest

from dashboard.words import largest
from inventory.dra.units import Unit
from inventory.kube.quantity import parse
from inventory.queries.largest import Amount, OmittedRow, RoomRow


def _row(**fields: Any) -> RoomRow:
    counted = {"cards": 2, "free": 0, "barred": 0, "unknown": 0}
    known = {"cluster": "lab", "driver": "d", "product": None, "nodes": ("n",), "stranded": ()}
    return RoomRow(**{**counted, **known, "memory": None, "cores": None, "published": ("memory",), **fields})


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "none left"),
        ({"published": ("cores",)}, "none published"),
        ({"barred": 1}, "none to be had"),
        ({"unknown": 1}, "none to be had"),
        ({"unknown": 2}, ""),
    ],
)
def test_nothing_is_told_as_what_it_is(fields: dict[str, Any], told: str) -> None:
    assert largest.nothing(_row(**fields), "memory") == told


def test_what_is_left_out_of_a_request_is_told_with_what_it_takes() -> None:
    cores = Amount("cores", Unit.PERCENT, parse("100"))
    assert largest.omitted(OmittedRow(cores, True)) == "leaving out cores takes 100 % of it"
    assert largest.omitted(OmittedRow(cores, False)).endswith("100 % of it, which is not left")
