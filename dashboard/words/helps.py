"""What would help a claim that fits nowhere: what the answer itself shows, and no more than that."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.words.amounts import dimension_label
from dashboard.words.writing import PLAIN, Writing
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.explanation import Verdict
from inventory.dra.simulator.pod_rules import PodRule
from inventory.dra.simulator.rejections import Check
from inventory.queries.fit.answers import FitRow, GroupRow, NodeFitRow, ObstacleRow

# Where something else is in the way, less of a request would not help.
MISSED = (Verdict.NO_ROOM, Verdict.POD_RULES, Verdict.POOLS)
_MOST = 5
_NODES = 3


class Help(NamedTuple):
    title: str
    detail: str


class Release(NamedTuple):
    """Holders of a device; each alone, once it gives back its share, leaves enough of the dimension."""

    device: DeviceId
    dimension: str
    holders: Sequence[str]


def helps(row: FitRow, releases: Sequence[Release] = (), writing: Writing = PLAIN) -> list[Help]:
    if row.verdict not in MISSED:
        return []
    groups = [group for request in row.requests for group in request.groups]
    found = [
        *_of_rules(row, writing),
        *(_of_release(one, writing) for one in releases),
        *(told for group in groups if (told := _of_group(group, writing)) is not None),
    ]
    return found[:_MOST]


def _of_rules(row: FitRow, writing: Writing) -> Iterator[Help]:
    """Of each rule that leaves out nodes on which the devices are there."""
    by_rule: dict[ObstacleRow, list[NodeFitRow]] = {}
    for one in row.elsewhere:
        if one.obstacle is not None:
            by_rule.setdefault(one.obstacle, []).append(one)
    for rule, fits in by_rule.items():
        nodes = writing.join(", ", (writing.node(one.node) for one in fits[:_NODES]))
        message = (
            _("The devices are free on %(nodes)s and others; the Pod's other rules must allow the node too.")
            if len(fits) > _NODES
            else _("The devices are free on %(nodes)s; the Pod's other rules must allow the node too.")
        )
        yield Help(_of_rule(rule, writing), writing.put(message, nodes=nodes))


def _of_rule(rule: ObstacleRow, writing: Writing) -> str:
    detail = writing.code(rule.detail or "")
    match rule.rule:
        case PodRule.UNSCHEDULABLE:
            return _("Uncordon the node")
        case PodRule.NODE_NAME:
            return writing.put(_("Take the name of node %(detail)s out of the Pod"), detail=detail)
        case PodRule.TAINT:
            return writing.put(_("Let the Pod tolerate the node's taint %(detail)s"), detail=detail)
        case PodRule.NODE_SELECTOR:
            return writing.put(_("Take %(detail)s out of the Pod's nodeSelector"), detail=detail)
        case PodRule.AFFINITY:
            return _("Widen the Pod's node affinity")
    return writing.put(
        _("Let the Pod do without claim %(detail)s, which binds it to other nodes"), detail=detail
    )


def _of_release(one: Release, writing: Writing) -> Help:
    n, what = len(one.holders), dimension_label(one.dimension)
    title = ngettext("Wait for %(holders)s to end", "Wait for one of %(holders)s to end", n)
    detail = ngettext(
        "It alone would leave enough %(what)s on %(device)s, which may be short of something else as well.",
        "Each alone would leave enough %(what)s on %(device)s, which may be short of something else as well.",
        n,
    )
    return Help(
        writing.put(title, holders=writing.join(", ", map(writing.code, one.holders))),
        writing.put(detail, what=what, device=writing.device(*one.device)),
    )


def _of_group(group: GroupRow, writing: Writing) -> Help | None:
    if not group.selected:
        return None
    match group.check:
        case Check.CAPACITY if group.left is not None and group.left.nanos > 0 and group.unit is not None:
            left, what = writing.amount(group.left, group.unit), dimension_label(group.subject or "")
            return Help(
                writing.put(_("Ask for no more than %(left)s of %(what)s"), left=left, what=what),
                _("So much is left on one of these devices; it may be short of something else as well."),
            )
        case Check.TAINT:
            n = group.devices
            detail = ngettext(
                "%(n)s device passed every check up to this one.",
                "%(n)s devices passed every check up to this one.",
                n,
            )
            taint = writing.code(group.subject or "")
            return Help(
                writing.put(_("Let the request tolerate the taint %(taint)s"), taint=taint),
                writing.put(detail, n=f"{n:,}"),
            )
        case Check.POOL:
            return _of_pool(group, writing)
    return None


def _of_pool(group: GroupRow, writing: Writing) -> Help:
    n = group.devices
    message = ngettext(
        "%(n)s device of it might do: %(reason)s.", "%(n)s devices of it might do: %(reason)s.", n
    )
    return Help(
        writing.put(
            _("Have the driver publish pool %(pool)s in full"), pool=writing.code(group.subject or "")
        ),
        writing.put(message, n=f"{n:,}", reason=writing.said(group.detail or "")),
    )
