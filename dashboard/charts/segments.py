"""Where the parts of a bar lie, in per cent of its length. Places on a screen, not amounts."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _

from dashboard.charts.text import bold, lines, plain
from dashboard.words import amounts, states
from inventory.kube.quantity import Quantity
from inventory.models.devices import DeviceState
from inventory.queries.dimensions import ratio as ratio_of
from inventory.queries.kinds import DimensionSum, Part
from inventory.queries.shares import ShareRow
from inventory.queries.slices import OTHER_COLOUR, Slice, TeamBrief, Track

WHOLE = Decimal(100)
_NOTHING = Decimal(0)


class Segment(NamedTuple):
    """`forms` are its label from long to short; `hover` is markup, everything else is text."""

    colour: int
    start: Decimal
    width: Decimal
    title: str
    forms: tuple[str, ...] = ()
    hover: str = ""


class Pattern(NamedTuple):
    """Over what is free: `hatch` where it is tainted, `dots` where another dimension is used up."""

    name: str
    start: Decimal
    width: Decimal


class Ghost(NamedTuple):
    """What a request asks of what is free; all that is free, where that is not `enough`."""

    start: Decimal
    width: Decimal
    enough: bool


class Bar(NamedTuple):
    """`limit` is the place of a line across it."""

    label: str
    segments: Sequence[Segment]
    patterns: Sequence[Pattern] = ()
    ghost: Ghost | None = None
    limit: Decimal | None = None


def track_bar(name: str, track: Track, *, barred: bool = False) -> Bar:
    """The slices of one dimension end to end. The scale ends at the total, or past it where more is held.

    `barred`: what is free cannot be had, because of a taint, an incomplete pool, or partitions that are held.
    """
    scale = max(Decimal(1), sum((one.ratio or _NOTHING for one in track.slices), _NOTHING))
    segments: list[Segment] = []
    start = _NOTHING
    for one in track.slices:
        if one.ratio:
            width = one.ratio * WHOLE / scale
            segments.append(_segment(one, track, start, width))
            start += width
    return Bar(sentence(name, track), segments, _over_free(track, start, barred=barred))


def asked_bar(name: str, track: Track, need: Quantity | None) -> Bar:
    """The slices of one dimension, and behind them what a request asks."""
    bar = track_bar(name, track)._replace(patterns=())
    if need is None or track.total is None or track.remaining is None:
        return bar
    start = max((one.start + one.width for one in bar.segments), default=_NOTHING)
    enough = need <= track.remaining
    asked = (ratio_of(need, track.total) or _NOTHING) * WHOLE if enough else WHOLE
    width = min(asked, WHOLE - start)
    words = {"held": bar.label, "need": amounts.amount(need, track.unit)}
    return bar._replace(
        label=_("%(held)s; %(need)s asked") % words,
        ghost=Ghost(start, width, enough) if width > 0 else None,
    )


def is_barred(state: str, *, tainted: bool) -> bool:
    """Whether what is free of a card or device is out of reach for now."""
    return tainted or state == DeviceState.UNAVAILABLE


def sentence(name: str, track: Track) -> str:
    """`gpu-0 memory: 38 GiB of 80 GiB allocated, 42 GiB left`, for those who do not see the bar."""
    words = {"name": name, "dimension": amounts.dimension_label(track.name)}
    if track.total is None or track.allocated is None or track.remaining is None:
        return _("%(name)s %(dimension)s: not known") % words
    return _("%(name)s %(dimension)s: %(allocated)s of %(total)s allocated, %(left)s left") % {
        **words,
        "allocated": amounts.amount(track.allocated, track.unit),
        "total": amounts.amount(track.total, track.unit),
        "left": amounts.amount(track.remaining, track.unit),
    }


def sum_bar(name: str, one: DimensionSum) -> Bar:
    """What each team holds of a kind of cards; what is left, but of no use, lies at the far end.

    The scale ends at the total, or past it where more is held, as on cards whose total is not known.
    """
    scale = WHOLE / max(Decimal(1), sum((part.ratio or _NOTHING for part in one.parts), _NOTHING))
    segments: list[Segment] = []
    start = _NOTHING
    for part in one.parts:
        if part.ratio:
            segments.append(_part(part, one, start, part.ratio * scale))
            start += part.ratio * scale
    label = _("%(name)s %(dimension)s: %(allocated)s of %(total)s") % {
        "name": name,
        "dimension": amounts.dimension_label(one.name),
        "allocated": amounts.amount(one.allocated, one.unit),
        "total": amounts.amount(one.total, one.unit),
    }
    return Bar(label, segments, _of_no_use(one, scale))


def part_bar(label: str, colour: int, ratio: Decimal | None) -> Bar:
    """One part of a whole."""
    width = min(WHOLE, (ratio or _NOTHING) * WHOLE)
    return Bar(label, [Segment(colour, _NOTHING, width, label)] if width else [])


def colour(team: TeamBrief | None) -> int:
    return team.colour if team else OTHER_COLOUR


def holders(share: ShareRow) -> str:
    """`shared-0 + 2`: the first Pod and how many more use the same claim; the claim where no Pod uses it."""
    if not share.pods:
        return share.claim.name
    more = len(share.pods) - 1
    return share.pods[0].name + (f" + {more}" if more else "")


def whose(share: ShareRow, team: TeamBrief | None) -> str:
    """`pod-count-2 · nlp`; the namespace where it belongs to no team."""
    return f"{holders(share)} · {team.name if team else share.claim.namespace}"


def _segment(one: Slice, track: Track, start: Decimal, width: Decimal) -> Segment:
    held = amounts.amount(one.amount, track.unit) if one.amount is not None else amounts.not_known()
    text = whose(one.share, one.team) if one.share else str(states.ANOTHER_TEAM)
    return Segment(
        colour=colour(one.team),
        start=start,
        width=width,
        title=f"{text}: {held}",
        forms=(f"{text} · {held}", text, *([holders(one.share)] if one.share else [])),
        hover=_hover(one, track, held),
    )


def _hover(one: Slice, track: Track, held: str) -> str:
    part = _("%(dimension)s %(amount)s, %(part)s of the device") % {
        "dimension": amounts.dimension_label(track.name),
        "amount": held,
        "part": amounts.share_of(Fraction(one.ratio or 0)),
    }
    if one.share is None:
        return lines(bold(str(states.ANOTHER_TEAM)), plain(part))
    names = ", ".join(pod.name for pod in one.share.pods) or one.share.claim.name
    team = one.team.name if one.team else one.share.claim.namespace
    claim = _("claim %(name)s") % {"name": f"{one.share.claim.namespace}/{one.share.claim.name}"}
    return lines(f"{bold(names)} · {plain(team)}", plain(part), plain(claim))


def _over_free(track: Track, start: Decimal, *, barred: bool) -> list[Pattern]:
    if not track.remaining or not (barred or track.stranded):
        return []
    return [Pattern("hatch" if barred else "dots", start, WHOLE - start)]


def _of_no_use(one: DimensionSum, scale: Decimal) -> list[Pattern]:
    unavailable, stranded = (
        (part or _NOTHING) * scale for part in (one.unavailable_ratio, one.stranded_ratio)
    )
    found = [
        Pattern("dots", WHOLE - unavailable - stranded, stranded),
        Pattern("hatch", WHOLE - unavailable, unavailable),
    ]
    return [pattern for pattern in found if pattern.width]


def _part(part: Part, one: DimensionSum, start: Decimal, width: Decimal) -> Segment:
    name = states.team_name(part.team)
    return Segment(colour(part.team), start, width, f"{name}: {amounts.amount(part.amount, one.unit)}")
