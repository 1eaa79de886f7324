"""What was: kept in its own words, whatever becomes of the objects that it is about."""

from django.db import models
from django.db.models import F, Q

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
    device_class = models.CharField(blank=True, help_text="that the request names")
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
    # The cluster's generations (its `revision`) in which it was opened and ended, and the last one in which
    # anything of its share was told: who has seen one of them goes on from there. 0: before they were kept.
    began_in = models.PositiveBigIntegerField(default=0)
    told_in = models.PositiveBigIntegerField(default=0)
    ended_in = models.PositiveBigIntegerField(null=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("started_at", "pk")
        # A claim that is given a device again finds here what it held before.
        indexes = [
            models.Index("cluster", "claim_uid", name="interval_of_claim"),
            # What is new since a generation.
            models.Index("cluster", "told_in", name="interval_by_generation"),
            # Of a period: what ended in it or after it, and began before its end.
            models.Index("cluster", "ended_at", "started_at", name="interval_by_end"),
            models.Index("cluster", "driver", "pool", "device", "started_at", name="interval_of_device"),
        ]
        constraints = [
            models.UniqueConstraint(
                "cluster",
                "claim_uid",
                "request",
                "driver",
                "pool",
                "device",
                "share_id",
                condition=Q(ended_at=None),
                name="one_open_interval_of_share",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")),
                name="interval_ends_after_its_start",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.claim_name} on {self.driver}/{self.pool}/{self.device}"


class Coverage(models.Model):
    """A time in which the resource slices and claims of a cluster were read without a break.

    What happened outside of it is not known: neither that something was held, nor that it was free.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="coverage", db_index=False)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(help_text="so far: grows with each reading")

    class Meta:
        ordering = ("started_at",)
        constraints = [
            models.UniqueConstraint("cluster", "started_at", name="coverage_of_cluster"),
            models.CheckConstraint(condition=Q(ended_at__gte=F("started_at")), name="coverage_goes_forward"),
        ]

    def __str__(self) -> str:
        return f"{self.cluster_id}: {self.started_at} to {self.ended_at}"


class DeviceInterval(models.Model):
    """A device as it was published, for as long as nothing of that changed."""

    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="device_intervals", db_index=False, db_constraint=False
    )
    driver = models.CharField()
    pool = models.CharField()
    device = models.CharField()
    node = models.CharField(blank=True)
    product = models.CharField(blank=True)
    uuid = models.CharField(blank=True)
    accelerator = models.BooleanField()
    # The card that it is, or is a part of, by its key; empty for what is no accelerator.
    card = models.CharField(blank=True)
    partitioned = models.BooleanField(help_text="the card is divided into several devices")
    # What is published, by dimension: {"memory": "80Gi"}; null where it cannot be read.
    capacity = models.JSONField(default=dict)
    card_capacity = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, help_text="null: published so")

    class Meta:
        ordering = ("started_at", "pk")
        indexes = [models.Index("cluster", "ended_at", "started_at", name="device_interval_by_end")]
        constraints = [
            models.UniqueConstraint(
                "cluster",
                "driver",
                "pool",
                "device",
                condition=Q(ended_at=None),
                name="one_open_interval_of_device",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")),
                name="device_interval_goes_forward",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class PodInterval(models.Model):
    """A claim that was reserved for a Pod, or for something else, from when that was seen until its end."""

    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="pod_intervals", db_index=False, db_constraint=False
    )
    claim_uid = models.CharField()
    namespace = models.CharField()
    claim_name = models.CharField()
    team_slug = models.CharField(blank=True, help_text="of the team whose the claim was; empty: nobody's")
    resource = models.CharField(help_text="of the consumer: pods, or what else the claim was reserved for")
    pod_name = models.CharField()
    pod_uid = models.CharField(blank=True)
    # What the Pod belongs to, as far as it was known: a Deployment, a Job, itself where nothing owns it.
    workload_kind = models.CharField(blank=True)
    workload_name = models.CharField(blank=True)
    node = models.CharField(blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, help_text="null: reserved")

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("started_at", "pk")
        indexes = [
            models.Index("cluster", "claim_uid", name="pod_interval_of_claim"),
            models.Index("cluster", "ended_at", "started_at", name="pod_interval_by_end"),
        ]
        constraints = [
            models.UniqueConstraint(
                "cluster",
                "claim_uid",
                "resource",
                "pod_uid",
                "pod_name",
                condition=Q(ended_at=None),
                name="one_open_interval_of_consumer",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")),
                name="pod_interval_goes_forward",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.pod_name} uses {self.claim_name}"


class ClaimEvent(models.Model):
    """Something that happened to a claim, once."""

    class Kind(models.TextChoices):
        CREATED = "created", "created"
        ALLOCATED = "allocated", "allocated"
        RESERVED = "reserved", "reserved"
        DEALLOCATED = "deallocated", "deallocated"
        DELETED = "deleted", "deleted"

    class Source(models.TextChoices):
        SERVER = "server", "a timestamp of the object"
        OBSERVED = "observed", "seen by Sliceboard"

    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="claim_events", db_index=False, db_constraint=False
    )
    claim_uid = models.CharField()
    namespace = models.CharField()
    claim_name = models.CharField()
    team_slug = models.CharField(blank=True, help_text="of the team whose it was; empty: nobody's")
    kind = models.CharField(max_length=11, choices=Kind.choices)
    at = models.DateTimeField()
    source = models.CharField(max_length=8, choices=Source.choices)
    not_before = models.DateTimeField(
        null=True, help_text="of what was only observed: when it had not happened yet"
    )
    # Of an allocation: where its first device is, what it is, and how long the claim had waited.
    driver = models.CharField(blank=True)
    product = models.CharField(blank=True)
    node = models.CharField(blank=True)
    waited_microseconds = models.BigIntegerField(null=True, help_text="null: not known, or no allocation")

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("at", "pk")
        indexes = [
            models.Index("cluster", "claim_uid", name="event_of_claim"),
            models.Index("cluster", "at", name="event_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.claim_name} {self.kind} at {self.at}"
