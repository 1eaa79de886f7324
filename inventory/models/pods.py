from django.db import models

from inventory.models.claims import Claim
from inventory.models.clusters import Cluster, Namespace, Node
from inventory.models.visibility import VisibleQuerySet

# Phases after which a Pod uses nothing any more.
FINISHED = ("Succeeded", "Failed")


class Pod(models.Model):
    """A Pod that holds or awaits claims, or carries HAMi resources, with the workload it belongs to."""

    cluster = models.ForeignKey(
        Cluster, models.CASCADE, related_name="pods", db_index=False, db_constraint=False
    )
    namespace = models.ForeignKey(
        Namespace, models.RESTRICT, related_name="pods", db_index=False, db_constraint=False
    )
    name = models.CharField()
    uid = models.CharField()
    resource_version = models.CharField()
    node = models.ForeignKey(Node, models.RESTRICT, null=True, related_name="pods", db_constraint=False)
    phase = models.CharField(blank=True)
    created_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    labels = models.JSONField(default=dict)
    annotations = models.JSONField(default=dict, help_text="only those by which teams are told")
    # Whose it is: by a rule for its labels, or else as its namespace.
    team = models.ForeignKey("Team", models.SET_NULL, null=True, related_name="pods", db_constraint=False)
    # Its controller, and the top of the chain that begins there.
    controller_uid = models.CharField(blank=True)
    workload_kind = models.CharField(blank=True)
    workload_name = models.CharField(blank=True)
    pod_group = models.CharField(blank=True, help_text="the gang that it is scheduled with")
    # What the scheduler said, where the Pod is not placed.
    scheduling_reason = models.CharField(blank=True)
    scheduling_message = models.TextField(blank=True)
    node_rules = models.JSONField(
        default=dict, help_text="what its spec says of nodes, as long as it has none"
    )
    hami_resources = models.JSONField(
        default=dict, help_text="HAMi resources in container limits, by container"
    )
    hami_manifest = models.JSONField(
        default=dict, help_text="what HAMi reads of its manifest, where it asks for HAMi resources"
    )

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("namespace", "name")
        constraints = [models.UniqueConstraint("cluster", "uid", name="pod_of_cluster")]
        indexes = [
            models.Index("namespace", "name", name="pod_by_name"),
            # The next Pod of a workload finds here what the chain of its owners is.
            models.Index("controller_uid", name="pod_by_controller"),
            models.Index("namespace", "pod_group", condition=~models.Q(pod_group=""), name="pod_by_group"),
        ]

    def __str__(self) -> str:
        return self.name


class PodClaim(models.Model):
    """A Pod's use of a claim: what its spec or status names, and whether the claim is reserved for it."""

    pod = models.ForeignKey(
        Pod, models.CASCADE, related_name="pod_claims", db_index=False, db_constraint=False
    )
    # Its place among the Pod's claims, which is the order in which the scheduler places them.
    position = models.PositiveSmallIntegerField(default=0)
    # The name inside the Pod; empty for a gang's or an extended resource's claim.
    name = models.CharField(blank=True)
    claim_name = models.CharField(blank=True, help_text="empty: not created yet")
    template_name = models.CharField(blank=True)
    claim = models.ForeignKey(
        Claim, models.SET_NULL, null=True, related_name="pod_claims", db_constraint=False
    )
    reserved = models.BooleanField(default=False)
    containers = models.JSONField(
        default=list, help_text="containers that use it, with the request they name"
    )

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("pod", "position", "name", "claim_name")
        constraints = [models.UniqueConstraint("pod", "name", "claim_name", name="claim_of_pod")]
        # A claim that comes finds the Pods that wait for one of its name.
        indexes = [models.Index("claim_name", name="pod_claim_by_name")]

    def __str__(self) -> str:
        return self.claim_name or self.name
