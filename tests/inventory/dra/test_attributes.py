import pytest

from inventory.dra import attributes

DRIVER = "gpu.nvidia.com"


@pytest.mark.parametrize(
    ("published", "product"),
    [
        ({"productName": {"string": "NVIDIA GB300"}}, "NVIDIA GB300"),
        ({"model": {"string": "LATEST-GPU-MODEL"}}, "LATEST-GPU-MODEL"),
        ({"gpu.nvidia.com/productName": {"string": "H100"}}, "H100"),
        (
            {
                "vendor.example.com/productName": {"string": "X"},
                "gpu.nvidia.com/productName": {"string": "H100"},
            },
            "H100",
        ),
        ({"dra.net/pciDevice": {"string": "EFA"}}, "EFA"),
        ({"productName": {"int": 5}}, ""),
        ({"productName": {"string": ""}, "model": {"string": "310P3"}}, "310P3"),
        ({}, ""),
    ],
)
def test_the_product_is_found_under_whatever_name_the_driver_uses(
    published: dict[str, dict[str, object]], product: str
) -> None:
    assert attributes.product(published, DRIVER) == product


def test_the_uuid_and_the_parent_s_are_told_apart() -> None:
    published = {"uuid": {"string": "MIG-1"}, "parentUUID": {"string": "GPU-1"}}
    assert attributes.uuid(published, DRIVER) == "MIG-1"
    assert attributes.parent_uuid(published, DRIVER) == "GPU-1"


def test_every_kind_of_value_is_read() -> None:
    for kind, content in {
        "string": "a",
        "int": 1,
        "bool": True,
        "version": "1.2.3",
        "ints": [1],
        "strings": ["a"],
    }.items():
        assert attributes.value({kind: content}) == (kind, content)


def test_what_is_no_one_of_is_refused() -> None:
    with pytest.raises(ValueError, match="exactly one of"):
        attributes.value({"string": "a", "int": 1})
