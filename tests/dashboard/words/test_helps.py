import pytest

from dashboard.words.helps import MISSED, Release, helps
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.explanation import Verdict
from inventory.dra.simulator.pod_rules import PodRule
from inventory.dra.simulator.rejections import Check
from inventory.dra.units import Unit
from inventory.kube.quantity import parse
from inventory.queries.fit.answers import FitRow, GroupRow, UnmetRequestRow
from tests.dashboard.words.answers import answer, barred, group


def _missing(*groups: GroupRow) -> FitRow:
    return answer(Verdict.NO_ROOM, requests=(UnmetRequestRow("team-a/c", "r", 1, 0, groups, {}),))


@pytest.mark.parametrize("rule", list(PodRule))
def test_every_rule_that_leaves_out_a_node_with_room_can_be_changed(rule: PodRule) -> None:
    row = answer(Verdict.POD_RULES, fits_elsewhere_on=1, elsewhere=(barred("n1", rule, "x"),))
    (one,) = helps(row)
    assert one.detail == "The devices are free on n1; the Pod's other rules must allow the node too."
    others = [
        helps(answer(Verdict.POD_RULES, elsewhere=(barred("n1", other, "x"),)))[0].title for other in PodRule
    ]
    assert others.count(one.title) == 1


def test_the_nodes_of_one_rule_are_told_together() -> None:
    nodes = tuple(barred(f"n{number}", PodRule.UNSCHEDULABLE) for number in range(5))
    (one,) = helps(answer(Verdict.POD_RULES, elsewhere=nodes))
    assert one.detail.startswith("The devices are free on n0, n1, n2 and others;")


def test_holders_are_named_whose_share_alone_is_enough() -> None:
    device = DeviceId("d", "p", "gpu-0")
    one, several = helps(
        _missing(), [Release(device, "d/memory", ["train"]), Release(device, "cores", ["a", "b"])]
    )
    assert one == (
        "Wait for train to end",
        "It alone would leave enough memory on gpu-0, which may be short of something else as well.",
    )
    assert several == (
        "Wait for one of a, b to end",
        "Each alone would leave enough cores on gpu-0, which may be short of something else as well.",
    )


def test_less_may_be_asked_for_where_something_is_left() -> None:
    short = group(Check.CAPACITY, subject="memory", need=parse("8Gi"), left=parse("5Gi"), unit=Unit.BYTES)
    (one,) = helps(_missing(short))
    assert one.title == "Ask for no more than 5 GiB of memory"
    assert "short of something else" in one.detail
    nothing = group(Check.CAPACITY, subject="memory", need=parse("8Gi"), left=parse("0"), unit=Unit.BYTES)
    assert helps(_missing(nothing)) == []


def test_a_taint_may_be_tolerated_and_a_pool_be_mended() -> None:
    tainted = group(Check.TAINT, subject="a=b:NoSchedule", devices=1)
    pool = group(Check.POOL, subject="d/p", detail="1 of 2 slices")
    assert helps(_missing(tainted, pool)) == [
        (
            "Let the request tolerate the taint a=b:NoSchedule",
            "1 device passed every check up to this one.",
        ),
        ("Have the driver publish pool d/p in full", "3 devices of it might do: 1 of 2 slices."),
    ]


def test_what_the_request_does_not_want_is_no_help() -> None:
    assert helps(_missing(group(Check.POOL, subject="d/p", detail="1 of 2", selected=False))) == []


@pytest.mark.parametrize("verdict", [one for one in Verdict if one not in MISSED])
def test_where_something_else_is_in_the_way_nothing_of_it_helps(verdict: Verdict) -> None:
    elsewhere = (barred("n1", PodRule.UNSCHEDULABLE),)
    assert helps(answer(verdict, elsewhere=elsewhere)) == []
