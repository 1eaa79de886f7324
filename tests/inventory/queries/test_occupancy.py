"""Occupancy by every group, against sums that are made anew from the recorded objects."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from demo import recorded
from inventory.kube.quantity import NANO, parse
from inventory.models import Card, Share, Team
from inventory.queries import occupancy, teams
from inventory.queries.occupancy import Group, OccupancyRow
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import make_balance, make_claim, make_device, make_namespace, make_share, make_team
from tests.inventory.queries.test_quotas import NOW, limit, row
from tests.reading import read_recorded_cluster

FOLDER = Path(recorded.__file__).parent
DRIVERS = ("gpu.nvidia.com", "hami-core-gpu.project-hami.io", "ascend.project-hami.io")
GROUPS = [[one] for one in Group] + [list(two) for two in combinations(Group, 2)]


class HeldDevice(NamedTuple):
    """An allocation result with what it holds; `card` is the counter set of a partition, else the device."""

    namespace: str
    device_class: str
    node: str
    driver: str
    pool: str
    product: str
    card: str
    shared: bool
    amounts: dict[str, Fraction]
    totals: dict[str, Fraction]
    # Alone on a card and no partition of it.
    whole: bool


def _items(kind: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads((FOLDER / f"{kind}.json").read_text())["items"]
    return items


def _amounts(texts: dict[str, Any]) -> dict[str, Fraction]:
    values = {name: one["value"] if isinstance(one, dict) else one for name, one in texts.items()}
    return {name: Fraction(parse(text).nanos, NANO) for name, text in values.items()}


@cache
def _published() -> tuple[dict[tuple[str, str, str], Any], dict[tuple[str, str, str], dict[str, Fraction]]]:
    """Devices, and the counters of counter sets, by driver, pool and name."""
    devices, counters = {}, {}
    for one in _items("resourceslices"):
        spec = one["spec"]
        place = spec["driver"], spec["pool"]["name"]
        for device in spec.get("devices", ()):
            devices[(*place, device["name"])] = {**device, "node": spec.get("nodeName", "")}
        for counted in spec.get("sharedCounters", ()):
            counters[(*place, counted["name"])] = _amounts(counted["counters"])
    return devices, counters


def _class(claim: dict[str, Any], request: str) -> str:
    name, _, alternative = request.partition("/")
    asked = next(one for one in claim["spec"]["devices"]["requests"] if one["name"] == name)
    if not alternative:
        return str(asked["exactly"]["deviceClassName"])
    return str(next(one for one in asked["firstAvailable"] if one["name"] == alternative)["deviceClassName"])


def _held() -> Iterator[HeldDevice]:
    devices, counters = _published()
    for claim in _items("resourceclaims"):
        allocation = claim.get("status", {}).get("allocation") or {}
        for result in allocation.get("devices", {}).get("results", ()):
            place = result["driver"], result["pool"], result["device"]
            device = devices[place]
            own = _amounts(device.get("capacity", {}))
            has_uuid_and_memory = "uuid" in device.get("attributes", {}) and "memory" in own
            if result.get("adminAccess") or not (place[0] in DRIVERS or has_uuid_and_memory):
                continue
            drawn = device.get("consumesCounters", [{}])[0].get("counterSet", "")
            shared = "shareID" in result
            of_set = counters.get((*place[:2], drawn), {})
            yield HeldDevice(
                namespace=claim["metadata"]["namespace"],
                device_class=_class(claim, result["request"]),
                node=device["node"],
                driver=place[0],
                pool=place[1],
                product=device.get("attributes", {}).get("productName", {}).get("string", ""),
                card=drawn or place[2],
                shared=shared,
                amounts=_amounts(result["consumedCapacity"]) if shared else own,
                totals={name: of_set[_kebab(name)] for name in own} if drawn else own,
                whole=not shared and device.get("attributes", {}).get("type", {}).get("string") != "mig",
            )


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def _values(one: HeldDevice, groups: Sequence[Group]) -> tuple[str | None, ...]:
    """In the order of the fields of a row: cluster, team, namespace, node, pool, device class."""
    of_cluster = {Group.CLUSTER, Group.NAMESPACE, Group.NODE, Group.POOL}
    return (
        "lab-1" if of_cluster & {*groups} else None,
        one.namespace.removeprefix("team-") if Group.TEAM in groups else None,
        one.namespace if Group.NAMESPACE in groups else None,
        (one.node or None) if Group.NODE in groups else None,
        one.pool if Group.POOL in groups else None,
        one.device_class if Group.DEVICE_CLASS in groups else None,
    )


def _told(one: OccupancyRow) -> tuple[Any, ...]:
    groups = one.cluster, one.team, one.namespace, one.node, one.pool, one.device_class
    return (*groups, one.driver, one.product, one.dimension)


def _expected(groups: Sequence[Group]) -> dict[tuple[Any, ...], tuple[Fraction, int, int]]:
    """What is held, on how many cards, in how many shares."""
    found: dict[tuple[Any, ...], tuple[Fraction, int, int]] = {}
    parts: defaultdict[tuple[Any, ...], list[HeldDevice]] = defaultdict(list)
    for one in _held():
        parts[(*_values(one, groups), one.driver, one.product or None)].append(one)
    for key, members in parts.items():
        cards = len({(one.pool, one.card) for one in members})
        for dimension in {name for one in members for name in one.amounts}:
            held = sum((one.amounts.get(dimension, Fraction(0)) for one in members), Fraction(0))
            found[(*key, dimension)] = held, cards, len(members)
    return found


@pytest.mark.django_db
def test_every_grouping_is_what_the_recorded_objects_add_up_to(tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    shares, cards = Share.objects.order_by(), Card.objects.order_by()
    for groups in GROUPS:
        rows = occupancy.rows(shares, cards, groups, viewer=EVERYTHING)
        told = {_told(one): one for one in rows if one.shares}
        assert len([one for one in rows if one.shares]) == len(told)
        expected = _expected(groups)
        assert {
            key: (Fraction(one.held.nanos, NANO) if one.held is not None else None, one.cards, one.shares)
            for key, one in told.items()
            if key in expected
        } == expected, groups
        # A card has dimensions of which a share need not hold anything.
        assert [key for key, one in told.items() if key not in expected and one.held] == [], groups


@pytest.mark.django_db
def test_card_equivalents_of_all_drivers_are_what_the_recorded_objects_add_up_to(tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    cards: defaultdict[str, defaultdict[tuple[str, str], list[HeldDevice]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one in _held():
        cards[one.namespace.removeprefix("team-")][one.pool, one.card].append(one)
    for team in Team.objects.all():
        expected = sum(map(_equivalent, cards[team.slug].values()), Fraction(0))
        found = row(limit(team, "card_equivalents", "100"))
        assert found.used is not None
        assert (Fraction(found.fraction) if found.fraction else Fraction(found.used.nanos, NANO)) == expected
        use = teams.one(team.slug, NOW, viewer=EVERYTHING, reader=None)
        assert use is not None
        assert (use.use.cards, use.use.card_equivalents) == (len(cards[team.slug]), found.used)


def _equivalent(members: Sequence[HeldDevice]) -> Fraction:
    if any(one.whole for one in members):
        return Fraction(1)
    totals = members[0].totals
    held = {
        name: sum((one.amounts.get(name, Fraction(0)) for one in members), Fraction(0)) for name in totals
    }
    return min(Fraction(1), max(held[name] / totals[name] for name in totals if totals[name]))


@pytest.mark.django_db
@pytest.mark.parametrize("groups", [[Group.TEAM], [Group.NAMESPACE], [Group.TEAM, Group.NAMESPACE]])
def test_what_is_withheld_is_one_row_in_which_a_card_counts_once(groups: list[Group]) -> None:
    own, device = make_team("vision"), make_device()
    make_balance(device, "memory", "80Gi", "15Gi")
    for namespace, team, memory in (
        ("team-vision", own, "8Gi"),
        ("team-nlp", make_team("nlp"), "4Gi"),
        ("team-batch", make_team("batch"), "2Gi"),
        ("of-nobody", None, "1Gi"),
    ):
        claim = make_claim(namespace=make_namespace(namespace, team=team))
        make_share(device, claim, consumed={"memory": memory})
    shares, cards = Share.objects.order_by(), Card.objects.order_by()
    found = occupancy.rows(shares, cards, groups, viewer=Viewer(frozenset({own.pk})))
    assert [(one.withheld, one.cards, one.shares, str(one.held)) for one in found] == [
        (False, 1, 1, "8Gi"),
        (True, 1, 3, "7Gi"),
    ]
    assert (found[1].team, found[1].namespace, found[1].cluster) == (None, None, None)
    (nothing_named,) = occupancy.rows(shares, cards, groups, viewer=Viewer(frozenset()))
    assert (nothing_named.withheld, nothing_named.shares, str(nothing_named.held)) == (True, 4, "15Gi")
