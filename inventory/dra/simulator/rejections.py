"""Why a device did not get a request: the first check that it failed, with the numbers."""

from enum import StrEnum

import msgspec

from inventory.kube.quantity import Quantity


class Check(StrEnum):
    """In the order in which the scheduler checks, after what it leaves out from the first."""

    POOL = "pool"
    HELD = "held"
    TAKEN = "taken"
    FEATURE = "feature"
    SELECTOR = "selector"
    NODE = "node"
    UNKNOWN = "unknown"
    DIMENSION = "dimension"
    POLICY = "policy"
    CAPACITY = "capacity"
    COUNTER = "counter"
    TAINT = "taint"
    CONSTRAINT = "constraint"


class Rejection(msgspec.Struct, frozen=True):
    """`subject` is what was checked: a dimension, counter, taint, attribute or selector.

    `need` and `left` are known for capacity and counters; `detail` says the rest in words.
    """

    check: Check
    subject: str = ""
    need: Quantity | None = None
    left: Quantity | None = None
    detail: str = ""
