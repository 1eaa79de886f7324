"""Several questions in one statement give what each gives alone."""

from datetime import UTC, datetime

import pytest
from django.db.models import Count, F, Sum
from pytest_django import DjangoAssertNumQueries

from inventory.models import Balance, Cluster, ConsumedCapacity, Device, Node, Pod, Share
from inventory.queries.at_once import Questions, at_once, fill, number_of, number_of_different
from tests.factories import make_balance, make_claim, make_device, make_node, make_pod, make_share

pytestmark = pytest.mark.django_db


def test_every_type_comes_back_as_the_orm_gives_it(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    node = make_node("näme %s 100% {x} '\"", labels={"a": ["b", 1, None, True]}, ready=None)
    make_node("other", ready=True, taints=[{"key": "k"}])
    make_device(node=node, attributes={"model": {"string": "310P3"}})
    Cluster.objects.update(observed_at=datetime(2026, 11, 29, 8, 0, 0, 123456, tzinfo=UTC))
    asked = {
        "nodes": Node.objects.order_by("-name").values_list(
            "pk", "name", "labels", "taints", "ready", "listed"
        ),
        "clusters": Cluster.objects.values_list("name", "observed_at", "error_at", "enabled"),
        "devices": Device.objects.values_list("attributes", "card__product", "uuid"),
        "none": Node.objects.none().values_list("pk"),
        "nobody": Pod.objects.filter(name="%").values_list("pk"),
        "counted": Node.objects.order_by().values_list("cluster").annotate(number=Count("pk")),
    }
    expected = {name: list(queryset.all()) for name, queryset in asked.items()}
    with django_assert_num_queries(1):
        found = at_once(**asked)
    assert found == expected
    assert list(found) == list(asked)


def test_sums_of_large_amounts_stay_exact() -> None:
    device = make_device()
    for number in range(3):
        make_share(device, make_claim(), consumed={"memory": str(2**61 + number)})
    halves = ConsumedCapacity.objects.order_by().values_list("dimension")
    found = at_once(sums=halves.annotate(high=Sum(F("amount") / 2**32), low=Sum(F("amount") % 2**32)))
    ((dimension, high, low),) = found["sums"]
    assert (dimension, high * 2**32 + low) == ("memory", 3 * 2**61 + 3)


def test_united_queries_are_one_question() -> None:
    make_node("one")
    make_node("two")
    names = Node.objects.order_by().values_list("name")
    both = names.filter(name="one").union(names.filter(name="two"), all=True)
    assert sorted(at_once(both=both)["both"]) == [("one",), ("two",)]


def test_numbers_are_told_also_where_there_is_nothing() -> None:
    questions = Questions()
    nodes, pods = questions.ask(number_of(Node.objects.all())), questions.ask(number_of(Pod.objects.all()))
    different = questions.ask(number_of_different(Node.objects.all(), "name"))
    nothing = questions.ask(number_of(Node.objects.none()))
    make_node("one")
    make_node("two")
    assert [one.number for one in (nodes, pods, different, nothing)] == [2, 0, 2, 0]


def test_questions_go_out_with_the_first_answer_that_is_read(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    make_node("one")
    questions = Questions()
    first = questions.ask(Node.objects.values_list("name"))
    second = questions.ask(Cluster.objects.values_list("name"))
    with django_assert_num_queries(1):
        assert (second.rows, first.rows) == ([("lab",)], [("one",)])
    later = questions.ask(Pod.objects.values_list("name"))
    with django_assert_num_queries(1):
        assert later.rows == []


def test_what_is_filled_in_is_what_would_be_looked_up(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    device = make_device()
    make_balance(device, "memory", "80Gi", "8Gi")
    make_balance(device, "cores", "100", None)
    claim = make_claim()
    make_share(device, claim, consumed={"memory": "8Gi"})
    make_share(make_device("bare"), claim)
    make_pod(uses=claim)
    shares = list(Share.objects.select_related("device", "claim").order_by("pk"))
    expected = [
        (list(one.consumed.all()), list(one.device.balances.all()), list(one.claim.pod_claims.all()))
        for one in Share.objects.order_by("pk")
    ]
    with django_assert_num_queries(1):
        fill(
            (shares, "consumed"),
            ([one.device for one in shares], "balances"),
            ([one.claim for one in shares], "pod_claims"),
        )
        fill((shares, "consumed"))
        found = [
            (list(one.consumed.all()), list(one.device.balances.all()), list(one.claim.pod_claims.all()))
            for one in shares
        ]
    assert found == expected
    assert [one.total for one in found[0][1]] == list(Balance.objects.values_list("total", flat=True))
