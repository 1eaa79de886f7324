from typing import Any

import pytest

from inventory.hami.asked import annotations, containers, quantity
from inventory.kube.quantity import parse
from tests.inventory.hami.pods import container, pod, pod_of


def test_containers_of_every_kind_are_read() -> None:
    one = pod_of(container({"a": 1}), container(name="side"), initContainers=[container(name="init")])

    assert [(asked.path, asked.name) for asked in containers(one)] == [
        ("spec.containers[0]", "app"),
        ("spec.containers[1]", "side"),
        ("spec.initContainers[0]", "init"),
    ]


def test_the_limit_goes_before_the_request() -> None:
    resources = {"limits": {"a": 1}, "requests": {"a": 2, "b": 3}}
    (asked,) = containers(pod_of({"name": "app", "resources": resources}))

    assert (asked.amount("a"), asked.amount("b"), asked.amount("c")) == (1, 3, None)
    assert asked.place("a") == 'spec.containers[0].resources.limits["a"]'
    assert asked.place("b") == 'spec.containers[0].resources.requests["b"]'


@pytest.mark.parametrize(
    "spec",
    [None, 1, [], {"containers": {}}, {"containers": [1, None, []]}, {"containers": [{"resources": []}]}],
)
def test_what_has_another_shape_is_passed_over(spec: Any) -> None:
    assert all(not asked.names() for asked in containers({"spec": spec}))


@pytest.mark.parametrize("metadata", [None, [], {"annotations": []}, {"annotations": {"a": 1}}])
def test_annotations_that_are_no_texts_are_passed_over(metadata: Any) -> None:
    assert annotations({"metadata": metadata}) == {}
    assert annotations(pod({}, {"a": "b"})) == {"a": "b"}


@pytest.mark.parametrize(("amount", "text"), [(1, "1"), ("8Gi", "8Gi"), (" 1 ", "1"), (None, "0")])
def test_an_amount_may_be_a_number_or_a_text(amount: Any, text: str) -> None:
    assert quantity(amount) == parse(text)


@pytest.mark.parametrize("amount", ["", "a lot", True, [], {}])
def test_anything_else_is_no_amount(amount: Any) -> None:
    assert quantity(amount) is None
