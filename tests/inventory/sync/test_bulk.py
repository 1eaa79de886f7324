"""Rows written in bulk read back through the ORM as what was given, on whichever database the tests run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, models, transaction
from django.db.models import RestrictedError
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.models import (
    Balance,
    Card,
    Claim,
    Cluster,
    ConsumedCapacity,
    Consumer,
    Device,
    DeviceClass,
    KindState,
    Namespace,
    Pod,
    PodClaim,
    Share,
    TaintRule,
)
from inventory.sync import bulk
from tests.factories import (
    make_balance,
    make_claim,
    make_cluster,
    make_device,
    make_namespace,
    make_pod,
    make_share,
)

pytestmark = pytest.mark.django_db

Row = tuple[Any, ...]

# What UTF-8 can say, but for the one character that PostgreSQL cannot store.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.sampled_from(
    [
        "",
        "\\N",
        "\\.",
        "\\",
        "\\\\n",
        "\t",
        "\n",
        "\r\n",
        "'",
        '"',
        "%s",
        "{}",
        "null",
        "🐍",
        "\ufeff",
        "\x7f",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=OFFSETS)  # noqa: DTZ001
BIG = st.integers(-(2**63), 2**63 - 1)

CLASS_COLUMNS = ("cluster_id", "name", "uid", "created_at", "extended_resource_name", "spec")
CLASSES = st.lists(
    st.tuples(TEXT, TEXT, st.none() | MOMENTS, TEXT, JSON.filter(lambda value: value is not None)),
    min_size=1,
    max_size=5,
    unique_by=lambda row: row[0],
)


@pytest.fixture(params=[1, 10_000], ids=["staged", "one-by-one"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to update, whatever the number of rows."""
    monkeypatch.setattr(bulk, "_MANY", request.param)


