"""What members of a team see of rows that others have a part in."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.dra.simulator.allocated import DeviceId
from inventory.kube.quantity import parse
from inventory.models import (
    Card,
    Claim,
    Cluster,
    Namespace,
    Pod,
    PodClaim,
    SavedConversion,
    Share,
    ShareInterval,
    SkippedObject,
)
from inventory.models.visibility import is_visible
from inventory.queries import (
    claims,
    clusters,
    devices,
    held_cards,
    held_devices,
    holders,
    near_devices,
    nodes,
    overview,
    pods,
    shares,
)
from inventory.queries.slices import OTHERS, known_teams
from inventory.viewer import EVERYTHING, Viewer
from tests.factories import (
    READ_AT,
    make_balance,
    make_claim,
    make_cluster,
    make_device,
    make_namespace,
    make_node,
    make_pod,
    make_share,
    make_team,
)

pytestmark = pytest.mark.django_db

Look = Callable[[], object]


@pytest.fixture
def viewer() -> Viewer:
    """A member of the team of the namespace "own"; "other" is another team's, and "nobody" is of no team."""
    # No id of one thing is by chance that of another.
    for number in range(10):
        make_namespace(f"before-{number}")
    own = make_team("own")
    make_namespace("own", team=own)
    make_namespace("other", team=make_team("other"))
    make_namespace("nobody")
    return Viewer(frozenset({own.pk}))


def _claim(namespace: str, **fields: object) -> Claim:
    return make_claim(f"of-{namespace}", namespace=make_namespace(namespace), **fields)


def _shared_card() -> int:
    """The id of a device of which everybody has a part."""
    device = make_device(node=make_node())
    make_balance(device, "memory", "80Gi", "14Gi")
    for namespace, amount in (("own", "8Gi"), ("other", "4Gi"), ("nobody", "2Gi")):
        share = make_share(device, _claim(namespace), consumed={"memory": amount})
        make_pod(f"pod-of-{namespace}", uses=share.claim)
    return int(device.pk)


def test_the_scope_is_the_same_for_those_who_see_the_same() -> None:
    assert EVERYTHING.scope == "all"
    assert Viewer(frozenset({11, 2})).scope == Viewer(frozenset({2, 11})).scope == "2,11"
    assert Viewer(frozenset()).scope == ""


def test_what_belongs_to_no_team_is_seen_by_operators_alone(viewer: Viewer) -> None:
    assert EVERYTHING.sees(None)
    assert not viewer.sees(None)


def test_rows_are_seen_by_their_team_and_by_that_of_their_namespace(viewer: Viewer) -> None:
    given = _claim("other", team=make_team("own"))
    ours_of_others = _claim("own", team=make_team("other"))
    for row in (given, ours_of_others):
        assert is_visible(row, viewer)
    assert not is_visible(_claim("nobody"), viewer)
    seen = Claim.objects.visible_to(viewer)
    assert set(seen) == {given, ours_of_others}
    assert not Claim.objects.visible_to(Viewer(frozenset())).exists()


def test_a_row_that_keeps_the_name_of_a_namespace_goes_with_it(viewer: Viewer) -> None:
    lab, elsewhere = make_cluster(), make_cluster("elsewhere")
    for cluster, namespace in ((lab, "own"), (lab, "other"), (lab, ""), (elsewhere, "own")):
        SkippedObject.objects.create(cluster=cluster, kind="pods", namespace=namespace, reason="")
    (one,) = SkippedObject.objects.visible_to(viewer)
    assert (one.cluster, one.namespace) == (lab, "own")


def test_what_was_held_is_seen_by_the_team_whose_it_was(viewer: Viewer) -> None:
    """Its namespace is of "own" now."""
    for slug in ("own", "other", ""):
        ShareInterval.objects.create(
            cluster=make_cluster(),
            claim_uid=f"of-{slug}",
            namespace="own",
            team_slug=slug,
            dedicated=True,
            admin_access=False,
            started_at=READ_AT,
            started_source="observed",
        )
    assert [one.team_slug for one in ShareInterval.objects.visible_to(viewer)] == ["own"]
    assert ShareInterval.objects.visible_to(EVERYTHING).count() == 3
    assert not ShareInterval.objects.visible_to(Viewer(frozenset()))


