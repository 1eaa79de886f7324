from typing import Any

import msgspec
import pytest

from dashboard.words import fit, misses
from inventory.dra.simulator.explanation import Caveat, Verdict
from inventory.dra.simulator.pod_rules import PodRule
from inventory.dra.simulator.rejections import Check
from inventory.dra.units import Unit
from inventory.kube.quantity import parse
from inventory.queries.fit.answers import (
    DoubtRow,
    ExcludedRow,
    FitRow,
    GroupRow,
    NodeFitRow,
    ObstacleRow,
    PlacementRow,
    UnmetRequestRow,
    UnusablePoolRow,
    WaitRow,
)
from inventory.queries.fit.questions import Waiting

_NOTHING = {
    field.name: () if str(field.type).startswith("tuple") else None
    for field in msgspec.structs.fields(FitRow)
}


def answer(verdict: Verdict, **fields: Any) -> FitRow:
    counted = {"fits_on": 0, "fits_elsewhere_on": 0, "nodes": 1, "devices": 1}
    subject = {"kind": "Pod", "namespace": "team-a", "name": "p"}
    return FitRow(**{**_NOTHING, **subject, **counted, "verdict": verdict, **fields})


def group(check: Check, **fields: Any) -> GroupRow:
    empty = {field.name: None for field in msgspec.structs.fields(GroupRow)}
    counted = {"devices": 3, "nodes": 1, "selected": True, "examples": ()}
    return GroupRow(**{**empty, **counted, "check": check, **fields})


def barred(node: str, rule: PodRule, detail: str | None = None) -> NodeFitRow:
    return NodeFitRow(node, ObstacleRow(rule, detail), ())


def test_every_verdict_and_check_has_a_word_and_an_icon() -> None:
    assert set(fit.VERDICT) == set(Verdict)
    assert set(misses.CHECK) == set(Check)
    for known in (fit.VERDICT, misses.CHECK):
        assert len({str(badge.word) for badge in known.values()}) == len(known)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_a_sentence(verdict: Verdict) -> None:
    assert fit.headline(answer(verdict)).endswith(".")


def test_what_fits_says_on_how_many_nodes() -> None:
    assert fit.headline(answer(Verdict.FITS, fits_on=1)) == "It fits now on 1 node."
    assert fit.headline(answer(Verdict.FITS, fits_on=1250)) == "It fits now on 1,250 nodes."


@pytest.mark.parametrize(
    ("waiting", "told"),
    [
        (Waiting.CONSUMER, "It would fit on 2 nodes, but no Pod uses it yet."),
        (Waiting.CLAIM, "It would fit on 2 nodes, once its claim is made."),
        (Waiting.QUOTA, "It would fit on 2 nodes, but a quota keeps its claim from being made."),
        (Waiting.GATES, "It would fit on 2 nodes, but the Pod has scheduling gates."),
    ],
)
def test_what_has_to_wait_never_fits_now(waiting: Waiting, told: str) -> None:
    row = answer(Verdict.FITS, claims=("c",), fits_on=2, wait=WaitRow(waiting, ("c",), None))
    assert fit.headline(row) == told
    assert fit.verdict(row).word == "fits, but waits"
    assert fit.beside_devices(row) == ""


@pytest.mark.parametrize(
    ("waiting", "told", "word"),
    [
        (Waiting.CLAIM, "A claim that it needs is not there yet.", "claim not made"),
        (Waiting.DELETION, "A claim that it needs is being deleted.", "claim being deleted"),
        (Waiting.NOTHING, "Every claim that it needs is allocated.", "nothing to allocate"),
    ],
)
def test_a_claim_that_is_not_there_is_no_claim_that_is_allocated(
    waiting: Waiting, told: str, word: str
) -> None:
    row = answer(Verdict.NOTHING_TO_PLACE, wait=WaitRow(waiting, ("c",), None))
    assert fit.headline(row) == told
    assert fit.verdict(row).word == word


@pytest.mark.parametrize("waiting", list(Waiting))
def test_what_has_to_happen_first_is_told_of_every_wait(waiting: Waiting) -> None:
    told = {fit.wait(WaitRow(one, ("c",), "d")) for one in Waiting}
    assert len(told) == len(Waiting)
    assert fit.wait(WaitRow(waiting, ("c",), "d")).endswith(".")


@pytest.mark.parametrize("caveat", list(Caveat))
def test_every_doubt_is_a_sentence(caveat: Caveat) -> None:
    assert fit.doubt(DoubtRow(caveat, 2, "why")).endswith(".")
    assert len({fit.doubt(DoubtRow(one, 2, "why")) for one in Caveat}) == len(Caveat)


def test_the_rule_that_leaves_nodes_out_is_named_where_it_is_one() -> None:
    selector = (PodRule.NODE_SELECTOR, "disk=ssd")
    one = answer(Verdict.POD_RULES, fits_elsewhere_on=1, elsewhere=(barred("n1", *selector),))
    assert fit.headline(one) == "It would fit on n1, but the Pod's nodeSelector wants disk=ssd."
    two = answer(
        Verdict.POD_RULES,
        fits_elsewhere_on=2,
        elsewhere=(barred("n1", *selector), barred("n2", *selector)),
    )
    assert fit.headline(two) == "It would fit on 2 nodes, but the Pod's nodeSelector wants disk=ssd."
    mixed = answer(
        Verdict.POD_RULES,
        fits_elsewhere_on=2,
        elsewhere=(barred("n1", *selector), barred("n2", PodRule.UNSCHEDULABLE)),
    )
    assert "the Pod's own rules leave them all out" in fit.headline(mixed)


