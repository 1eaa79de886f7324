"""What is asked about usage, and which rows of history it is about."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

import msgspec
from django.core.exceptions import ValidationError
from django.db.models import Q

from inventory.history.instants import Span, micros
from inventory.history.measures import Measure
from inventory.models import ShareInterval
from inventory.models.visibility import visible
from inventory.queries.usage.filters import Wanted
from inventory.queries.usage.groups import Groups
from inventory.queries.usage.rows import Period, UsageGroup
from inventory.viewer import Viewer


class Question(msgspec.Struct, frozen=True):
    """`borders` are those of the buckets; `clusters` are the names of those that are asked about.

    `measures` are those that the answer looks at, or more than these.
    """

    borders: Sequence[datetime]
    groups: Groups
    wanted: Wanted
    clusters: Mapping[int, str]
    viewer: Viewer
    measures: frozenset[Measure] = frozenset(Measure)

    @property
    def span(self) -> Span:
        return Span(micros(self.borders[0]), micros(self.borders[-1]))

    @property
    def needs_uses(self) -> bool:
        return self.groups.has(UsageGroup.WORKLOAD) or bool(self.wanted.workload)

    def of_devices(self) -> Q:
        wanted = self.wanted
        return _among(driver=wanted.driver, pool=wanted.pool, device=wanted.device)

    def of_uses(self) -> Q:
        return _among(namespace=self.wanted.namespace)

    def of_shares(self) -> Q:
        wanted = self.wanted
        found = self.of_devices() & self.of_uses() & _among(team_slug=wanted.team)
        found &= _among(device_class=wanted.device_class, claim_name=wanted.claim)
        if self.wanted.names_a_holder:
            found &= visible(ShareInterval, self.viewer)
        return found


def _among(**allowed: Collection[str]) -> Q:
    """Where nothing is asked of a column, anything is allowed."""
    return Q(**{f"{column}__in": names for column, names in allowed.items() if names})


def whole(period: Period) -> list[datetime]:
    """The borders of one bucket. Raises ValidationError."""
    if period.start >= period.end:
        raise ValidationError("the period ends before it begins, or lasts no time")
    return [period.start.astimezone(UTC), period.end.astimezone(UTC)]
