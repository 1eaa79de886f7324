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
    GroupRow,
    NodeFitRow,
    ObstacleRow,
    PlacementRow,
    UnmetRequestRow,
    UnusablePoolRow,
    WaitingPodRow,
    WaitRow,
)
from inventory.queries.fit.questions import Waiting
from tests.dashboard.words.answers import answer, barred, group


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
    assert fit.headline(mixed) == "It would fit on 2 nodes, but the Pod's own rules leave them all out."


def test_several_nodes_are_not_told_as_one() -> None:
    cordoned = (barred("n1", PodRule.UNSCHEDULABLE), barred("n2", PodRule.UNSCHEDULABLE))
    row = answer(Verdict.POD_RULES, fits_elsewhere_on=2, elsewhere=cordoned)
    assert fit.headline(row) == "It would fit on 2 nodes, but the nodes are cordoned."
    tainted = ObstacleRow(PodRule.TAINT, "a=b:NoSchedule")
    assert fit.excluded(ExcludedRow(tainted, 1)) == "1 node: the node's taint a=b:NoSchedule is not tolerated"
    assert (
        fit.excluded(ExcludedRow(tainted, 2)) == "2 nodes: the nodes' taint a=b:NoSchedule is not tolerated"
    )


def test_of_more_nodes_than_are_told_the_rule_is_named_only_if_there_is_no_other() -> None:
    cordoned, named = ObstacleRow(PodRule.UNSCHEDULABLE, None), ObstacleRow(PodRule.NODE_NAME, "n1")
    told = {"fits_elsewhere_on": 250, "elsewhere": (barred("n2", PodRule.UNSCHEDULABLE),)}
    only = answer(Verdict.POD_RULES, **told, excluded=(ExcludedRow(cordoned, 250),))
    assert fit.headline(only) == "It would fit on 250 nodes, but the nodes are cordoned."
    others = answer(Verdict.POD_RULES, **told, excluded=(ExcludedRow(cordoned, 250), ExcludedRow(named, 3)))
    assert fit.headline(others) == "It would fit on 250 nodes, but the Pod's own rules leave them all out."


def test_an_answer_about_devices_claims_nothing_about_the_rest() -> None:
    told = fit.beside_devices(answer(Verdict.FITS, fits_on=1))
    assert told.startswith("Only devices and the Pod's node rules are looked at here.")
    assert fit.beside_devices(answer(Verdict.NO_ROOM)) == ""


def test_on_the_page_of_a_claim_the_pod_is_named_that_is_answered_for() -> None:
    one = answer(Verdict.FITS, claims=("c",), pods_waiting=1)
    assert fit.placed_for(one) == "Answered for Pod p, which waits for it."
    several = answer(Verdict.FITS, claims=("c",), fits_on=1, pods_waiting=1200)
    told = "Answered for Pod p, which comes off best of the 1,200 Pods that wait for it."
    assert fit.placed_for(several) == told
    assert list(fit.lines(several))[1] == f"  {told}"
    assert fit.placed_for(answer(Verdict.FITS, kind="ResourceClaim", claims=("c",))) == ""


def test_the_other_pods_are_told_with_their_own_verdict() -> None:
    assert fit.other_pod(WaitingPodRow("q", Verdict.NO_ROOM, 0, None)) == "q: no room"
    assert fit.other_pod(WaitingPodRow("q", Verdict.FITS, 2, None)) == "q: fits"
    assert fit.other_pod(WaitingPodRow("q", Verdict.FITS, 2, Waiting.GATES)) == "q: fits, but waits"


def test_claims_of_one_pod_are_placed_together() -> None:
    two = answer(Verdict.FITS, claims=("c", "d"))
    assert fit.placed_together(two) == "Its claims are placed together: c, d."
    assert fit.placed_together(answer(Verdict.FITS, claims=("c",))) == ""


