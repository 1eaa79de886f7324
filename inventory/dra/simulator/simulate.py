"""A question to the scheduler: where would these claims of one Pod go, node by node?"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from inventory.dra.simulator.allocated import Allocated
from inventory.dra.simulator.allocator import Allocator, Attempt
from inventory.dra.simulator.checks import Amounts
from inventory.dra.simulator.claims import Claim
from inventory.dra.simulator.counting import Counting
from inventory.dra.simulator.node_pools import NodePool, NodePools, Published, Slices
from inventory.dra.simulator.nodes import Node, NodeSelectorError, UnknownLabelsError
from inventory.dra.simulator.refusals import CannotSimulateError, RefusedError, TooLongError
from inventory.dra.simulator.rules import Rules
from inventory.dra.simulator.selection import ClassSelectors, Matches, Selection


class Cluster(msgspec.Struct, frozen=True):
    """What the scheduler sees; `classes` are the CEL expressions of each device class.

    `caveats` are what of it is not understood here and could change an answer, in words.
    """

    slices: Slices
    allocated: Allocated
    classes: Mapping[str, ClassSelectors]
    nodes: Mapping[str, Node]
    rules: Rules
    matches: Matches
    caveats: tuple[str, ...] = ()


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
    nodes: Sequence[Node],
    selection: Selection,
    budget: Callable[[], bool] = lambda: True,
) -> Iterator[Answer]:
    """One answer for every set of nodes that see the same devices, in the order of their first ones.

    Nodes that are not looked at before the budget is over have a doubt that says so.
    """
    counting, amounts = Counting(cluster.allocated, cluster.rules), Amounts(cluster.allocated, cluster.rules)
    pools = NodePools(cluster.slices, cluster.rules)
    for group, seen in alike(cluster, nodes, budget):
        if isinstance(seen, ValueError):
            yield _unseen(group, seen)
        elif not budget():
            yield _unseen(group, _not_looked_at())
        else:
            found = pools.of(seen)
            allocator = Allocator(
                group[0],
                found,
                claims,
                cluster.allocated,
                selection,
                counting,
                amounts,
                cluster.rules,
                budget,
            )
            yield _answer(group, found, allocator)


Seen = tuple[Published, ...]


def alike(
    cluster: Cluster, nodes: Sequence[Node], budget: Callable[[], bool] = lambda: True
) -> Iterator[tuple[tuple[Node, ...], Seen | ValueError]]:
    """Nodes that see the same slices, and of those that tell nodes apart the same devices."""
    groups: defaultdict[tuple[int, ...], list[Node]] = defaultdict(list)
    found: dict[tuple[int, ...], Seen] = {}
    for position, node in enumerate(nodes):
        if not budget():
            yield tuple(nodes[position:]), _not_looked_at()
            break
        try:
            seen = cluster.slices.seen_from(node, cluster.rules)
        except (NodeSelectorError, UnknownLabelsError) as error:
            yield (node,), error
            continue
        key = tuple(_marks(seen, node))
        groups[key].append(node)
        found[key] = seen
    for key, group in groups.items():
        yield tuple(group), found[key]


def _marks(seen: Seen, node: Node) -> Iterator[int]:
    for one in seen:
        yield id(one)
        if one.per_device:
            yield from one.marks(node)


def _not_looked_at() -> TooLongError:
    return TooLongError("the time was over before these nodes were looked at")


def _unseen(nodes: tuple[Node, ...], error: ValueError) -> Answer:
    if isinstance(error, NodeSelectorError):
        return Answer(nodes, refused=_unreadable(error))
    doubt = error if isinstance(error, CannotSimulateError) else CannotSimulateError(str(error))
    return Answer(nodes, doubt=doubt)


def _unreadable(error: NodeSelectorError) -> RefusedError:
    return RefusedError(f"failed to parse node selector: {error}")


def _answer(nodes: tuple[Node, ...], pools: tuple[NodePool, ...], allocator: Allocator) -> Answer:
    try:
        return Answer(nodes, pools, attempt=allocator.run())
    except RefusedError as error:
        return Answer(nodes, pools, refused=error)
    except CannotSimulateError as error:
        return Answer(nodes, pools, doubt=error)
    except NodeSelectorError as error:
        return Answer(nodes, pools, refused=_unreadable(error))
    except UnknownLabelsError as error:
        return Answer(nodes, pools, doubt=CannotSimulateError(str(error)))
