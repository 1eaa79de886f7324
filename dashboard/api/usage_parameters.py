"""What is asked of usage: a period, its steps, groups, and whose clock they go by."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError

from dashboard.api.parameters import single
from dashboard.words import periods
from dashboard.words.periods import PeriodError, Zone
from inventory.history.buckets import SHORTEST, Step, borders
from inventory.queries.usage.reach import Reach
from inventory.queries.usage.report import MOST_STEPS
from inventory.queries.usage.rows import Period, UsageGroup

GROUP_BY = "group_by"
STEP = "step"
SPAN = ("from", "to", "tz")
_MOST_GROUPS = 2


class Asked(NamedTuple):
    period: Period
    zone: Zone
    groups: Sequence[UsageGroup]


def asked(query: QueryDict) -> Asked:
    """Raises ValidationError that names everything that is wrong."""
    faults: dict[str, list[str]] = {}
    zone = _zone(query, faults)
    start, end = (_instant(query, name, zone, faults) for name in ("from", "to"))
    groups = _groups(query, faults)
    if start and end and start >= end:
        faults["to"] = ["is not after `from`: a period ends later than it starts"]
    if faults or start is None or end is None:
        raise ValidationError(faults)
    return Asked(Period(start, end), zone, groups)


def refuse_unknowable(period: Period, known: Reach, now: datetime) -> None:
    """Of the future, and of what was before the first record, there is nothing to tell.

    Raises ValidationError.
    """
    if period.start >= now:
        raise ValidationError({"from": [f"lies in the future: it is {_written(now)} now"]})
    if known.first is not None and period.end <= known.first:
        told = f"lies before the first record, which is of {_written(known.first)}: nothing is known of it"
        raise ValidationError({"to": [told]})


def span_parameters() -> list[OpenApiParameter]:
    instant = "A date, which is its beginning, or RFC 3339; without an offset in the zone `tz`."
    return [
        OpenApiParameter("from", str, required=True, description=f"Start of the period. {instant}"),
        OpenApiParameter("to", str, required=True, description=f"End, which is not in it. {instant}"),
        OpenApiParameter(
            "tz",
            str,
            default=periods.UTC_NAME,
            description="Time zone of the IANA database, by whose clock days, weeks and months are cut.",
        ),
    ]


def group_parameter() -> OpenApiParameter:
    schema: dict[str, Any] = {
        "type": "array",
        "items": {"type": "string", "enum": list(UsageGroup)},
        "maxItems": _MOST_GROUPS,
    }
    told = "One group, or two with a comma between them; default: team."
    return OpenApiParameter(GROUP_BY, schema, description=told, style="form", explode=False)


def _zone(query: QueryDict, faults: dict[str, list[str]]) -> Zone:
    try:
        return periods.zone(single(query, "tz"))
    except PeriodError as error:
        faults.update({name: [fault] for name, fault in error.faults})
        return periods.zone(None)


def _instant(query: QueryDict, name: str, zone: Zone, faults: dict[str, list[str]]) -> datetime | None:
    text = single(query, name)
    if text is None:
        faults[name] = ["is needed: a date (2026-11-01) or RFC 3339 (2026-11-01T06:00:00Z)"]
        return None
    try:
        return periods.instant(text, zone, name)
    except PeriodError as error:
        faults.update({field: [fault] for field, fault in error.faults})
        return None


def _groups(query: QueryDict, faults: dict[str, list[str]]) -> Sequence[UsageGroup]:
    names = (single(query, GROUP_BY) or UsageGroup.TEAM).split(",")
    known = ", ".join(UsageGroup)
    if unknown := [name for name in names if name not in list(UsageGroup)]:
        faults[GROUP_BY] = [f"unknown group {name!r}; known are {known}" for name in unknown]
    elif len(names) > _MOST_GROUPS or len(set(names)) < len(names):
        faults[GROUP_BY] = [f"expected one group or two different ones of {known}"]
    else:
        return [UsageGroup(name) for name in names]
    return []


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def asked_steps(query: QueryDict, asked: Asked) -> tuple[Step, list[Period]]:
    """Raises ValidationError."""
    text = single(query, STEP) or Step.DAY
    if text not in list(Step):
        raise ValidationError({STEP: [f"{text!r} is not one of {', '.join(Step)}"]})
    step, period = Step(text), asked.period
    if (period.end - period.start) // SHORTEST[step] > MOST_STEPS:
        told = f"makes more than {MOST_STEPS} steps: ask for a shorter period or longer steps"
        raise ValidationError({STEP: [told]})
    ends = borders(period.start, period.end, step, asked.zone.info)
    return step, [Period(*pair) for pair in pairwise(ends)]


def step_parameter(told: str, default: str | None) -> OpenApiParameter:
    clock = f"By the clock of `tz`; at most {MOST_STEPS}."
    return OpenApiParameter(STEP, str, enum=list(Step), default=default, description=f"{told} {clock}")