def test_what_is_cut_off_a_list_is_told_above_it() -> None:
    row = answer(Verdict.FITS, fits_on=1250, fits_elsewhere_on=3)
    assert fit.fits_heading(row, 12) == "Nodes on which it fits: the first 12 of 1,250, by name"
    assert fit.fits_heading(row, 1250) == "Nodes on which it fits"
    assert fit.elsewhere_heading(row, 3) == "It would fit here, if the Pod could go there"
    assert fit.elsewhere_heading(row, 2).endswith("the first 2 of 3, by name")


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
    near = answer(Verdict.NO_ROOM, requests=(UnmetRequestRow("team-a/c", "r", 1, 0, (short,), {}),))
    assert misses.nearest(near) == "Nearest misses, 3 devices: 8 GiB of memory needed, at most 5 GiB left."
    for far in (group(Check.SELECTOR), group(Check.HELD, selected=False)):
        row = answer(Verdict.NO_ROOM, requests=(UnmetRequestRow("team-a/c", "r", 1, 0, (far,), {}),))
        assert misses.nearest(row) == ""
    assert misses.nearest(answer(Verdict.NO_ROOM)) == ""


def test_a_request_says_how_many_were_found_of_several() -> None:
    assert misses.request_title(UnmetRequestRow("team-a/c", "r", 1, 0, (), {})) == "r of c"
    several = UnmetRequestRow("team-a/c", "r", 4, 2, (), {})
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
        claims=("c", "d"),
        message="it gave up",
        device="d/p/gpu-0",
        doubts=(DoubtRow(Caveat.NODES_LEFT, 3, "time is over"),),
        wait=WaitRow(Waiting.QUOTA, ("q",), "q: 2 of 2 used"),
        fits_elsewhere_on=1,
        elsewhere=(barred("n1", PodRule.UNSCHEDULABLE),),
        requests=(UnmetRequestRow("team-a/c", "r", 1, 0, (short,), {}),),
        excluded=(ExcludedRow(ObstacleRow(PodRule.UNSCHEDULABLE, None), 8),),
        pools=(UnusablePoolRow("d", "p", "1 of 2 slices", 3),),
    )
    assert list(fit.lines(row)) == [
        "Pod team-a/p: It would fit on n1, but the node is cordoned.",
        "  Its claims are placed together: c, d.",
        "  The claim cannot be made, a quota of the namespace is used up: q: 2 of 2 used.",
        "  it gave up (d/p/gpu-0)",
        "  3 nodes were not looked at: time is over.",
        "  It would fit here, if the Pod could go there:",
        "    n1:  (the node is cordoned)",
        "  r of c",
        "         3  8 GiB of memory needed, at most 5 GiB left",
        "  Left out by the Pod's own rules:",
        "    8 nodes: the nodes are cordoned",
        "  Pools that cannot be used:",
        "    d/p: 1 of 2 slices",
    ]


def test_the_text_for_a_terminal_says_how_many_nodes_it_leaves_out() -> None:
    placed = PlacementRow("c", "gpu", "d", "p", "gpu-0", None, False, False, None)
    row = answer(Verdict.FITS, fits_on=250, fits=(NodeFitRow("n1", None, (placed,)),))
    assert list(fit.lines(row)) == [
        "Pod team-a/p: It fits now on 250 nodes.",
        "  Nodes on which it fits: the first 1 of 250, by name:",
        "    n1: gpu → gpu-0, the whole device",
    ]


def test_pools_that_cannot_be_used_are_told_only_where_they_may_be_missed() -> None:
    pools = (UnusablePoolRow("d", "p", "1 of 2 slices", 3),)
    placed = PlacementRow("c", "gpu", "d", "p", "gpu-0", None, False, False, None)
    row = answer(Verdict.FITS, fits_on=1, fits=(NodeFitRow("n1", None, (placed,)),), pools=pools)
    assert not any("1 of 2 slices" in line for line in fit.lines(row))


def test_a_single_device_is_told_with_what_it_has_itself() -> None:
    short = group(Check.CAPACITY, subject="memory", need=parse("8Gi"), left=parse("5Gi"), unit=Unit.BYTES)
    assert misses.short(short, parse("2Gi")) == "8 GiB of memory needed, 2 GiB left"
    assert misses.short(short, None) == "8 GiB of memory needed, at most 5 GiB left"
    assert misses.short(group(Check.TAINT, subject="a"), None) == "tainted a, not tolerated"


def test_an_example_names_its_device_whose_pool_may_have_slashes() -> None:
    assert misses.device_id("d.example.com/rack/1/gpu-0") == ("d.example.com", "rack/1", "gpu-0")
