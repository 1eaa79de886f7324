"""Trees and messages as they are read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.dra.cel import wire
from inventory.dra.cel.ast import (
    Call,
    Comprehension,
    Constant,
    Entry,
    Ident,
    List,
    Node,
    Select,
    Struct,
    walk,
)
from inventory.dra.cel.engine import engine
from inventory.dra.cel.statictypes import checked
from inventory.dra.cel.treewire import decode, encode
from tests.inventory.dra.cel.test_golden import GOLDEN

NUMBERS = st.integers(1, 2**31)
NAMES = st.text(max_size=8)
CONSTANTS = st.one_of(
    st.builds(lambda number, text: Constant(number, 6, text.encode(), 2), NUMBERS, st.text(max_size=8)),
    st.builds(lambda number, whole: Constant(number, 3, whole, 0), NUMBERS, st.integers(0, 2**64 - 1)),
    st.builds(
        lambda number, octets: Constant(number, 5, octets, 1), NUMBERS, st.binary(min_size=8, max_size=8)
    ),
)


def _grown(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(nodes, max_size=3).map(tuple)
    entries = st.builds(Entry, NUMBERS, st.one_of(nodes, NAMES), nodes, st.booleans())
    return st.one_of(
        st.builds(Select, NUMBERS, nodes, NAMES, st.booleans()),
        st.builds(Call, NUMBERS, st.none() | nodes, NAMES, several),
        st.builds(List, NUMBERS, several, st.lists(st.integers(0, 2), max_size=2).map(tuple)),
        st.builds(Struct, NUMBERS, NAMES, st.lists(entries, max_size=2).map(tuple)),
        st.builds(Comprehension, NUMBERS, NAMES, nodes, NAMES, nodes, nodes, nodes, nodes),
    )


TREES = st.recursive(st.one_of(CONSTANTS, st.builds(Ident, NUMBERS, NAMES)), _grown, max_leaves=12)
FIELDS = st.one_of(
    st.tuples(st.integers(1, 2000), st.just(0), st.integers(0, 2**64 - 1)),
    st.tuples(st.integers(1, 2000), st.just(1), st.binary(min_size=8, max_size=8)),
    st.tuples(st.integers(1, 2000), st.just(2), st.binary(max_size=300)),
    st.tuples(st.integers(1, 2000), st.just(5), st.binary(min_size=4, max_size=4)),
)


@given(TREES)
def test_a_tree_survives_the_wire(tree: Node) -> None:
    assert decode(encode(tree)) == tree


@given(st.lists(FIELDS, max_size=8))
def test_a_message_survives_the_wire(held: list[wire.Field]) -> None:
    assert list(wire.fields(wire.message(held))) == held


@given(st.binary(max_size=60))
def test_bytes_are_a_tree_or_refused(octets: bytes) -> None:
    try:
        tree = decode(octets)
    except ValueError:
        return
    assert decode(encode(tree)) == tree


@pytest.mark.parametrize("expression", [case["expression"] for case in GOLDEN["cases"]])
def test_the_engine_s_own_trees_survive(expression: str) -> None:
    root = checked(engine().parse(expression)).root
    assert decode(encode(root)) == root


def test_a_negative_number_is_read() -> None:
    assert wire.signed(2**64 - 5) == -5


def test_types_and_places_are_the_checker_s() -> None:
    tree = checked(engine().check("true &&\n [device.driver].exists(d, d == '')"))
    kinds = {str(tree.type(node)) for node in walk(tree.root)}
    assert {"bool", "string", "list(string)"} <= kinds
    assert {tree.place(node) for node in walk(tree.root) if isinstance(node, List)} == {"2:2"}
