"""What pages show of reports: added up over products, and how much of it was read."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce

import msgspec

from inventory.dra.units import short_name
from inventory.history.axis import common, united, without
from inventory.history.instants import SECOND, Span, micros, moment
from inventory.queries.slices import TeamBrief
from inventory.queries.usage.rows import Integral, Period, Reading, There, UsageReport, UsageRow

NOTHING = Fraction()


class Whose(msgspec.Struct, frozen=True):
    """A team of the time, by its slug: `team` is what it is now, None where there is no such team any more.

    Without a slug it was nobody's, or, where it is `withheld`, of all that may not be named.
    """

    slug: str
    team: TeamBrief | None
    withheld: bool

    @property
    def colour(self) -> int:
        return self.team.colour if self.team else 0


class Part(msgspec.Struct, frozen=True):
    """Seconds; `unknown` are those of shares of which the card-equivalent is not known."""

    whose: Whose
    card_equivalents: Fraction
    unknown: Fraction


class Step(msgspec.Struct, frozen=True):
    """`read` and `unread` are seconds, of all clusters together."""

    period: Period
    parts: tuple[Part, ...]
    read: Fraction
    unread: Fraction


class Total(msgspec.Struct, frozen=True):
    """Over all products. `there` are the seconds of cards that were published; None: of no cards."""

    card_equivalents: Fraction
    unknown: Fraction
    shares: Fraction
    there: Fraction | None
    is_read: bool

    @property
    def ratio(self) -> Fraction | None:
        """At least so much, where something is unknown."""
        return self.card_equivalents / self.there if self.there else None


class Gaps(msgspec.Struct, frozen=True):
    """When of no cluster anything was read, and when of some clusters nothing was."""

    nothing: tuple[Period, ...]
    some: tuple[Period, ...]


def step(report: UsageReport, known: Mapping[str, TeamBrief]) -> Step:
    """Of a report by team."""
    held: defaultdict[Whose, list[UsageRow]] = defaultdict(list)
    for row in report.rows:
        held[whose(row, known)].append(row)
    return Step(
        report.period,
        tuple(part(one, rows) for one, rows in sorted(held.items(), key=lambda item: order(item[0]))),
        sum((one.read for one in report.readings), NOTHING),
        sum((unread_seconds(one) for one in report.readings), NOTHING),
    )


def total(report: UsageReport) -> Total:
    """Of a report by product."""
    there = [row.there.cards for row in report.rows if row.there]
    return Total(
        card_equivalents=sum((row.use.card_equivalents for row in report.rows), NOTHING),
        unknown=sum((row.use.card_equivalents_unknown for row in report.rows), NOTHING),
        shares=sum((row.use.shares for row in report.rows), NOTHING),
        there=sum(there, NOTHING) if there else None,
        is_read=any(one.read for one in report.readings),
    )


def gaps(readings: Iterable[Reading]) -> Gaps:
    """Of one period, or of several that follow each other."""
    unread: defaultdict[str, list[Span]] = defaultdict(list)
    for one in readings:
        unread[one.cluster] += [Span(micros(span.start), micros(span.end)) for span in one.unread]
    if not unread:
        return Gaps((), ())
    nothing = reduce(common, unread.values())
    some = without([span for own in unread.values() for span in own], nothing)
    return Gaps(_periods(united(nothing)), _periods(some))


def whose(row: UsageRow, known: Mapping[str, TeamBrief]) -> Whose:
    slug = row.team or ""
    return Whose(slug, known.get(slug), row.withheld)


def order(one: Whose) -> tuple[bool, bool, int, str]:
    """Named teams by their colours, then what is nobody's, then what is withheld."""
    return one.withheld, not one.slug, one.colour or 9, one.slug


def amount(amounts: Iterable[Integral], name: str) -> Integral | None:
    """Of memory or cores, whatever domain the driver puts before."""
    return next((one for one in amounts if short_name(one.dimension) == name), None)


def capacity(there: There | None, name: str) -> Integral | None:
    return amount(there.capacity, name) if there else None


def part(whose: Whose, rows: Sequence[UsageRow]) -> Part:
    """Over all products."""
    return Part(
        whose,
        sum((row.use.card_equivalents for row in rows), NOTHING),
        sum((row.use.card_equivalents_unknown for row in rows), NOTHING),
    )


def unread_seconds(reading: Reading) -> Fraction:
    spans = (micros(one.end) - micros(one.start) for one in reading.unread)
    return Fraction(sum(spans), SECOND)


def _periods(spans: Iterable[Span]) -> tuple[Period, ...]:
    return tuple(Period(moment(one.start), moment(one.end)) for one in spans)
