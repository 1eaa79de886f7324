from django.db import models

from inventory.models.amounts import NotationChoices
from inventory.models.clusters import Cluster, Namespace
from inventory.models.devices import Device
from inventory.models.history import InstantSource
from inventory.models.visibility import VisibleQuerySet


class DeviceClass(models.Model):
    """A DeviceClass: what a request names to say which devices will do."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="device_classes", db_index=False)
    name = models.CharField()
    uid = models.CharField()
    resource_version = models.CharField(blank=True)
    created_at = models.DateTimeField(null=True)
    extended_resource_name = models.CharField(blank=True)
    spec = models.JSONField(default=dict)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = "device classes"
        constraints = [models.UniqueConstraint("cluster", "name", name="device_class_of_cluster")]

    def __str__(self) -> str:
        return self.name


class TaintRule(models.Model):
    """A DeviceTaintRule: an administrator's taint on every device that it selects."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="taint_rules", db_index=False)
    name = models.CharField()
    uid = models.CharField()
    resource_version = models.CharField(blank=True)
    selector = models.JSONField(null=True, help_text="null: every device")
    taint = models.JSONField()

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint("cluster", "name", name="taint_rule_of_cluster")]

    def __str__(self) -> str:
        return self.name


class ClaimTemplate(models.Model):
    """A ResourceClaimTemplate: the claim that each Pod of a workload gets."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="claim_templates")
    namespace = models.ForeignKey(Namespace, models.RESTRICT, related_name="claim_templates", db_index=False)
    name = models.CharField()
    uid = models.CharField()
    resource_version = models.CharField(blank=True)
    spec = models.JSONField(default=dict)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint("namespace", "name", name="claim_template_of_namespace")]

    def __str__(self) -> str:
        return self.name


class Claim(models.Model):
    """A ResourceClaim; identity is its UID, since a name may come back as another object."""

    class State(models.TextChoices):
        """As `kubectl get resourceclaims` prints them."""

        PENDING = "pending"
        ALLOCATED = "allocated"
        RESERVED = "allocated,reserved"
        DELETED = "deleted"
        DELETED_ALLOCATED = "deleted,allocated"
        DELETED_RESERVED = "deleted,allocated,reserved"

    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="claims", db_index=False, db_constraint=False
    )
    namespace = models.ForeignKey(
        Namespace, models.RESTRICT, related_name="claims", db_index=False, db_constraint=False
    )
    name = models.CharField()
    uid = models.CharField()
    resource_version = models.CharField()
    state = models.CharField(max_length=26, choices=State.choices)
    spec = models.JSONField(default=dict)
    created_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    allocated_at = models.DateTimeField(
        null=True, help_text="allocationTimestamp, where the server writes it"
    )
    node_selector = models.JSONField(null=True)
    device_status = models.JSONField(
        default=list, help_text="status.devices: conditions that the drivers wrote"
    )
    owner_kind = models.CharField(blank=True)
    owner_name = models.CharField(blank=True)
    owner_uid = models.CharField(blank=True)
    pod_claim_name = models.CharField(blank=True, help_text="its name inside the Pod it was made for")
    extended_resource = models.BooleanField(
        default=False, help_text="made by the scheduler for an extended resource"
    )
    labels = models.JSONField(default=dict)
    annotations = models.JSONField(default=dict, help_text="only those by which teams are told")
    # Whose it is: by a rule for its labels or those of its Pods, or else as its namespace.
    team = models.ForeignKey("Team", models.SET_NULL, null=True, related_name="claims", db_constraint=False)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("namespace", "name")
        constraints = [models.UniqueConstraint("cluster", "uid", name="claim_of_cluster")]
        indexes = [
            models.Index("namespace", "name", name="claim_by_name"),
            models.Index("cluster", "state", name="claim_by_state"),
            # A gang's Pods find their claim by the name of their group.
            models.Index(
                "namespace",
                "owner_name",
                condition=models.Q(owner_kind="PodGroup"),
                name="claim_of_pod_group",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Share(models.Model):
    """One allocation result: this claim holds this slice of this device."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="shares", db_constraint=False)
    claim = models.ForeignKey(
        Claim, models.CASCADE, related_name="shares", db_index=False, db_constraint=False
    )
    # Its place among the results of its claim: one request may hold several devices.
    position = models.PositiveSmallIntegerField()
    device = models.ForeignKey(Device, models.CASCADE, related_name="held_shares", db_constraint=False)
    request = models.CharField()
    device_class = models.CharField(blank=True, help_text="that its request names; empty where it names none")
    share_id = models.CharField(blank=True)
    dedicated = models.BooleanField()
    admin_access = models.BooleanField()
    tolerations = models.JSONField(default=list)
    started_at = models.DateTimeField()
    started_source = models.CharField(max_length=10, choices=InstantSource.choices)
    problem = models.TextField(blank=True, help_text="why the consumed capacity is not known, in words")

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("claim", "position")
        constraints = [models.UniqueConstraint("claim", "position", name="share_of_claim")]

    def __str__(self) -> str:
        return f"{self.device_id} {self.share_id}"


class ConsumedCapacity(models.Model):
    """What a share consumes in one dimension, as the allocation says it."""

    share = models.ForeignKey(
        Share, models.CASCADE, related_name="consumed", db_index=False, db_constraint=False
    )
    dimension = models.CharField()
    exponent = models.SmallIntegerField(default=0)
    notation = models.CharField(max_length=15, choices=NotationChoices.choices)
    amount = models.BigIntegerField(null=True)

    class Meta:
        ordering = ("dimension",)
        verbose_name_plural = "consumed capacities"
        constraints = [models.UniqueConstraint("share", "dimension", name="consumed_capacity_of_share")]

    def __str__(self) -> str:
        return f"{self.dimension}: {self.amount}"


class Consumer(models.Model):
    """An entry of reservedFor: who may use the claim, by UID; a Pod or something else."""

    claim = models.ForeignKey(
        Claim, models.CASCADE, related_name="consumers", db_index=False, db_constraint=False
    )
    position = models.PositiveSmallIntegerField()
    api_group = models.CharField(blank=True)
    resource = models.CharField()
    name = models.CharField()
    uid = models.CharField(blank=True)
    gone = models.BooleanField(null=True, help_text="no Pod of that UID is in the cluster; null: not known")

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("claim", "position")
        constraints = [models.UniqueConstraint("claim", "position", name="consumer_of_claim")]
        # A Pod that comes or goes finds the claims that it is named in.
        indexes = [models.Index("uid", name="consumer_by_uid")]

    def __str__(self) -> str:
        return f"{self.resource}/{self.name}"
