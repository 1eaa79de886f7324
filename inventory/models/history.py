from django.db import models

from inventory.models.clusters import Cluster
from inventory.models.visibility import VisibleQuerySet


class InstantSource(models.TextChoices):
    """Where it is known from when a share began or ended."""

    ALLOCATION = "allocation", "the claim's allocationTimestamp"
    OBSERVED = "observed", "seen by Sliceboard"


class ShareInterval(models.Model):
    """A share from when it was given until it was given back. What was, stays, whatever becomes of the claim.

    An observed instant is the moment at which Sliceboard learned of it; the true one lies between
    `…_not_before`, where that is known, and there. The names are those of the time.

    A share that becomes another team's while it is held is two intervals: the first ends where the second
    starts, and the second keeps in `given_at` when the share was given.
    """

    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="share_intervals", db_index=False, db_constraint=False
    )
    claim_uid = models.CharField()
    namespace = models.CharField()
    claim_name = models.CharField()
    team_slug = models.CharField(blank=True, help_text="of the team whose it was; empty: nobody's")
    driver = models.CharField()
    pool = models.CharField()
    device = models.CharField()
    request = models.CharField()
    share_id = models.CharField(blank=True)
    dedicated = models.BooleanField()
    admin_access = models.BooleanField()
    # Exact, as the allocation says it: {"memory": "8Gi"}; null where it cannot be read.
    consumed = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    started_source = models.CharField(max_length=10, choices=InstantSource.choices)
    started_not_before = models.DateTimeField(null=True)
    given_at = models.DateTimeField(
        null=True, help_text="when the share was given, where that was before: as another team's"
    )
    given_source = models.CharField(max_length=10, choices=InstantSource.choices, blank=True)
    ended_at = models.DateTimeField(null=True, help_text="null: held")
    ended_not_before = models.DateTimeField(null=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("started_at", "pk")
        # A claim that is given a device again finds here what it held before.
        indexes = [models.Index("cluster", "claim_uid", name="interval_of_claim")]
        constraints = [
            models.UniqueConstraint(
                "cluster",
                "claim_uid",
                "request",
                "driver",
                "pool",
                "device",
                "share_id",
                condition=models.Q(ended_at=None),
                name="one_open_interval_of_share",
            ),
            models.CheckConstraint(
                condition=models.Q(ended_at=None) | models.Q(ended_at__gte=models.F("started_at")),
                name="interval_ends_after_its_start",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.claim_name} on {self.driver}/{self.pool}/{self.device}"
