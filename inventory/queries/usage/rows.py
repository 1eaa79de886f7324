"""What faces get of usage: exact integrals, in seconds, by group."""

from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum
from fractions import Fraction

import msgspec

from inventory.dra.units import Unit
from inventory.kube.quantity import Notation


class UsageGroup(StrEnum):
    TEAM = "team"
    NAMESPACE = "namespace"
    WORKLOAD = "workload"
    PRODUCT = "product"
    DRIVER = "driver"
    NODE = "node"
    CLUSTER = "cluster"


class Period(msgspec.Struct, frozen=True):
    """From `start` up to, and not with, `end`; both aware."""

    start: datetime
    end: datetime


class Integral(msgspec.Struct, frozen=True):
    """Of one dimension: base units × seconds. `unknown`: for how many share-seconds, or card-seconds of a
    capacity, the amount is not known and therefore not in `total`."""

    dimension: str
    unit: Unit
    notation: Notation
    total: Fraction
    unknown: Fraction


class Use(msgspec.Struct, frozen=True):
    """What a group held, in seconds.

    `devices` and `cards` count while at least one share of the group is on them; each share has its
    card-equivalent, the largest part that it takes of any dimension of its card, and these add up: four
    shares of a quarter are one card. Where it is not known, its time is in `card_equivalents_unknown`.
    """

    shares: Fraction
    devices: Fraction
    cards: Fraction
    card_equivalents: Fraction
    card_equivalents_unknown: Fraction
    amounts: tuple[Integral, ...]


class There(msgspec.Struct, frozen=True):
    """What there was, held or not: card-seconds, and the capacity of the cards."""

    cards: Fraction
    capacity: tuple[Integral, ...]


class UsageRow(msgspec.Struct, frozen=True):
    """One group, of one driver and product: amounts of different ones are never added up.

    Of the fields that name groups those are None that were not asked for; `team` and `namespace` also where
    it was nobody's. `withheld`: the viewer may not read the names behind the row, which adds up all of these.
    `there` is None where a group has no cards of its own.
    """

    cluster: str | None
    team: str | None
    namespace: str | None
    workload_kind: str | None
    workload_name: str | None
    node: str | None
    withheld: bool
    driver: str
    product: str | None
    use: Use
    there: There | None


class Reading(msgspec.Struct, frozen=True):
    """Of one cluster in the period: seconds that were read, and when it was not.

    `first`: since when there is any record of it. Of an unread time nothing is known.
    """

    cluster: str
    first: datetime | None
    read: Fraction
    unread: tuple[Period, ...]


class UsageReport(msgspec.Struct, frozen=True):
    """`exact_until`: later than this is not over yet, or was not read so far."""

    period: Period
    readings: Sequence[Reading]
    rows: Sequence[UsageRow]
    exact_until: datetime | None


class UsageSeries(msgspec.Struct, frozen=True):
    """The same by steps; a step that was read in part has its readings beside it."""

    steps: Sequence[UsageReport]


class HeatCell(msgspec.Struct, frozen=True):
    """One hour of a day as clocks tell it, all products together; all in seconds.

    `seconds` is how long it lasted: where clocks are turned back, two hours have one name; where they leap,
    one is missing. `read` is for how long each cluster was read in it, added up. `there` counts the cards
    that were published.
    """

    day: date
    hour: int
    seconds: Fraction
    read: Fraction
    cards: Fraction
    card_equivalents: Fraction
    card_equivalents_unknown: Fraction
    there: Fraction


class UsageHeat(msgspec.Struct, frozen=True):
    """In the order of days and hours; those that lie in the period."""

    period: Period
    readings: Sequence[Reading]
    cells: Sequence[HeatCell]
    exact_until: datetime | None


class PodUse(msgspec.Struct, frozen=True):
    """What a share gave to one consumer of its claim, while its device stayed as it was; times in seconds.

    From `start` to `end` the consumer used it; `read` is what was read of that time, and `part` what the
    consumer has of it: where several use the claim at once, an even part each. The amounts, and
    `card_equivalents`, None where it is not known, are those of this part. Of a time in which nobody used the
    claim, the Pod and its workload are None. `resource` is `pods`, or what else the claim was reserved for.
    The share was given at `allocated_at` and given back at `released_at`; None: it is held.
    """

    cluster: str
    namespace: str
    team: str | None
    claim: str
    claim_uid: str
    resource: str | None
    pod: str | None
    pod_uid: str | None
    workload_kind: str | None
    workload_name: str | None
    node: str | None
    driver: str
    pool: str
    device: str
    product: str | None
    dedicated: bool
    start: datetime
    end: datetime
    read: Fraction
    part: Fraction
    card_equivalents: Fraction | None
    amounts: tuple[Integral, ...]
    allocated_at: datetime
    released_at: datetime | None
