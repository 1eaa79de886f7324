from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models

from inventory.models.clusters import Cluster
from inventory.models.visibility import VisibleQuerySet


class Team(models.Model):
    """People who share a budget of cards; their namespaces say what is theirs."""

    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=100)
    # Kept with the team, so that a filter or a rank never repaints it. 0: the colour of all others.
    colour = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(8)])

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class TeamNamespace(models.Model):
    """This namespace belongs to this team, in one cluster or in all of them."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="assignments")
    cluster = models.ForeignKey(
        Cluster, models.CASCADE, null=True, blank=True, help_text="empty: every cluster"
    )
    namespace = models.CharField(max_length=63)

    class Meta:
        ordering = ("namespace",)
        constraints = [
            models.UniqueConstraint("cluster", "namespace", name="one_team_of_namespace"),
            models.UniqueConstraint(
                "namespace", condition=models.Q(cluster=None), name="one_team_of_namespace_everywhere"
            ),
        ]

    def __str__(self) -> str:
        return self.namespace


class Membership(models.Model):
    """A user's part in a team."""

    class Role(models.TextChoices):
        MEMBER = "member"
        LEAD = "lead"

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=6, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        constraints = [models.UniqueConstraint("team", "user", name="one_role_in_team")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.team_id}"
