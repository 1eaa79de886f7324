from django.db import models

from inventory.models.amounts import NotationChoices
from inventory.models.clusters import Cluster, Node


class Slice(models.Model):
    """A ResourceSlice as last read: a pool is put together from all of its slices."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="slices", db_index=False)
    name = models.CharField()
    uid = models.CharField()
    resource_version = models.CharField()
    driver = models.CharField()
    pool_name = models.CharField()
    # JSON in the shape of resource.k8s.io/v1, whatever version served it.
    body = models.TextField()

    class Meta:
        ordering = ("driver", "pool_name", "name")
        constraints = [models.UniqueConstraint("cluster", "name", name="slice_of_cluster")]
        indexes = [models.Index("cluster", "driver", "pool_name", name="slice_of_pool")]

    def __str__(self) -> str:
        return self.name


class Pool(models.Model):
    """The resource slices of one driver that belong together, by their newest generation."""

    class State(models.TextChoices):
        COMPLETE = "complete"
        INCOMPLETE = "incomplete"
        INCONSISTENT = "inconsistent"
        INVALID = "invalid"
        # Named by an allocation, published by no slice.
        NOT_PUBLISHED = "not_published"

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="pools", db_index=False)
    driver = models.CharField()
    name = models.CharField()
    generation = models.BigIntegerField(null=True)
    slices_seen = models.PositiveIntegerField(default=0)
    slices_expected = models.BigIntegerField(null=True)
    state = models.CharField(max_length=16, choices=State.choices)
    reason = models.TextField(blank=True)
    # As published: [{"name": "gpu-0-counter-set", "counters": {"memory": {"value": "40Gi"}}}]
    counter_sets = models.JSONField(default=list)

    class Meta:
        ordering = ("driver", "name")
        constraints = [models.UniqueConstraint("cluster", "driver", "name", name="pool_of_cluster")]

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


class DeviceState(models.TextChoices):
    """What a device, or a card, is to somebody who looks for room."""

    FREE = "free", "free"
    PARTLY_ALLOCATED = "partly_allocated", "partly used"
    FULL = "full", "full"
    DEDICATED = "dedicated", "held whole"
    OVER_ALLOCATED = "over_allocated", "over-allocated"
    UNAVAILABLE = "unavailable", "unavailable"
    NOT_PUBLISHED = "not_published", "not published"
    # Claims or resource slices could never be read: nothing can be said.
    UNKNOWN = "unknown", "not known"


class Card(models.Model):
    """An accelerator as people count them: one device, or one with all its partitions."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="cards", db_index=False)
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="cards", db_index=False)
    key = models.CharField(help_text="its device, counter set or parent UUID; unique in its pool")
    node = models.ForeignKey(Node, models.RESTRICT, null=True, related_name="cards")
    product = models.CharField(blank=True)
    uuid = models.CharField(blank=True)
    partitioned = models.BooleanField(default=False)
    shareable = models.BooleanField(default=False)
    tainted = models.BooleanField(default=False)
    state = models.CharField(max_length=20, choices=DeviceState.choices, default=DeviceState.UNKNOWN)
    reason = models.TextField(blank=True)
    # Use of the scarcer dimension in millionths; null: not known.
    use_millionths = models.PositiveBigIntegerField(null=True)

    class Meta:
        ordering = ("pool", "key")
        constraints = [models.UniqueConstraint("pool", "key", name="card_of_pool")]

    def __str__(self) -> str:
        return self.key


