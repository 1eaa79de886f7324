from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.http import QueryDict

from inventory.models import DeviceClass
from inventory.queries import device_classes
from inventory.viewer import EVERYTHING
from tests.factories import make_cluster

pytestmark = pytest.mark.django_db


def make_class(name: str = "gpu", **fields: Any) -> DeviceClass:
    return DeviceClass.objects.create(cluster=make_cluster(), name=name, uid=name, **fields)


def found(query: str = "") -> list[device_classes.DeviceClassRow]:
    return device_classes.rows(
        device_classes.DeviceClassFilter(QueryDict(query), viewer=EVERYTHING).filter_queryset(
            device_classes.queryset()
        )
    )


def test_a_class_tells_its_selectors() -> None:
    selectors = [{"cel": {"expression": "device.driver == 'a'"}}, {"other": {}}]
    make_class(spec={"selectors": selectors}, extended_resource_name="example.com/gpu")
    (row,) = found()
    assert row.selectors == ("device.driver == 'a'",)
    assert row.extended_resource_name == "example.com/gpu"


@pytest.mark.parametrize("selectors", [None, "all", [{"cel": "x"}]])
def test_selectors_that_cannot_be_understood_are_none(selectors: object) -> None:
    make_class(spec={"selectors": selectors})
    assert found()[0].selectors == ()


def test_classes_are_found_by_name() -> None:
    make_class("small")
    make_class("large")
    assert [row.name for row in found("device_class=large")] == ["large"]
    assert [row.name for row in found("q=SMA")] == ["small"]


def test_a_value_that_is_not_allowed_is_refused() -> None:
    with pytest.raises(ValidationError, match="not known here"):
        found("cluster=nowhere")
