"""A question to the scheduler: where would these claims of one Pod go, node by node?"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from inventory.dra.simulator.allocated import Allocated
from inventory.dra.simulator.allocator import Allocator, Attempt
from inventory.dra.simulator.claims import Claim
from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePool, Published, Slices, node_pools
from inventory.dra.simulator.nodes import Node, NodeSelectorError, UnknownLabelsError
from inventory.dra.simulator.refusals import CannotSimulateError, RefusedError
from inventory.dra.simulator.rules import Rules
from inventory.dra.simulator.selection import ClassSelectors, Matches, Selection


class Cluster(msgspec.Struct, frozen=True):
    """What the scheduler sees; `classes` are the CEL expressions of each device class."""

    slices: Slices
    allocated: Allocated
    classes: Mapping[str, ClassSelectors]
    nodes: Mapping[str, Node]
    rules: Rules
    matches: Matches


class Answer(msgspec.Struct, frozen=True):
    """Of nodes that see the same devices. Either an attempt, or why there is none."""

    nodes: tuple[Node, ...]
    pools: tuple[NodePool, ...] = ()
    attempt: Attempt | None = None
    refused: RefusedError | None = None
    doubt: CannotSimulateError | None = None


def simulate(
    cluster: Cluster,
    claims: Sequence[Claim],
    selection: Selection,
    budget: Callable[[], bool] = lambda: True,
) -> list[Answer]:
    """One answer for every set of nodes that see the same devices, by the name of their first node."""
    counting = Counting(cluster.allocated, cluster.rules)
    answers = []
    for nodes, seen in _alike(cluster):
        if isinstance(seen, ValueError):
            answers.append(_unseen(nodes, seen))
            continue
        pools = node_pools(seen, cluster.slices)
        allocator = Allocator(
            nodes[0], pools, claims, cluster.allocated, selection, counting, cluster.rules, budget
        )
        answers.append(_answer(nodes, pools, allocator))
    return answers


def _alike(cluster: Cluster) -> Iterator[tuple[tuple[Node, ...], tuple[Published, ...] | ValueError]]:
    """Nodes that see the same slices, and of those that tell nodes apart the same devices."""
    groups: defaultdict[tuple[int, ...], list[Node]] = defaultdict(list)
    found: dict[tuple[int, ...], tuple[Published, ...]] = {}
    for _, node in sorted(cluster.nodes.items()):
        try:
            seen = cluster.slices.seen_from(node, cluster.rules)
            key = tuple(_marks(seen, node))
        except (NodeSelectorError, UnknownLabelsError) as error:
            yield (node,), error
            continue
        groups[key].append(node)
        found[key] = seen
    for key, nodes in groups.items():
        yield tuple(nodes), found[key]


def _marks(seen: Sequence[Published], node: Node) -> Iterator[int]:
    for one in seen:
        yield id(one)
        if one.per_device:
            yield from (
                position
                for position, candidate in enumerate(one.candidates)
                if candidate.place is not None and candidate.place.takes(node)
            )


def _unseen(nodes: tuple[Node, ...], error: ValueError) -> Answer:
    if isinstance(error, NodeSelectorError):
        return Answer(nodes, refused=RefusedError(f"failed to parse node selector: {error}"))
    return Answer(nodes, doubt=CannotSimulateError(str(error)))


def _answer(nodes: tuple[Node, ...], pools: tuple[NodePool, ...], allocator: Allocator) -> Answer:
    try:
        return Answer(nodes, pools, attempt=allocator.run())
    except RefusedError as error:
        return Answer(nodes, pools, refused=error)
    except CannotSimulateError as error:
        return Answer(nodes, pools, doubt=error)
    except NodeSelectorError as error:
        return Answer(nodes, pools, refused=RefusedError(f"failed to parse node selector: {error}"))
    except UnknownLabelsError as error:
        return Answer(nodes, pools, doubt=CannotSimulateError(str(error)))