@pytest.mark.parametrize("rule", list(PodRule))
def test_every_rule_of_a_pod_has_words_of_its_own(rule: PodRule) -> None:
    told = {fit.obstacle(ObstacleRow(one, "x")) for one in PodRule}
    assert len(told) == len(PodRule)
    assert fit.obstacle(ObstacleRow(rule, "x"))[0].islower()


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (
            group(Check.CAPACITY, subject="d/memory", need=parse("8Gi"), left=parse("5Gi"), unit=Unit.BYTES),
            "8 GiB of memory needed, at most 5 GiB left",
        ),
        (
            group(Check.COUNTER, subject="slices", need=parse("4"), left=parse("-2"), unit=Unit.COUNT),
            "slices: over-drawn by 2",
        ),
        (
            group(Check.POLICY, subject="cores", need=parse("101"), detail="too much", unit=Unit.PERCENT),
            "101 % of cores cannot be asked of them: too much",
        ),
        (
            group(Check.SELECTOR, subject="device.x", detail="class gpu", values="kind is a"),
            "kind is a; class gpu wants device.x",
        ),
        (
            group(Check.SELECTOR, subject="device.x", detail="request r0"),
            "other values; request r0 wants device.x",
        ),
        (group(Check.DIMENSION, subject="vram"), "they publish no vram under that name"),
        (group(Check.TAINT, subject="a=b:NoSchedule"), "tainted a=b:NoSchedule, not tolerated"),
        (group(Check.HELD), "held whole by another claim"),
        (group(Check.HELD, selected=False), "held whole by another claim, and not what the selectors want"),
        (group(Check.CONSTRAINT, detail="rack is 1"), "rack is 1"),
        (group(Check.POOL, subject="d/p", detail="1 of 2"), "pool d/p: 1 of 2"),
        (group(Check.UNKNOWN, detail="unreadable"), "unreadable"),
    ],
)
def test_a_miss_names_what_is_short_and_by_how_much(found: GroupRow, told: str) -> None:
    assert misses.why(found) == told


@pytest.mark.parametrize("check", list(Check))
def test_every_check_has_a_reason(check: Check) -> None:
    assert misses.why(group(check))


def test_the_nearest_miss_is_told_only_where_one_is_near() -> None:
    short = group(Check.CAPACITY, subject="memory", need=parse("8Gi"), left=parse("5Gi"), unit=Unit.BYTES)
    near = answer(Verdict.NO_ROOM, requests=(UnmetRequestRow("team-a/c", "r", 1, 0, (short,)),))
    assert misses.nearest(near) == "Nearest misses, 3 devices: 8 GiB of memory needed, at most 5 GiB left."
    for far in (group(Check.SELECTOR), group(Check.HELD, selected=False)):
        row = answer(Verdict.NO_ROOM, requests=(UnmetRequestRow("team-a/c", "r", 1, 0, (far,)),))
        assert misses.nearest(row) == ""
    assert misses.nearest(answer(Verdict.NO_ROOM)) == ""


def test_a_request_says_how_many_were_found_of_several() -> None:
    assert misses.request_title(UnmetRequestRow("team-a/c", "r", 1, 0, ())) == "r of c"
    several = UnmetRequestRow("team-a/c", "r", 4, 2, ())
    assert misses.request_title(several) == "r of c: 2 of 4 devices found on one node"


def test_a_placement_says_what_it_takes_memory_first() -> None:
    consumed = {"cores": parse("30"), "memory": parse("8Gi")}
    driver = "hami-core-gpu.project-hami.io"
    shared = PlacementRow("c", "gpu", driver, "p", "gpu-0", "L4", True, False, consumed)
    assert fit.placement(shared) == "gpu → gpu-0, L4, 8 GiB memory, 30 % cores"
    whole = PlacementRow("c", "gpu", driver, "p", "gpu-0", None, False, True, None)
    assert fit.placement(whole) == "gpu → gpu-0, admin access, the whole device"


def test_the_text_for_a_terminal_has_everything() -> None:
    short = group(Check.CAPACITY, subject="memory", need=parse("8Gi"), left=parse("5Gi"), unit=Unit.BYTES)
    row = answer(
        Verdict.POD_RULES,
        claims=("c",),
        message="it gave up",
        device="d/p/gpu-0",
        doubts=(DoubtRow(Caveat.NODES_LEFT, 3, "time is over"),),
        wait=WaitRow(Waiting.QUOTA, ("q",), "q: 2 of 2 used"),
        fits_elsewhere_on=1,
        elsewhere=(barred("n1", PodRule.UNSCHEDULABLE),),
        requests=(UnmetRequestRow("team-a/c", "r", 1, 0, (short,)),),
        excluded=(ExcludedRow(ObstacleRow(PodRule.UNSCHEDULABLE, None), 8),),
        pools=(UnusablePoolRow("d", "p", "1 of 2 slices", 3),),
    )
    assert list(fit.lines(row)) == [
        "Pod team-a/p: It would fit on n1, but the node is cordoned.",
        "  The claim cannot be made, a quota of the namespace is used up: q: 2 of 2 used.",
        "  it gave up (d/p/gpu-0)",
        "  3 nodes were not looked at: time is over.",
        "    n1:  (the node is cordoned)",
        "  r of c",
        "         3  8 GiB of memory needed, at most 5 GiB left",
        "  Left out by the Pod's own rules:",
        "    8 nodes: the node is cordoned",
        "  Pools that cannot be used:",
        "    d/p: 1 of 2 slices",
    ]
