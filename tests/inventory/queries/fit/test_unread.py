"""What a kind holds that could not be read is not taken for nothing."""

import pytest

from demo.access import Grant
from demo.store import Object
from inventory.models import KindState
from inventory.queries.fit.answers import FitRow
from tests.inventory.queries.fit.asking import (
    ask,
    cluster_of,
    from_template,
    of,
    template,
    waiting_pod,
    wanting,
)
from tests.inventory.sync.books import RESOURCES
from tests.inventory.sync.conftest import Follow

HALF = {"capacity": {"requests": {"memory": "12Gi", "cores": "50"}}}


def unread(row: FitRow) -> list[str | None]:
    return [one.detail for one in row.doubts if one.caveat == "kind_unread"]


def without(follow: Follow, kind: str, *objects: Object) -> None:
    """A cluster whose role lacks a kind."""
    grant = Grant("viewer", frozenset(RESOURCES) - {kind})
    follow(cluster_of(*objects), token="viewer", tokens={"viewer": grant}).applied()


def test_quotas_that_may_not_be_read_may_keep_a_claim_from_being_made(follow: Follow) -> None:
    without(follow, "resourcequotas", template("half", **HALF), waiting_pod("p", from_template("half")))
    row = ask("p")
    assert (row.verdict, unread(row)) == ("fits", ["resourcequotas"])


def test_a_claim_that_is_made_needs_no_quota(follow: Follow) -> None:
    without(follow, "resourcequotas", wanting("8Gi"), waiting_pod("p", of("c")))
    assert unread(ask("p")) == []


def test_a_template_that_may_not_be_read_is_not_said_to_be_missing_only(follow: Follow) -> None:
    held = (template("half", **HALF), waiting_pod("p", from_template("half")))
    without(follow, "resourceclaimtemplates", *held)
    row = ask("p")
    assert (row.verdict, unread(row)) == ("cannot_simulate", ["resourceclaimtemplates"])


def test_without_pods_it_is_not_known_that_none_waits_for_the_claim(follow: Follow) -> None:
    without(follow, "pods", wanting("8Gi"))
    row = ask("c")
    assert row.wait is not None
    assert (row.verdict, row.wait.waiting, unread(row)) == ("fits", "consumer", ["pods"])


def test_taint_rules_that_may_not_be_read_may_keep_it_off_its_device(follow: Follow) -> None:
    without(follow, "devicetaintrules", wanting("8Gi"), waiting_pod("p", of("c")))
    row = ask("p")
    assert (row.verdict, unread(row)) == ("fits", ["devicetaintrules"])


def test_a_server_without_taint_rules_leaves_no_doubt(follow: Follow) -> None:
    follow(cluster_of(wanting("8Gi"), waiting_pod("p", of("c")))).applied()
    KindState.objects.filter(kind="devicetaintrules").delete()
    assert unread(ask("p")) == []


@pytest.mark.parametrize("kind", ["devicetaintrules", "resourcequotas"])
def test_what_may_not_be_read_any_more_is_as_doubtful(follow: Follow, kind: str) -> None:
    follow(cluster_of(template("half", **HALF), waiting_pod("p", from_template("half")))).applied()
    assert unread(ask("p")) == []
    KindState.objects.filter(kind=kind).update(state=KindState.State.FORBIDDEN)
    assert unread(ask("p")) == [kind]
