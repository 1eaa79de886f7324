import pytest

from inventory.dra.units import Unit, reading_order, unit_of
from inventory.kube.quantity import Notation


@pytest.mark.parametrize(
    ("driver", "dimension", "unit"),
    [
        ("gpu.nvidia.com", "memory", Unit.BYTES),
        ("gpu.nvidia.com", "gpu.nvidia.com/memory", Unit.BYTES),
        ("gpu.nvidia.com", "addressableMemory", Unit.BYTES),
        ("gpu.nvidia.com", "copyEngines", Unit.COUNT),
        ("hami-core-gpu.project-hami.io", "cores", Unit.PERCENT),
        ("ascend.project-hami.io", "cores", Unit.PERCENT),
        # 120 compute units, not per cent.
        ("dra.hygon.com", "cores", Unit.COUNT),
    ],
)
def test_the_unit_follows_from_driver_and_name(driver: str, dimension: str, unit: Unit) -> None:
    assert unit_of(driver, dimension) is unit


def test_what_is_written_in_powers_of_1024_is_bytes() -> None:
    assert unit_of("gpu.example.com", "cache", Notation.BINARY) is Unit.BYTES


def test_memory_is_read_first_then_cores_then_the_rest_by_name() -> None:
    names = ["encoders", "cores", "a/memory", "decoders"]
    assert sorted(names, key=reading_order) == ["a/memory", "cores", "decoders", "encoders"]
