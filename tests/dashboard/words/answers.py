"""Answers with only what a test is about."""

from typing import Any

import msgspec

from inventory.dra.simulator.explanation import Verdict
from inventory.dra.simulator.pod_rules import PodRule
from inventory.dra.simulator.rejections import Check
from inventory.queries.fit.answers import FitRow, GroupRow, NodeFitRow, ObstacleRow

_NOTHING = {
    field.name: () if str(field.type).startswith("tuple") else None
    for field in msgspec.structs.fields(FitRow)
}


def answer(verdict: Verdict, **fields: Any) -> FitRow:
    counted = {"fits_on": 0, "fits_elsewhere_on": 0, "nodes": 1, "devices": 1, "pods_waiting": 0}
    subject = {"kind": "Pod", "namespace": "team-a", "name": "p"}
    return FitRow(**{**_NOTHING, **subject, **counted, "verdict": verdict, **fields})


def group(check: Check, **fields: Any) -> GroupRow:
    empty = {field.name: None for field in msgspec.structs.fields(GroupRow)}
    counted = {"devices": 3, "nodes": 1, "selected": True, "examples": ()}
    return GroupRow(**{**empty, **counted, "check": check, **fields})


def barred(node: str, rule: PodRule, detail: str | None = None) -> NodeFitRow:
    return NodeFitRow(node, ObstacleRow(rule, detail), ())
