"""What is kept of each card against what its shares say, for any books."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from inventory.models import Card, CardHolding, Cluster, Pool, Share, Team, TeamNamespace
from inventory.queries import card_holdings
from inventory.queries import holdings as shares_held
from inventory.queries.card_holdings import HeldBy
from inventory.sync import check, holdings
from inventory.sync.compare import compare_cluster
from inventory.sync.remove import remove
from tests.factories import (
    asks_for,
    make_balance,
    make_card,
    make_claim,
    make_cluster,
    make_device,
    make_namespace,
    make_pool,
    make_share,
    make_team,
)
from tests.inventory.sync.books import GIVEN, allocated, shared
from tests.inventory.sync.conftest import Follow, Followed
from tests.inventory.sync.objects import card, claim, resource_slice, result, store
from tests.inventory.sync.whose import namespace

_CLASSES = ("", "gpu", "mig")
_SCOPES: dict[str, tuple[str, ...]] = {
    "everybody": (),
    "team": ("claim__team_id",),
    "class": ("claim__team_id", "device_class"),
}
# Share and card, or why the share is not known.
Part = Fraction | str


def _cards(random: Random) -> list[Any]:
    """Devices of cards that are whole, parts of one, or not published any more; some amounts nobody knows."""
    found = []
    for number in range(random.randrange(1, 6)):
        pool = make_pool(f"node-{number % 2}", driver=random.choice(("a.example.com", "b.example.com")))
        parts = random.choice((1, 1, 3))
        whole = make_card(f"card-{number}", pool=pool, partitioned=parts > 1, product=random.choice("XY"))
        for part in range(parts):
            name = whole.key if part == 0 else f"{whole.key}-{part}"
            device = make_device(name, pool=pool, card=whole, listed=random.randrange(6) > 0)
            if device.listed:
                _dimensions(random, device, own=parts == 1)
            found.append(device)
        if parts > 1:
            _of_card(random, whole)
    return found


def _dimensions(random: Random, device: Any, *, own: bool) -> None:
    for dimension in ("memory", "cores", "x.example.com/links"):
        if random.randrange(5):
            row = make_balance(device, dimension, random.choice(("80Gi", "100", "0", "3", None)), None)
            if not own:
                type(row).objects.filter(pk=row.pk).update(card=None)


def _of_card(random: Random, whole: Card) -> None:
    stand_in = make_device(f"{whole.key}-sums", pool=whole.pool, card=whole, listed=False)
    for dimension in ("memory", "cores"):
        row = make_balance(stand_in, dimension, random.choice(("80Gi", "100", None)), None)
        type(row).objects.filter(pk=row.pk).update(device=None)


def _hold(random: Random, devices: list[Any], teams: list[Team | None]) -> None:
    team = random.choice(teams)
    name = f"of-{team.slug}" if team else "of-nobody"
    spec = asks_for(random.choice(_CLASSES[1:]))
    held = make_claim(namespace=make_namespace(name, team=team), spec=spec)
    consumed = {
        dimension: random.choice(("8Gi", "1", "50", "33", "0", None))
        for dimension in ("memory", "cores", "more")
        if random.randrange(3)
    }
    fields: dict[str, Any] = {"request": random.choice(("card", "another"))}
    match random.randrange(6):
        case 0:
            consumed = {}
        case 1:
            consumed, fields = {}, {**fields, "dedicated": False, "problem": "it says nothing"}
        case 2:
            fields["admin_access"] = True
    make_share(random.choice(devices), held, consumed=consumed, **fields)


def _derived(keys: tuple[str, ...]) -> dict[tuple[Any, ...], tuple[Part, tuple[int, ...]]]:
    """By the keys and the card, straight from shares."""
    shares = Share.objects.all()
    numbers = shares_held.numbers(shares, (*keys, "device__card_id"))
    return {
        (*key, pk): (one.equivalent, _counts(numbers[*key, pk]))
        for key, cards in shares_held.card_parts(shares, keys).items()
        for pk, one in cards.items()
    }


def _counts(number: shares_held.Number) -> tuple[int, ...]:
    return number.shares, number.whole, number.gone, number.unreadable


def _kept(scope: str) -> dict[tuple[Any, ...], tuple[Part, tuple[int, ...]]]:
    rows = CardHolding.objects.filter(scope=scope)
    if scope == "class":
        rows = rows | CardHolding.objects.filter(scope="team", single_class=True)
    found: dict[tuple[Any, ...], tuple[Part, tuple[int, ...]]] = {}
    for row in rows:
        key = {"everybody": (), "team": (row.team_id,), "class": (row.team_id, row.device_class)}[scope]
        part = row.problem if row.part is None or row.per is None else Fraction(row.part, row.per)
        assert (*key, row.card_id) not in found
        found[*key, row.card_id] = (part, (row.shares, int(row.whole), row.gone, row.unreadable))
    return found


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(12))
def test_what_is_kept_is_what_shares_say(seed: int) -> None:
    random = Random(seed)
    teams = [make_team("vision"), make_team("nlp"), None]
    devices = _cards(random)
    for _ in range(random.randrange(1, 14)):
        _hold(random, devices, teams)
    holdings.rewrite(list(Pool.objects.values_list("pk", flat=True)))
    for scope, keys in _SCOPES.items():
        assert _kept(scope) == _derived(keys), scope
    for mine in ([], [teams[0]], [teams[0], teams[1]]):
        _others_are_what_shares_say({team.pk for team in mine if team})


def _others_are_what_shares_say(mine: set[int]) -> None:
    foreign = Share.objects.exclude(claim__team__in=mine)
    cards = shares_held.card_parts(foreign, ()).get((), {}).values()
    found = card_holdings.of_others(mine)
    parts = [one.equivalent for one in cards]
    assert found.equivalents.known == sum(part for part in parts if not isinstance(part, str))
    assert found.equivalents.unknown == sum(isinstance(part, str) for part in parts)
    assert found.number == shares_held.added(shares_held.numbers(foreign, ()).values())


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(6))
def test_before_the_first_reading_that_keeps_it_shares_say_the_same(seed: int) -> None:
    random = Random(seed)
    teams = [make_team("vision"), make_team("nlp"), None]
    devices = _cards(random)
    for _ in range(random.randrange(1, 14)):
        _hold(random, devices, teams)
    holdings.rewrite(list(Pool.objects.values_list("pk", flat=True)))
    mine = [team.pk for team in teams[:1] if team]
    kept = _all_told(mine, [])
    CardHolding.objects.all().delete()
    assert _all_told(mine, [make_cluster().pk]) == kept


def _all_told(mine: list[int], unkept: list[int]) -> dict[object, object]:
    found: dict[Any, card_holdings.Kept] = {"others": card_holdings.of_others(mine, unkept)}
    for teams in (None, mine):
        told = card_holdings.of_teams(teams, unkept)
        for key, one in (*told.of_all.items(), *told.of_classes.items()):
            found[teams is None, key] = one
    sums = {key: one.equivalents for key, one in found.items()}
    return {key: (one.number, sums[key].known, sums[key].unknown) for key, one in found.items()}


@pytest.mark.django_db
def test_sums_over_cards_are_exact_whatever_the_denominators() -> None:
    team = make_team()
    totals = ("80Gi", "7", "11", "13", "3", "1000003")
    for number, total in enumerate(totals):
        device = make_device(f"gpu-{number}")
        make_balance(device, "memory", total, None)
        held = make_claim(namespace=make_namespace(team=team))
        make_share(device, held, consumed={"memory": "1"})
    found = card_holdings.of_teams([team.pk])
    (kept,) = found.of_all.values()
    expected = sum(Fraction(1, int(total)) for total in ("7", "11", "13", "3", "1000003"))
    assert kept.equivalents.exact == expected + Fraction(1, 80 * 2**30)
    ((held_by, through),) = found.of_classes
    assert held_by == HeldBy(team.pk, make_cluster().pk, "gpu.example.com", "A100")
    assert through == "gpu"


@pytest.fixture
def shared_card(follow: Follow, vision: Team, nlp: Team) -> Followed:
    """A card of which a claim in a namespace of a team holds a third."""
    held = allocated(GIVEN, shared("8Gi", "30"))
    followed = follow(store(resource_slice(card()), namespace(labels={"team": "vision"}), held))
    followed.applied()
    return followed


def _whose() -> set[tuple[str | None, int | None, int | None]]:
    rows = CardHolding.objects.filter(scope="team")
    return set(rows.values_list("team__slug", "part", "per"))


def test_a_poll_keeps_what_it_changes(shared_card: Followed) -> None:
    assert _whose() == {(None, 1, 3)}
    shared_card.store.put(allocated(GIVEN, shared("20Gi", "30")))
    shared_card.applied()
    assert _whose() == {(None, 5, 6)}
    shared_card.store.put(claim("c"))
    shared_card.applied()
    assert not CardHolding.objects.exists()


def test_the_first_reading_that_keeps_it_keeps_all_of_it(shared_card: Followed) -> None:
    other = card("gpu-b")
    shared_card.store.put(resource_slice(other, pool="node-b", name="slice-b"))
    shared_card.store.put(allocated(GIVEN, shared("8Gi", "30", pool="node-b", device="gpu-b"), name="d"))
    shared_card.applied()
    CardHolding.objects.all().delete()
    shared_card.store.put(allocated(GIVEN, shared("20Gi", "30")))
    shared_card.applied()
    assert _whose() == {(None, 5, 6), (None, 1, 3)}


def test_holdings_follow_the_rules_of_the_administration(shared_card: Followed, vision: Team) -> None:

    row = TeamNamespace.objects.create(team=vision, namespace="team-a")
    assert _whose() == {("vision", 1, 3)}
    row.delete()
    assert _whose() == {(None, 1, 3)}
    TeamNamespace.objects.create(team=vision, namespace="team-a")
    vision.delete()
    assert _whose() == {(None, 1, 3)}
    assert list(check.differences(shared_card.cluster)) == []


def test_what_several_hold_of_a_card_is_kept_for_each_and_for_all(shared_card: Followed) -> None:
    other = result(share_id="22222222-2222-4222-8222-222222222222", consumedCapacity={"cores": "90"})
    shared_card.store.put(allocated(GIVEN, other, name="d"))
    shared_card.applied()
    everybody = CardHolding.objects.get(scope="everybody")
    assert (everybody.shares, everybody.part, everybody.per) == (2, 1, 1)


def test_a_holding_that_was_changed_is_found_and_put_right(shared_card: Followed) -> None:
    CardHolding.objects.filter(scope="team").update(part=2)
    (difference,) = check.differences(shared_card.cluster)
    assert "part is stored as 2, the ledger derives 1" in difference
    assert compare_cluster(shared_card.cluster.pk) == 1
    shared_card.applied()
    assert list(check.differences(shared_card.cluster)) == []


def test_holdings_go_with_their_cluster(shared_card: Followed) -> None:

    remove([shared_card.cluster.pk])
    assert not Cluster.objects.exists()
    assert not CardHolding.objects.exists()
