import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import models, transaction
from django.urls import reverse

from inventory.models.clusters import Cluster
from inventory.models.pods import Pod
from inventory.models.visibility import OwnQuerySet, VisibleQuerySet
from inventory.viewer import Viewer


class HamiPods(models.Manager["HamiPod"]):
    def get_queryset(self) -> "VisibleQuerySet[HamiPod]":
        return VisibleQuerySet["HamiPod"](self.model, using=self._db).exclude(hami_manifest={})

    def visible_to(self, viewer: Viewer) -> "VisibleQuerySet[HamiPod]":
        return self.get_queryset().visible_to(viewer)


class HamiPod(Pod):
    """A Pod that asks HAMi for a card."""

    objects: ClassVar[HamiPods] = HamiPods()  # type: ignore[assignment]

    class Meta:
        proxy = True
        ordering = ("namespace", "name")
        verbose_name = "HAMi Pod"


class ConversionPreview(models.Model):
    """A preview of Pods that were read from a cluster: who looked, when, and at which.

    It outlives the Pods and whoever asked, so their names are kept beside them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    username = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    pods = models.JSONField(help_text="cluster, namespace, name and UID of each, in the order of the page")

    objects = OwnQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{len(self.pods)} Pods, {self.username}"

    def get_absolute_url(self) -> str:
        return reverse("conversion_preview", args=(self.pk,))

    @classmethod
    def record(
        cls, user: AbstractBaseUser | AnonymousUser, pods: models.QuerySet[HamiPod]
    ) -> "ConversionPreview":
        """Call it before anything of the Pods is shown."""
        named = pods.values_list("cluster__name", "namespace__name", "name", "uid")
        # Together with its entry in the audit log, or not at all.
        with transaction.atomic():
            return cls.objects.create(
                user=user, username=user.get_username(), pods=[list(one) for one in named]
            )


class SavedConversion(models.Model):
    """Manifests that somebody kept to look at their conversion again."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    username = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)
    manifest = models.TextField()
    profile = models.CharField(max_length=16)
    cluster = models.ForeignKey(Cluster, models.SET_NULL, null=True, related_name="+")
    namespace = models.CharField(max_length=63)
    # As the webhook is given them: divided by commas, and as YAML.
    vendors = models.CharField(max_length=100, blank=True)
    config = models.TextField(blank=True)

    objects = OwnQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M}, {self.username}"

    def get_absolute_url(self) -> str:
        return reverse("saved_conversion", args=(self.pk,))
