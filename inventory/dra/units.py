"""In which unit people read a dimension; the API gives the driver's own number whatever this says."""

from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache

from inventory.kube.quantity import Notation

_BYTES = ("memory", "addressablememory", "vmem", "vram")
# HAMi's drivers publish 100 cores on every card: they are per cent of it. Elsewhere cores are counted.
_PERCENT_DRIVERS = ("*.project-hami.io", "fake.dra.hami.io")


class Unit(StrEnum):
    BYTES = "bytes"
    PERCENT = "percent"
    COUNT = "count"


def short_name(dimension: str) -> str:
    """A dimension without its domain: `gpu.example.com/memory` → `memory` (API type QualifiedName)."""
    return dimension.rpartition("/")[2]


@lru_cache(maxsize=1_000)
def unit_of(driver: str, dimension: str, notation: Notation = Notation.DECIMAL) -> Unit:
    """Bytes where the name says memory or the quantity is written in powers of 1024."""
    name = short_name(dimension).lower()
    if name in _BYTES or notation is Notation.BINARY:
        return Unit.BYTES
    if name == "cores" and any(fnmatchcase(driver, pattern) for pattern in _PERCENT_DRIVERS):
        return Unit.PERCENT
    return Unit.COUNT


def reading_order(dimension: str) -> tuple[int, str]:
    """Memory first, then cores, then the rest by name."""
    name = short_name(dimension)
    return {"memory": 0, "cores": 1}.get(name, 2), dimension
