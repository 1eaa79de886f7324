from django.core.validators import RegexValidator
from django.db import models

from inventory.models.visibility import VisibleQuerySet

DNS_NAME = RegexValidator(r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "lower-case letters, digits, '-' and '.' only")


class Cluster(models.Model):
    """A Kubernetes cluster that is read, and how the last reading went."""

    name = models.CharField(max_length=63, unique=True, validators=[DNS_NAME])
    kubeconfig = models.CharField(
        max_length=1024,
        blank=True,
        help_text="path of a kubeconfig file; empty: $KUBECONFIG or ~/.kube/config",
    )
    context = models.CharField(max_length=253, blank=True, help_text="empty: the file's current context")
    in_cluster = models.BooleanField(
        default=False, help_text="use the service account of the Pod that runs Sliceboard"
    )
    enabled = models.BooleanField(
        default=True, help_text="off: the last snapshot stays and is no longer refreshed"
    )
    queue = models.CharField(
        max_length=63,
        blank=True,
        validators=[DNS_NAME],
        help_text="Celery queue of workers that are kept for it; empty: the one that all share",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    server_version = models.CharField(blank=True, editable=False)
    dra_version = models.CharField(blank=True, editable=False)
    # The instant before the first list of the last applied poll: nothing shown is younger than known.
    observed_at = models.DateTimeField(null=True, editable=False)
    attempted_at = models.DateTimeField(null=True, editable=False)
    error_reason = models.CharField(blank=True, editable=False)
    error_message = models.TextField(blank=True, editable=False)
    error_at = models.DateTimeField(null=True, editable=False)
    poll_seconds = models.DecimalField(max_digits=12, decimal_places=3, null=True, editable=False)
    # Grows when a poll changes what is shown.
    revision = models.PositiveBigIntegerField(default=0, editable=False)

    # Failures since the last success, and when to try again after them.
    failures = models.PositiveIntegerField(default=0, editable=False)
    retry_at = models.DateTimeField(null=True, editable=False)

    # The comparison in the background: every row against the API server at the same moment.
    compared_at = models.DateTimeField(null=True, editable=False)
    comparison_begun_at = models.DateTimeField(null=True, editable=False)
    differences = models.PositiveIntegerField(null=True, editable=False)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Lease(models.Model):
    """The right of one worker to follow one part of a cluster: its kinds that are read together."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="leases", db_index=False)
    part = models.CharField(max_length=10)
    holder = models.CharField(max_length=64, blank=True)
    until = models.DateTimeField(null=True)
    # Fencing: a holder whose number is no longer this one has lost the lease.
    number = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint("cluster", "part", name="lease_of_part")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.part}: {self.holder or 'free'}"


class KindState(models.Model):
    """How far one kind of a cluster has been followed, and how reading it went."""

    class State(models.TextChoices):
        NEVER = "never", "never read"
        READ = "read", "read"
        FORBIDDEN = "forbidden", "not allowed to read"
        FAILED = "failed", "reading failed"

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="kinds", db_index=False)
    kind = models.CharField()
    state = models.CharField(max_length=12, choices=State.choices, default=State.NEVER)
    objects_read = models.PositiveIntegerField(null=True)
    objects_skipped = models.PositiveIntegerField(null=True)
    # Where the watch goes on: written in the transaction that writes what came before it. Empty: a full list
    # is due.
    resource_version = models.CharField(blank=True)
    # Which version of our own tables its rows were written for.
    layout = models.PositiveIntegerField(default=0)
    listed_at = models.DateTimeField(null=True, help_text="when it was last read in full")
    succeeded_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0, help_text="since the last success")
    retry_at = models.DateTimeField(null=True)
    error_reason = models.CharField(blank=True)
    error_message = models.TextField(blank=True)
    bytes_read = models.PositiveBigIntegerField(null=True, help_text="of the last full list")
    seconds = models.DecimalField(
        max_digits=12, decimal_places=3, null=True, help_text="of the last full list"
    )
    # Counters for metrics; they only ever grow.
    lists_total = models.PositiveBigIntegerField(default=0)
    events_total = models.PositiveBigIntegerField(default=0)
    bytes_total = models.PositiveBigIntegerField(default=0)
    failures_total = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ("kind",)
        constraints = [models.UniqueConstraint("cluster", "kind", name="kind_state_of_cluster")]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.kind}: {self.state}"


class Difference(models.Model):
    """A row that was found to say something else than the API server at the same moment: a fault of ours."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="found_differences")
    kind = models.CharField()
    what = models.TextField()

    class Meta:
        ordering = ("kind", "pk")

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


class SkippedObject(models.Model):
    """An object, or a part of one, that could not be read when it was last seen, and why."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="skipped_objects")
    kind = models.CharField()
    namespace = models.CharField(blank=True)
    name = models.CharField(blank=True)
    uid = models.CharField(blank=True)
    part = models.CharField(blank=True, help_text="what of it is missing; empty: all of it")
    reason = models.TextField()
    pool = models.CharField(
        blank=True, help_text="driver/pool, where it was found in putting the pool together"
    )

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("kind", "namespace", "name", "part", "pk")

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name} {self.part}: {self.reason}"


class Namespace(models.Model):
    """A namespace; `listed` is false while only its name is known from other objects."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="namespaces", db_index=False)
    name = models.CharField()
    uid = models.CharField(blank=True)
    resource_version = models.CharField(blank=True)
    labels = models.JSONField(default=dict)
    annotations = models.JSONField(default=dict, help_text="only those by which teams are told")
    listed = models.BooleanField(default=True)
    # Whose it is: as it is named in an assignment, or else by the first rule that applies.
    team = models.ForeignKey("Team", models.SET_NULL, null=True, related_name="namespaces")

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint("cluster", "name", name="namespace_of_cluster")]

    def __str__(self) -> str:
        return self.name


class Node(models.Model):
    """A node; `listed` is false while only its name is known from a resource slice or a Pod."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="nodes", db_index=False)
    name = models.CharField()
    uid = models.CharField(blank=True)
    resource_version = models.CharField(blank=True)
    labels = models.JSONField(default=dict)
    taints = models.JSONField(default=list)
    allocatable = models.JSONField(default=dict)
    unschedulable = models.BooleanField(default=False)
    ready = models.BooleanField(null=True)
    listed = models.BooleanField(default=True)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint("cluster", "name", name="node_of_cluster")]

    def __str__(self) -> str:
        return self.name


class Quota(models.Model):
    """A native ResourceQuota, as the API server counts it."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="quotas", db_index=False)
    namespace = models.ForeignKey(Namespace, models.RESTRICT, related_name="quotas")
    name = models.CharField()
    uid = models.CharField()
    resource_version = models.CharField(blank=True)
    hard = models.JSONField(default=dict)
    used = models.JSONField(default=dict)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint("cluster", "uid", name="quota_of_cluster")]

    def __str__(self) -> str:
        return self.name
