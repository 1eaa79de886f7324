"""Rows become what is desired, by their difference."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.db.models import RestrictedError

from inventory.models import Claim, DeviceClass, Namespace
from inventory.sync.reconcile import Reconciled, reconcile
from tests.factories import make_claim, make_cluster

pytestmark = pytest.mark.django_db

KEY, FIELDS = ("cluster_id", "name"), ("uid", "spec")


def classes(desired: Mapping[str, tuple[Any, ...]], *, keep: str = "", cluster: str = "lab") -> Reconciled:
    pk = make_cluster(cluster).pk
    return reconcile(
        DeviceClass,
        DeviceClass.objects.filter(cluster=pk),
        KEY,
        FIELDS,
        {(pk, name): values for name, values in desired.items()},
        keep=lambda key: key[1] == keep,
    )


def rows(cluster: str = "lab") -> dict[str, tuple[Any, ...]]:
    found = DeviceClass.objects.filter(cluster__name=cluster)
    return {one.name: (one.uid, one.spec) for one in found}


def counts(result: Reconciled) -> tuple[int, int, int]:
    return result.created, result.updated, result.deleted


def test_rows_are_created_changed_and_removed_in_one_go() -> None:
    classes({"gpu": ("1", {}), "npu": ("2", {}), "old": ("3", {})})
    result = classes({"gpu": ("1", {}), "npu": ("2", {"config": []}), "new": ("4", {})})
    assert counts(result) == (1, 1, 1)
    assert rows() == {"gpu": ("1", {}), "npu": ("2", {"config": []}), "new": ("4", {})}


def test_nothing_is_written_where_nothing_changed() -> None:
    classes({"gpu": ("1", {"config": [{"a": 1}]})})
    assert classes({"gpu": ("1", {"config": [{"a": 1}]})}).changes == 0


def test_every_desired_row_is_known_by_its_key_afterwards() -> None:
    before = classes({"gpu": ("1", {}), "npu": ("2", {})})
    after = classes({"gpu": ("1", {}), "npu": ("9", {}), "new": ("3", {})})
    pk = make_cluster().pk
    assert after.ids == {(pk, one.name): one.pk for one in DeviceClass.objects.all()}
    assert {key: after.ids[key] for key in before.ids} == before.ids


def test_a_row_may_be_kept_though_nobody_desires_it() -> None:
    before = classes({"gpu": ("1", {}), "npu": ("2", {}), "old": ("3", {})})
    result = classes({"gpu": ("1", {})}, keep="npu")
    kept = before.ids[make_cluster().pk, "npu"]
    assert (result.kept, counts(result)) == (frozenset({kept}), (0, 0, 1))
    assert kept in result.ids.values()
    assert rows() == {"gpu": ("1", {}), "npu": ("2", {})}


def test_a_kept_row_that_is_desired_is_written_as_desired() -> None:
    classes({"gpu": ("1", {})})
    result = classes({"gpu": ("2", {})}, keep="gpu")
    assert (result.kept, rows()) == (frozenset(), {"gpu": ("2", {})})


def test_rows_outside_the_scope_stay() -> None:
    classes({"gpu": ("1", {})}, cluster="other")
    classes({})
    assert rows("other") == {"gpu": ("1", {})}


def test_without_a_scope_every_row_is_new() -> None:
    pk = make_cluster().pk
    classes({"gpu": ("1", {})})
    result = reconcile(DeviceClass, None, KEY, FIELDS, {(pk, "npu"): ("2", {})})
    assert counts(result) == (1, 0, 0)
    assert rows() == {"gpu": ("1", {}), "npu": ("2", {})}


def test_a_key_alone_is_enough_to_say_what_is_desired() -> None:
    pk = make_cluster().pk
    scope = DeviceClass.objects.filter(cluster=pk)
    for created in (1, 0):
        assert reconcile(DeviceClass, scope, (*KEY, "uid"), (), {(pk, "gpu", "1"): ()}).changes == created


def test_a_name_that_came_back_is_free_before_it_is_taken() -> None:
    pk = make_cluster().pk
    scope, key = DeviceClass.objects.filter(cluster=pk), ("cluster_id", "uid")
    reconcile(DeviceClass, scope, key, ("name",), {(pk, "1"): ("gpu",)})
    result = reconcile(DeviceClass, scope, key, ("name",), {(pk, "2"): ("gpu",)})
    assert counts(result) == (1, 0, 1)


def test_a_row_that_others_need_is_not_removed() -> None:
    namespace = make_claim().namespace
    scope = Namespace.objects.filter(cluster=namespace.cluster_id)
    with pytest.raises(RestrictedError):
        reconcile(Namespace, scope, ("cluster_id", "name"), (), {})
    assert Claim.objects.exists()
