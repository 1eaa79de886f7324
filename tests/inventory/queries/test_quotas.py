"""Figures of quotas, against an independent recomputation from the recorded objects, and at their borders."""

import json
import threading
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from demo import recorded
from inventory.dra.quotas.standing import State
from inventory.kube.quantity import NANO, parse
from inventory.models import Card, Claim, Cluster, Device, DeviceClass, KindState, Share, Team, TeamQuota
from inventory.queries import occupancy, quotas, teams
from inventory.queries.occupancy import Group
from inventory.queries.quotas import QuotaRow
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import (
    asks_for,
    make_balance,
    make_claim,
    make_device,
    make_namespace,
    make_pod,
    make_pool,
    make_share,
    make_team,
)
from tests.reading import read_recorded_cluster

NOW = datetime(2026, 12, 1, tzinfo=UTC)
FOLDER = Path(recorded.__file__).parent
CLASS = "hami-core-gpu.project-hami.io"


def limit(team: Team, dimension: str, quantity: str, **fields: Any) -> TeamQuota:
    found = TeamQuota(team=team, dimension=dimension, quantity=quantity, **fields)
    found.full_clean()
    found.save()
    return found


def row(quota: TeamQuota) -> QuotaRow:
    found = quotas.one(quota.pk, NOW, viewer=EVERYTHING)
    assert found is not None
    return found


def card(name: str = "gpu-0", memory: str = "80Gi", **fields: Any) -> Any:
    device = make_device(name, **fields)
    make_balance(device, "memory", memory, "0")
    make_balance(device, "cores", "100", "0")
    return device


def held(team: Team, device: Any, memory: str, cores: str = "10", **fields: Any) -> Claim:
    claim = make_claim(namespace=make_namespace(f"team-{team.slug}", team=team), **fields)
    make_share(device, claim, consumed={"memory": memory, "cores": cores})
    return claim


def _recorded_items(kind: str) -> list[dict[str, Any]]:
    found = json.loads((FOLDER / f"{kind}.json").read_text())
    items: list[dict[str, Any]] = found["items"] if isinstance(found, dict) else found
    return items