class Device(models.Model):
    """What a driver publishes under one name; identity is cluster + driver + pool + name."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="devices", db_index=False)
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="devices", db_index=False)
    name = models.CharField()
    slice_name = models.CharField(blank=True)
    position = models.PositiveIntegerField(
        default=0, help_text="its place in the pool, in the scheduler's order"
    )
    node = models.ForeignKey(Node, models.RESTRICT, null=True, related_name="devices")
    card = models.ForeignKey(Card, models.SET_NULL, null=True, related_name="devices")
    accelerator = models.BooleanField(default=False)
    product = models.CharField(blank=True)
    uuid = models.CharField(blank=True)
    # As published: {"model": {"string": "310P3"}}
    attributes = models.JSONField(default=dict)
    # As published: {"memory": {"value": "21525Mi", "requestPolicy": {…}}}
    capacity = models.JSONField(default=dict)
    consumes_counters = models.JSONField(default=list)
    node_selection = models.JSONField(
        default=dict, help_text="nodeName, nodeSelector or allNodes, as published"
    )
    binding = models.JSONField(default=dict, help_text="bindsToNode and binding conditions, as published")
    taints = models.JSONField(default=list)
    shareable = models.BooleanField(default=False)
    listed = models.BooleanField(default=True, help_text="a slice of its pool's newest generation lists it")
    published = models.BooleanField(default=True, help_text="listed, and its pool is complete and valid")
    problems = models.JSONField(default=list, help_text="what could not be read, in words")

    state = models.CharField(max_length=20, choices=DeviceState.choices, default=DeviceState.UNKNOWN)
    reason = models.TextField(blank=True)
    shares = models.PositiveIntegerField(
        default=0, help_text="counted allocation results; admin access is not counted"
    )
    tainted = models.BooleanField(default=False, help_text="a taint keeps Pods off that do not tolerate it")
    bottleneck = models.CharField(blank=True)
    use_millionths = models.PositiveBigIntegerField(null=True)

    class Meta:
        ordering = ("pool", "position", "name")
        constraints = [models.UniqueConstraint("pool", "name", name="device_of_pool")]
        indexes = [
            models.Index("cluster", "state", name="device_by_state"),
            models.Index("cluster", "product", name="device_by_product"),
            models.Index("uuid", name="device_by_uuid"),
        ]

    def __str__(self) -> str:
        return self.name


class Balance(models.Model):
    """One dimension's total, allocated and remaining; of a device, of a card, or of both where they are one.

    Null means not known, with the reason beside it. Sums over cards take the rows with a card.
    """

    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="balances", db_index=False, db_constraint=False
    )
    device = models.ForeignKey(Device, models.CASCADE, null=True, related_name="balances", db_index=False)
    card = models.ForeignKey(Card, models.CASCADE, null=True, related_name="balances", db_index=False)
    dimension = models.CharField()
    exponent = models.SmallIntegerField(default=0)
    notation = models.CharField(max_length=15, choices=NotationChoices.choices)
    total = models.BigIntegerField(null=True)
    allocated = models.BigIntegerField(null=True)
    remaining = models.BigIntegerField(null=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ("dimension",)
        constraints = [
            models.UniqueConstraint("device", "dimension", name="balance_of_device"),
            models.UniqueConstraint("card", "dimension", name="balance_of_card"),
            models.CheckConstraint(
                condition=models.Q(device__isnull=False) | models.Q(card__isnull=False),
                name="balance_has_an_owner",
            ),
        ]
        indexes = [models.Index("cluster", "dimension", name="balance_by_dimension")]

    def __str__(self) -> str:
        return f"{self.dimension}: {self.allocated} of {self.total}"


class CounterBalance(models.Model):
    """One shared counter of a pool: what partitions draw from it (KEP-4815)."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="counters", db_index=False)
    counter_set = models.CharField()
    counter = models.CharField()
    exponent = models.SmallIntegerField(default=0)
    notation = models.CharField(max_length=15, choices=NotationChoices.choices)
    total = models.BigIntegerField(null=True)
    allocated = models.BigIntegerField(null=True)
    # Below zero where partitions that exclude each other are both allocated.
    remaining = models.BigIntegerField(null=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ("counter_set", "counter")
        constraints = [models.UniqueConstraint("pool", "counter_set", "counter", name="counter_of_pool")]

    def __str__(self) -> str:
        return f"{self.counter_set}/{self.counter}: {self.remaining} left"