def test_what_somebody_kept_who_is_gone_is_nobodys_to_see() -> None:
    SavedConversion.objects.create(username="gone", manifest="", profile="0.2.3", namespace="own")
    assert not SavedConversion.objects.visible_to(Viewer(frozenset()), AnonymousUser())


def test_of_a_device_others_hold_one_sum(viewer: Viewer) -> None:
    held = held_devices.one(_shared_card(), viewer=viewer)
    assert held is not None
    assert [share.claim.name for share in held.shares] == ["of-own"]
    assert held.others is not None
    assert (held.others.shares, held.others.held) == (2, {"memory": parse("6Gi")})
    assert held.shares_held == 3
    (track,) = held.tracks
    assert [(one.team.slug if one.team else None, one.amount) for one in track.slices] == [
        ("own", parse("8Gi")),
        ("", parse("6Gi")),
    ]
    assert (held.row.teams, held.row.withheld) == (("own",), True)


def test_an_amount_of_others_that_is_not_known_makes_their_sum_unknown(viewer: Viewer) -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", None)
    make_share(device, _claim("other"), consumed={"memory": "4Gi"})
    make_share(device, _claim("nobody"), consumed={"memory": None})
    (card,) = held_cards.rows(Card.objects.all(), viewer=viewer)
    assert card.others is not None
    assert card.others.held == {"memory": None}


def test_others_who_only_watch_hold_nothing(viewer: Viewer) -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "0")
    make_share(device, _claim("other"), admin_access=True)
    held = held_devices.one(device.pk, viewer=viewer)
    assert held is not None
    assert (held.others, held.watchers, held.others_watching) == (None, (), 1)
    assert not held.row.withheld


def test_all_other_teams_are_one_row_and_sums_stay_true(viewer: Viewer) -> None:
    _shared_card()
    everybodys = pods.queryset(viewer=EVERYTHING)
    own, others = holders.by_team(Share.objects.all(), everybodys, viewer=viewer)
    assert (own.slug, own.withheld, own.shares, own.pods) == ("own", False, 1, 1)
    assert (others.slug, others.name, others.withheld) == (None, None, True)
    assert (others.cards, others.shares, others.pods) == (1, 2, 2)
    assert [one.held for one in others.amounts] == [parse("6Gi")]


def test_the_overview_counts_all_and_names_what_is_seen(viewer: Viewer) -> None:
    _shared_card()
    for namespace in ("own", "other"):
        make_pod(f"waits-in-{namespace}", namespace=make_namespace(namespace), phase="Pending")
    found = overview.overview([], known_teams(viewer=viewer), viewer=viewer)
    assert found.waiting.count == 2
    assert [pod.name for pod in found.waiting.pods] == ["waits-in-own"]
    assert [use.team for use in found.teams if use.team is OTHERS] == [OTHERS]
    assert found.memory.allocated == parse("14Gi")


def test_of_a_node_others_pods_are_counted(viewer: Viewer) -> None:
    _shared_card()
    (row,) = nodes.rows(nodes.queryset(), viewer=viewer)
    assert [pod.name for pod in row.pods] == ["pod-of-own"]
    assert (row.pods_withheld, row.withheld, row.pods_here) == (2, True, 3)
    (row,) = nodes.rows(nodes.queryset(), viewer=EVERYTHING)
    assert (len(row.pods), row.pods_withheld, row.withheld) == (3, 0, False)


@pytest.mark.parametrize("model", [Namespace, Claim, Share, Pod, PodClaim])
def test_the_database_and_a_loaded_row_decide_alike(viewer: Viewer, model: type[Any]) -> None:
    device = make_device()
    for name, slug in product(("own", "other", "nobody"), ("own", "other", None)):
        namespace, team = make_namespace(name), make_team(slug) if slug else None
        claim = make_claim(namespace=namespace, team=team)
        make_share(device, claim)
        make_pod(uses=claim, namespace=namespace, team=team)
    rows = list(model.objects.all())
    seen = {row.pk for row in rows if is_visible(row, viewer)}
    assert 0 < len(seen) < len(rows)
    assert set(model.objects.visible_to(viewer).values_list("pk", flat=True)) == seen


