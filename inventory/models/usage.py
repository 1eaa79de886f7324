from django.db import models

from inventory.models.amounts import NotationChoices
from inventory.models.clusters import Cluster
from inventory.models.visibility import VisibleQuerySet


class Level(models.TextChoices):
    HOUR = "hour"
    DAY = "day"


class UsageTotal(models.Model):
    """An integral over one hour or day (UTC) of what was held, or of what there was, of a group in a cluster.

    It is a whole number of microseconds × 10^`exponent` units, in two parts, `high` × 2^40 + `low`, so that
    sums fit in 64 bits on every database. It equals the integral of the intervals to the last unit.
    """

    class Scope(models.TextChoices):
        """Which groups. Of a row those names are filled that its scope goes by, and driver and product."""

        NAMESPACE = "namespace", "team and namespace"
        TEAM = "team", "team"
        PRODUCT = "product", "all of the product"
        # Of days only.
        NODE = "node", "node"

    class Measure(models.TextChoices):
        # A share, for as long as it was held.
        SHARES = "shares"
        # A device or card, for as long as at least one share of the group was on it.
        DEVICES = "devices"
        CARDS = "cards"
        # What shares held of `dimension`, and for how long shares held an amount that is not known.
        HELD = "held"
        UNKNOWN = "unknown"
        # Numerators of parts of a card whose `per` units of some dimension are the whole card; and for how
        # long shares held a part that is not known.
        CARD_PARTS = "card_parts"
        CARD_PARTS_UNKNOWN = "card_parts_unknown"
        # What there was, held or not: cards that were published, and their capacity in `dimension`.
        THERE_CARDS = "there_cards"
        THERE = "there"
        THERE_UNKNOWN = "there_unknown"

    level = models.CharField(max_length=4, choices=Level.choices)
    starts_at = models.DateTimeField()
    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="usage_totals", db_index=False)
    scope = models.CharField(max_length=9, choices=Scope.choices)
    driver = models.CharField()
    product = models.CharField(blank=True)
    team_slug = models.CharField(blank=True)
    namespace = models.CharField(blank=True)
    node = models.CharField(blank=True)
    measure = models.CharField(max_length=18, choices=Measure.choices)
    dimension = models.CharField(blank=True)
    exponent = models.SmallIntegerField(default=0)
    notation = models.CharField(
        max_length=15, choices=NotationChoices.choices, default=NotationChoices.DECIMAL
    )
    per = models.BigIntegerField(default=0, help_text="capacity of the whole card; 0: not of a part")
    high = models.BigIntegerField()
    low = models.BigIntegerField()

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("starts_at", "pk")
        indexes = [models.Index("level", "cluster", "scope", "starts_at", name="usage_total_by_time")]

    def __str__(self) -> str:
        return f"{self.measure} of {self.scope} in the {self.level} from {self.starts_at}"


class RollUp(models.Model):
    """How far the history of a cluster is added up: hours before `hours_until`, days before `days_until`.

    Whoever changes the past sets them back, in the same transaction. `changes` counts these changes, of hours
    that are over, so that who adds up what is being changed learns of it.
    """

    cluster = models.OneToOneField(Cluster, models.CASCADE, related_name="roll_up", primary_key=True)
    hours_until = models.DateTimeField(null=True, help_text="null: nothing is added up yet")
    days_until = models.DateTimeField(null=True)
    changes = models.PositiveBigIntegerField(default=0)
    # What is older was deleted: of intervals and events nothing is known from before.
    intervals_from = models.DateTimeField(null=True)
    hours_from = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.cluster_id}: hours until {self.hours_until}"