@contextmanager
def undone() -> Iterator[None]:
    """One example of many: the next begins without its rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def inserted(model: type[models.Model], columns: Sequence[str], rows: Sequence[Row]) -> list[int]:
    ids = list(bulk.reserve(model, len(rows)))
    written = bulk.insert(model, ("id", *columns), [(pk, *row) for pk, row in zip(ids, rows, strict=True)])
    assert written == len(rows)
    return ids


def stored(model: type[models.Model], columns: Sequence[str], ids: Sequence[int]) -> list[Row]:
    rows = {row[0]: row[1:] for row in model._default_manager.values_list("pk", *columns)}
    return [rows[pk] for pk in ids]


# --- reserve ---


def test_a_reserved_key_is_given_once() -> None:
    cluster = make_cluster()
    keys = [*bulk.reserve(DeviceClass, 3), *bulk.reserve(DeviceClass, 2)]
    created = [DeviceClass.objects.create(cluster=cluster, name=name, uid=name).pk for name in ("a", "b")]
    later = bulk.reserve(DeviceClass, 1)
    assert len({*keys, *created, *later}) == 8


def test_the_key_of_a_deleted_row_is_not_given_again() -> None:
    row = DeviceClass.objects.create(cluster=make_cluster(), name="a", uid="a")
    row.delete()
    assert bulk.reserve(DeviceClass, 1)[0] != row.pk


def test_no_keys_are_reserved_where_none_are_asked_for() -> None:
    assert list(bulk.reserve(DeviceClass, 0)) == []


# --- insert ---


@settings(deadline=None)
@given(CLASSES)
def test_text_json_and_moments_read_back_as_given(rows: list[Row]) -> None:
    with undone():
        given_rows = [(make_cluster().pk, *row) for row in rows]
        ids = inserted(DeviceClass, CLASS_COLUMNS, given_rows)
        assert stored(DeviceClass, CLASS_COLUMNS, ids) == given_rows


@settings(deadline=None)
@given(st.lists(st.tuples(st.none() | BIG, st.integers(-(2**15), 2**15 - 1)), max_size=5))
def test_numbers_and_nulls_read_back_as_given(rows: list[Row]) -> None:
    with undone():
        share = make_share(make_device())
        columns = ("share_id", "dimension", "notation", "amount", "exponent")
        given_rows = [(share.pk, str(number), "DecimalSI", *row) for number, row in enumerate(rows)]
        ids = inserted(ConsumedCapacity, columns, given_rows)
        assert stored(ConsumedCapacity, columns, ids) == given_rows


@pytest.mark.parametrize("gone", [True, False, None])
def test_a_truth_value_may_be_unknown(gone: bool | None) -> None:
    columns = ("claim_id", "position", "resource", "name", "gone")
    row = (make_claim().pk, 0, "pods", "trainer", gone)
    assert stored(Consumer, columns, inserted(Consumer, columns, [row])) == [row]


def test_decimals_read_back_as_given() -> None:
    columns, row = ("cluster_id", "kind", "seconds"), (make_cluster().pk, "pods", Decimal("12.345"))
    assert stored(KindState, columns, inserted(KindState, columns, [row])) == [row]


def test_a_choice_is_stored_as_its_value() -> None:
    namespace = make_namespace()
    columns = ("cluster_id", "namespace_id", "name", "uid", "resource_version", "state")
    row = (namespace.cluster_id, namespace.pk, "a", "a", "1", Claim.State.RESERVED)
    assert stored(Claim, columns, inserted(Claim, columns, [row])) == [(*row[:-1], "allocated,reserved")]


def test_no_value_for_json_is_null_and_not_the_word_null() -> None:
    columns = ("cluster_id", "name", "uid", "selector", "taint")
    row = (make_cluster().pk, "a", "a", None, {"effect": "NoSchedule"})
    ids = inserted(TaintRule, columns, [row])
    assert TaintRule.objects.get(pk=ids[0], selector__isnull=True).taint == {"effect": "NoSchedule"}


def test_columns_that_are_not_named_take_their_defaults() -> None:
    namespace = make_namespace()
    columns = ("cluster_id", "namespace_id", "name", "uid", "resource_version", "state")
    ids = inserted(Claim, columns, [(namespace.cluster_id, namespace.pk, "a", "a", "1", "pending")])
    written, fresh, named = Claim.objects.get(pk=ids[0]), Claim(), {"id", *columns}
    others = [field.attname for field in Claim._meta.concrete_fields if field.attname not in named]
    assert {name: getattr(written, name) for name in others} == {
        name: getattr(fresh, name) for name in others
    }


def test_rows_may_come_from_a_generator() -> None:
    cluster, ids = make_cluster(), bulk.reserve(DeviceClass, 3)
    rows = ((pk, cluster.pk, f"class-{pk}", "uid") for pk in ids)
    assert bulk.insert(DeviceClass, ("id", "cluster_id", "name", "uid"), rows) == 3
    assert bulk.insert(DeviceClass, ("id", "cluster_id", "name", "uid"), iter(())) == 0


def test_a_name_that_is_taken_is_refused_as_django_refuses_it() -> None:
    row = (make_cluster().pk, "a", "a")
    inserted(DeviceClass, ("cluster_id", "name", "uid"), [row])
    with pytest.raises(IntegrityError), transaction.atomic():
        inserted(DeviceClass, ("cluster_id", "name", "uid"), [row])
    assert DeviceClass.objects.count() == 1


def test_a_row_without_a_needed_value_is_refused_as_django_refuses_it() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        inserted(DeviceClass, ("cluster_id", "name", "uid"), [(make_cluster().pk, "a", None)])


def test_a_number_that_the_column_does_not_allow_is_refused_as_django_refuses_it() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        inserted(Consumer, ("claim_id", "position", "resource", "name"), [(make_claim().pk, -1, "pods", "a")])


# --- update ---


@pytest.mark.usefixtures("way")
def test_updated_rows_read_back_as_given() -> None:
    @settings(deadline=None)
    @given(CLASSES)
    def check(rows: list[Row]) -> None:
        with undone():
            cluster = make_cluster()
            names = [(cluster.pk, row[0], "") for row in rows]
            ids = inserted(DeviceClass, ("cluster_id", "name", "uid"), names)
            changes = [(pk, *row[1:]) for pk, row in zip(ids, rows, strict=True)]
            assert bulk.update(DeviceClass, CLASS_COLUMNS[2:], changes) == len(rows)
            assert stored(DeviceClass, CLASS_COLUMNS[1:], ids) == rows

    check()


@pytest.mark.usefixtures("way")
def test_other_rows_and_other_columns_stay() -> None:
    cluster = make_cluster()
    ids = inserted(
        DeviceClass, ("cluster_id", "name", "uid"), [(cluster.pk, "a", "1"), (cluster.pk, "b", "2")]
    )
    assert bulk.update(DeviceClass, ("uid",), [(ids[0], "3")]) == 1
    assert stored(DeviceClass, ("name", "uid"), ids) == [("a", "3"), ("b", "2")]


@pytest.mark.usefixtures("way")
def test_two_updates_fit_into_one_transaction() -> None:
    ids = inserted(DeviceClass, ("cluster_id", "name", "uid"), [(make_cluster().pk, "a", "1")])
    for uid in ("2", "3"):
        bulk.update(DeviceClass, ("uid",), [(ids[0], uid)])
    assert stored(DeviceClass, ("uid",), ids) == [("3",)]


@pytest.mark.usefixtures("way")
def test_a_value_may_become_unknown() -> None:
    claim = make_claim(allocated_at=datetime(2026, 1, 1, tzinfo=UTC), node_selector={"nodeSelectorTerms": []})
    bulk.update(Claim, ("allocated_at", "node_selector"), [(claim.pk, None, None)])
    assert Claim.objects.filter(pk=claim.pk, allocated_at=None, node_selector__isnull=True).exists()


@pytest.mark.usefixtures("way")
def test_an_update_that_takes_a_taken_name_is_refused_as_django_refuses_it() -> None:
    cluster = make_cluster()
    ids = inserted(
        DeviceClass, ("cluster_id", "name", "uid"), [(cluster.pk, "a", "1"), (cluster.pk, "b", "2")]
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk.update(DeviceClass, ("name",), [(ids[0], "b")])
    assert stored(DeviceClass, ("name",), ids) == [("a",), ("b",)]


def test_nothing_to_update_is_no_update() -> None:
    assert bulk.update(DeviceClass, ("uid",), []) == 0
    assert bulk.update(DeviceClass, (), [(1,)]) == 0


# --- delete ---


def test_what_belongs_to_a_row_goes_with_it_down_to_the_last() -> None:
    device = make_device()
    gone, stays = (make_share(device, consumed={"memory": "8Gi"}) for _ in range(2))
    assert bulk.delete(Claim, [gone.claim_id]) == 1
    assert list(Claim.objects.all()) == [stays.claim]
    assert list(Share.objects.all()) == [stays]
    assert list(ConsumedCapacity.objects.values_list("share_id", flat=True)) == [stays.pk]


def test_what_only_refers_to_a_row_stays_without_it() -> None:
    gone, stays = make_claim(), make_claim()
    pods = [make_pod(uses=gone), make_pod(uses=stays)]
    bulk.delete(Claim, [gone.pk])
    assert list(PodClaim.objects.order_by("pod").values_list("pod", "claim")) == [
        (pods[0].pk, None),
        (pods[1].pk, stays.pk),
    ]


def test_both_kinds_of_reference_are_honoured_at_once() -> None:
    make_balance(make_device(), "memory", "8Gi", "0")
    bulk.delete(Card, Card.objects.values_list("pk", flat=True))
    assert Device.objects.get().card is None
    assert not Balance.objects.exists()


def test_a_row_that_others_need_is_refused() -> None:
    claim = make_claim()
    with pytest.raises(RestrictedError, match=r"Claim\.namespace") as refusal:
        bulk.delete(Namespace, [claim.namespace_id])
    assert refusal.value.restricted_objects == {claim}
    assert Namespace.objects.filter(pk=claim.namespace_id).exists()


def test_a_row_that_nobody_needs_any_more_may_go() -> None:
    claim = make_claim()
    namespace = claim.namespace_id
    bulk.delete(Claim, [claim.pk])
    assert bulk.delete(Namespace, [namespace]) == 1


def test_rows_that_need_each_other_may_go_together() -> None:
    pod = make_pod(uses=make_claim())
    assert bulk.delete(Cluster, [pod.cluster_id]) == 1
    assert not Pod.objects.exists()
    assert not Namespace.objects.exists()


def test_nothing_to_delete_is_no_deletion() -> None:
    make_claim()
    assert bulk.delete(Claim, []) == 0
    assert bulk.delete(Claim, [10**12]) == 0
    assert Claim.objects.count() == 1


def test_more_rows_go_at_once_than_a_statement_has_parameters() -> None:
    cluster = make_cluster()
    ids = inserted(
        DeviceClass, ("cluster_id", "name", "uid"), [(cluster.pk, str(n), "") for n in range(40_000)]
    )
    assert bulk.delete(DeviceClass, ids) == 40_000