def _allocated_by_hami() -> dict[str, dict[str, Fraction]]:
    """Of the shares of HAMi's A100, by namespace: read anew from the objects, and added up by hand."""
    totals: dict[str, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    cards: dict[str, dict[tuple[str, str], dict[str, Fraction]]] = defaultdict(dict)
    for claim in _recorded_items("resourceclaims"):
        namespace = claim["metadata"]["namespace"]
        results = (claim.get("status", {}).get("allocation") or {}).get("devices", {}).get("results", [])
        for result in results:
            if result["driver"] != CLASS or result.get("adminAccess"):
                continue
            of_card = cards[namespace].setdefault(
                (result["pool"], result["device"]), {"memory": Fraction(0), "cores": Fraction(0)}
            )
            for name, text in result["consumedCapacity"].items():
                amount = Fraction(parse(text).nanos, NANO)
                totals[namespace][name] += amount
                of_card[name] += amount
    for namespace, held_cards in cards.items():
        totals[namespace]["cards"] = Fraction(len(held_cards))
        totals[namespace]["card_equivalents"] = sum(
            (max(one["memory"] / (80 * 2**30), one["cores"] / 100) for one in held_cards.values()),
            Fraction(0),
        )
    return totals


@pytest.mark.django_db
def test_figures_are_those_that_the_recorded_objects_add_up_to(tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)
    expected = _allocated_by_hami()
    made = [
        (limit(team, dimension, "1000000000000000", driver=CLASS), expected[f"team-{team.slug}"][dimension])
        for team in Team.objects.all()
        for dimension in ("memory", "cores", "cards", "card_equivalents")
    ]
    for quota, amount in made:
        found = row(quota)
        assert found.used is not None
        assert Fraction(found.used.nanos, NANO) == amount, (found.team, found.dimension)
    assert expected["team-nlp"]["cores"] == 645


@pytest.mark.django_db
def test_all_quotas_are_told_with_the_same_number_of_queries(tmp_path: Path) -> None:
    read_recorded_cluster(tmp_path)

    def asked() -> int:
        with CaptureQueriesContext(connection) as found:
            quotas.rows(quotas.queryset(viewer=EVERYTHING), NOW)
            teams.rows(teams.queryset(viewer=EVERYTHING), NOW, viewer=EVERYTHING, reader=None)
        return len(found)

    # Of a team with pending claims, which are looked at only where there are some.
    team = Team.objects.get(slug="vision")
    for dimension in ("memory", "card_equivalents", "cards"):
        limit(team, dimension, "5")
    limit(team, "memory", "5", device_class=CLASS)
    limit(team, "cards", "5", device_class=CLASS)
    limit(team, "card_equivalents", "5", device_class=CLASS)
    few = asked()
    for one in Team.objects.exclude(pk=team.pk):
        for dimension in ("memory", "cores", "cards", "card_equivalents"):
            limit(one, dimension, "5")
            limit(one, dimension, "5", device_class=CLASS)
    assert asked() == few


@pytest.mark.django_db
class TestBorders:
    @pytest.fixture
    def team(self) -> Team:
        return make_team()

    def test_exactly_at_the_limit_there_is_no_breach(self, team: Team) -> None:
        held(team, card(), "8Gi")
        assert row(limit(team, "memory", "8Gi")).state is State.USED_UP
        assert row(limit(team, "memory", "8589934591", hard=True)).state is State.OVER

    def test_a_claim_that_many_pods_use_counts_once(self, team: Team) -> None:
        claim = held(team, card(), "8Gi")
        for _ in range(3):
            make_pod(uses=claim)
        assert str(row(limit(team, "memory", "80Gi")).used) == "8Gi"

    def test_admin_access_counts_nothing(self, team: Team) -> None:
        of_team = make_namespace(team=team)
        make_share(card(), make_claim(namespace=of_team), consumed={"memory": "8Gi"}, admin_access=True)
        found = row(limit(team, "cards", "1"))
        assert (found.state, str(found.used)) == (State.WITHIN, "0")

    def test_a_card_held_whole_counts_with_all_that_it_has(self, team: Team) -> None:
        make_share(card(), make_claim(namespace=make_namespace(team=team)))
        assert str(row(limit(team, "memory", "80Gi")).used) == "80Gi"
        assert str(row(limit(team, "card_equivalents", "1")).used) == "1"
        found = teams.one(team.slug, NOW, viewer=EVERYTHING, reader=None)
        assert found is not None
        assert (found.use.cards, found.use.cards_whole) == (1, 1)

    def test_a_limit_says_how_many_known_cards_it_is_on(self, team: Team) -> None:
        device = card(product="A100")
        DeviceClass.objects.create(cluster=device.cluster, name="there", uid="u")
        for kind in ("resourceslices", "deviceclasses"):
            KindState.objects.create(cluster=device.cluster, kind=kind, succeeded_at=NOW)

        def cards(**on: Any) -> int | None:
            return row(limit(team, "memory", "1Gi", **on)).cards

        assert cards() == 1
        assert cards(product="A100", driver=device.pool.driver) == 1
        assert cards(device_class="there") is None
        assert cards(product="A10O") == cards(device_class="their") == 0

    def test_what_was_never_read_may_have_the_cards_of_a_limit(self, team: Team) -> None:
        card(product="A100")
        assert row(limit(team, "memory", "1Gi")).cards == 1
        on_h100 = limit(team, "memory", "1Gi", product="H100")
        assert row(on_h100).cards is None
        KindState.objects.create(cluster=Cluster.objects.get(), kind="resourceslices", succeeded_at=NOW)
        assert row(on_h100).cards == 0
        # Classes may be forbidden where slices are read.
        assert row(limit(team, "memory", "1Gi", device_class="their")).cards is None

    def test_two_shares_of_a_card_are_one_card(self, team: Team) -> None:
        device = card()
        held(team, device, "8Gi", "30")
        held(team, device, "16Gi", "10")
        assert str(row(limit(team, "cards", "5")).used) == "1"
        assert str(row(limit(team, "card_equivalents", "5")).used) == "400m"

    def test_a_device_that_is_gone_is_told_and_what_is_not_known_is_not_zero(self, team: Team) -> None:
        gone = make_device("gone", listed=False)
        make_balance(gone, "memory", None, None)
        make_share(gone, make_claim(namespace=make_namespace(team=team)))
        found = row(limit(team, "memory", "80Gi"))
        assert (found.used, found.headroom, found.state, found.shares_gone) == (None, None, State.UNKNOWN, 1)
        assert found.reasons
        # It may have been a card, or a partition of one.
        assert row(limit(team, "card_equivalents", "5")).used is None

    def test_an_amount_that_cannot_be_read_leaves_the_rest_known(self, team: Team) -> None:
        make_share(card(), make_claim(namespace=make_namespace(team=team)), consumed={"memory": None})
        held(team, card("gpu-1"), "8Gi")
        found = row(limit(team, "memory", "80Gi"))
        assert (found.used, str(found.used_at_least)) == (None, "8Gi")
        assert row(limit(team, "memory", "4Gi", hard=True)).state is State.OVER

    def test_a_share_that_says_nothing_leaves_the_card_unknown_whoever_else_holds_of_it(
        self, team: Team
    ) -> None:
        device = card()
        silent = make_claim(namespace=make_namespace(f"team-{team.slug}", team=team))
        make_share(device, silent, dedicated=False, problem="the allocation states no consumed capacity")
        held(team, device, "8Gi")
        for dimension in ("memory", "card_equivalents"):
            found = row(limit(team, dimension, "80Gi"))
            assert (found.used, found.state) == (None, State.UNKNOWN), dimension
            assert found.reasons

    def test_a_quota_concerns_its_own_devices_only(self, team: Team) -> None:
        held(team, card(product="A100"), "8Gi")
        held(team, card("gpu-1", product="T4", pool=make_pool("other", driver="t4.example.com")), "4Gi")
        assert str(row(limit(team, "memory", "80Gi", product="T4")).used) == "4Gi"
        assert str(row(limit(team, "memory", "80Gi", driver="gpu.example.com")).used) == "8Gi"
        assert str(row(limit(team, "memory", "80Gi", device_class="gpu")).used) == "12Gi"
        assert str(row(limit(team, "memory", "80Gi", device_class="npu")).used) == "0"

    def test_claims_that_ask_for_the_same_are_added_up(self, team: Team) -> None:
        namespace = make_namespace(f"team-{team.slug}", team=team)
        for name, asked in (("a", "npu"), ("b", "npu"), ("c", "gone"), ("d", "npu"), ("e", "gone")):
            make_claim(name, namespace=namespace, state=Claim.State.PENDING, spec=asks_for(asked))
        make_device("npu-0", pool=make_pool("npu", driver="npu.example.com"))
        DeviceClass.objects.create(cluster=namespace.cluster, name="npu", uid="npu")
        found = row(limit(team, "cards", "4"))
        assert (found.pending, str(found.pending_at_least), found.pending_claims) == (None, "3", 5)
        assert found.pending_unknown == 2
        assert found.reasons == ("team-vision/c and 1 more: its device class is not in the cluster",)

    def test_what_waits_in_another_unit_is_not_added_to_what_is_held(self, team: Team) -> None:
        """Cores in per cent of a card, and cores as a number."""
        held(team, card(pool=make_pool("hami", driver=CLASS)), "8Gi", "30")
        quota = limit(team, "cores", "100")
        counted = make_device("npu-0", pool=make_pool("npu", driver="npu.example.com"), shareable=True)
        Device.objects.filter(pk=counted.pk).update(capacity={"cores": {"value": "8"}})
        DeviceClass.objects.create(
            cluster=counted.cluster,
            name="npu",
            uid="npu",
            spec={"selectors": [{"cel": {"expression": "device.driver == 'npu.example.com'"}}]},
        )
        assert row(quota).pending == parse("0")
        make_claim(
            namespace=make_namespace(f"team-{team.slug}"), state=Claim.State.PENDING, spec=asks_for("npu")
        )
        found = row(quota)
        assert (str(found.used), found.pending, found.pending_claims) == ("30", None, 1)
        assert any("different units" in reason for reason in found.reasons)
        alone = row(limit(team, "cores", "100", driver="npu.example.com"))
        assert (str(alone.used), str(alone.pending)) == ("0", "8")

    def test_a_period_begins_with_its_start_and_is_over_at_its_end(self, team: Team) -> None:
        quota = limit(team, "cards", "1", starts_at=NOW, ends_at=NOW + timedelta(days=1))
        for moment, in_force in (
            (NOW - timedelta(microseconds=1), False),
            (NOW, True),
            (NOW + timedelta(days=1), False),
        ):
            assert quotas.is_in_force(quota, moment) is in_force
            assert TeamQuota.objects.in_force(moment).exists() is in_force

    def test_what_is_no_limit_is_refused(self, team: Team) -> None:
        for dimension, quantity in (("cards", "1.5"), ("memory", "-1"), ("memory", "much"), ("me mory", "1")):
            with pytest.raises(ValidationError):
                limit(team, dimension, quantity)

    def test_others_are_one_row_and_the_sum_of_all_is_true(self, team: Team) -> None:
        device = card()
        held(team, device, "8Gi")
        held(make_team("nlp"), device, "4Gi")
        held(make_team("batch"), device, "2Gi")
        shares, cards = Share.objects.order_by(), Card.objects.order_by()
        for viewer in (EVERYTHING, Viewer(frozenset({team.pk})), Viewer(frozenset())):
            rows = occupancy.rows(shares, cards, [Group.TEAM], viewer=viewer)
            memory = [one for one in rows if one.dimension == "memory"]
            assert sum(one.held.nanos for one in memory if one.held) == parse("14Gi").nanos
            assert sum(one.withheld for one in memory) == (viewer.teams is not None)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_write_the_same_limit_at_once_the_second_is_refused() -> None:
    team, refused = make_team(), []

    def write() -> None:
        try:
            with transaction.atomic():
                limit(team, "memory", "8Gi")
        except ValidationError as error:
            refused.append(error)
        finally:
            connection.close()

    other = threading.Thread(target=write)
    with transaction.atomic():
        limit(team, "memory", "4Gi")
        other.start()
        # It has to wait for us. If it did not, it would be through by then.
        other.join(1)
    other.join()
    assert len(refused) == 1
    assert [one.quantity for one in TeamQuota.objects.all()] == ["4Gi"]