def test_a_claim_that_is_ours_by_its_labels_tells_nothing_of_others(viewer: Viewer) -> None:
    claim = _claim("other", team=make_team("own"), owner_kind="Pod", owner_name="secret")
    make_share(make_device(), claim)
    make_pod("secret", uses=claim)
    (row,) = claims.rows(claims.queryset(viewer=viewer), viewer=viewer)
    assert (row.pods, row.owner, row.consumers, row.withheld) == ((), None, (), True)
    (share,) = shares.rows(shares.queryset(viewer=viewer), viewer=viewer)
    assert (share.pods, share.withheld) == ((), True)
    found = claims.ClaimFilter({"q": ["secret"]}, viewer=viewer).filter_queryset(
        claims.queryset(viewer=viewer)
    )
    assert not found.exists()


def test_a_pod_that_is_ours_by_its_labels_names_no_claim_of_others(viewer: Viewer) -> None:
    claim = _claim("other")
    make_share(make_device(), claim)
    make_pod("guest", uses=claim, team=make_team("own"))
    (row,) = pods.rows(pods.queryset(viewer=viewer), viewer=viewer)
    (use,) = row.claims
    assert (use.claim, use.claim_name, use.withheld) == (None, None, True)
    assert (row.shares, row.withheld, row.state) == ((), True, "holding")


def test_the_name_of_another_team_is_withheld_on_our_own_rows(viewer: Viewer) -> None:
    make_pod("visitor", namespace=make_namespace("own"), team=make_team("other"))
    (row,) = pods.rows(pods.queryset(viewer=viewer), viewer=viewer)
    assert (row.name, row.team, row.withheld) == ("visitor", None, True)


def test_only_ones_own_shares_are_proposed_to_be_given_back(viewer: Viewer) -> None:
    _shared_card()
    device = devices.rows(devices.queryset(), viewer=viewer)[0]
    name = DeviceId(device.driver, device.pool, device.name)
    near = near_devices.rows("lab", [name], viewer=viewer)[name]
    assert [share.claim.name for share in near.each_enough("memory", parse("68Gi"))] == ["of-own"]


def test_what_went_wrong_with_a_cluster_is_told_without_its_words(viewer: Viewer) -> None:
    fields = {"error_reason": "Unreachable", "error_message": "secret"}
    cluster = Cluster.objects.create(name="broken", observed_at=READ_AT, **fields)
    row = clusters.one(cluster.pk, READ_AT, viewer=viewer)
    assert row is not None
    assert row.error is not None
    assert (row.error.reason, row.error.message, row.error.withheld) == ("Unreachable", None, True)
    assert row.withheld


@pytest.mark.parametrize("kind", ["cards", "devices", "claims", "pods"])
def test_more_rows_of_others_cost_no_more_queries(viewer: Viewer, kind: str) -> None:
    looks: dict[str, Look] = {
        "cards": lambda: held_cards.rows(Card.objects.all(), viewer=viewer),
        "devices": lambda: devices.rows(devices.queryset(), viewer=viewer),
        "claims": lambda: claims.rows(claims.queryset(viewer=viewer), viewer=viewer),
        "pods": lambda: pods.rows(pods.queryset(viewer=viewer), viewer=viewer),
    }

    def grow(start: int, end: int) -> None:
        for number in range(start, end):
            device = make_device(f"gpu-{number}", node=make_node())
            make_balance(device, "memory", "80Gi", "6Gi")
            for namespace in ("own", "other"):
                claim = make_claim(f"{namespace}-{number}", namespace=make_namespace(namespace))
                make_share(device, claim, consumed={"memory": "2Gi"})
                make_pod(f"{namespace}-{number}", uses=claim)

    def asked() -> int:
        with CaptureQueriesContext(connection) as found:
            looks[kind]()
        return len(found)

    grow(0, 2)
    few = asked()
    grow(2, 8)
    assert asked() == few
    assert Pod.objects.visible_to(viewer).count() == 8
