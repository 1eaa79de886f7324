from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from inventory.kube.label_selector import KEY, SelectorError, parse
from inventory.models.clusters import Cluster
from inventory.models.visibility import VisibleQuerySet
from inventory.ownership.described import LONGEST_VALUE


class Team(models.Model):
    """People who share a budget of cards; their namespaces say what is theirs."""

    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=100)
    # Kept with the team, so that a filter or a rank never repaints it. 0: the colour of all others.
    colour = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(8)])

    # As it was read: rules go by the slug, and by nothing else of a team.
    stored_slug: str | None = None

    objects = VisibleQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class TeamNamespace(models.Model):
    """This namespace belongs to this team, in one cluster or in all of them."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="assignments")
    cluster = models.ForeignKey(
        Cluster, models.CASCADE, null=True, blank=True, help_text=_("empty: every cluster")
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


class TeamRule(models.Model):
    """What labels or annotations say of whose a thing is.

    Either a selector leads to one team, or the value under a key names the team: its slug, or what
    `TeamRuleValue` says of the value.
    """

    class Subject(models.TextChoices):
        """Whose labels are looked at."""

        NAMESPACE = "namespace", _("namespaces")
        CLAIM = "claim", _("claims")
        POD = "pod", _("Pods")

    class Source(models.TextChoices):
        """Where the key is looked for."""

        LABEL = "label", _("label")
        ANNOTATION = "annotation", _("annotation")

    position = models.PositiveIntegerField(default=100, help_text=_("the first that applies decides"))
    cluster = models.ForeignKey(
        Cluster, models.CASCADE, null=True, blank=True, help_text=_("empty: every cluster")
    )
    subject = models.CharField(max_length=9, choices=Subject.choices, default=Subject.NAMESPACE)
    selector = models.CharField(
        max_length=1000,
        blank=True,
        help_text=_("label selector that leads to the team, for example team=vision,tier in (a,b)"),
    )
    team = models.ForeignKey(
        Team,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="rules",
        help_text=_("the team of what the selector selects"),
    )
    key = models.CharField(
        max_length=317,
        blank=True,
        validators=[RegexValidator(rf"^{KEY}\Z", _("no key of labels or annotations"))],
        help_text=_("or: the key whose value names the team, by its slug or as listed below"),
    )
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.LABEL)

    class Meta:
        ordering = ("position", "pk")
        constraints = [
            models.CheckConstraint(
                condition=(models.Q(key="", team__isnull=False) & ~models.Q(selector=""))
                | (models.Q(selector="", team=None) & ~models.Q(key="")),
                name="selector_or_key_of_rule",
                violation_error_message=_("Give a selector and its team, or a key alone."),
            )
        ]

    def __str__(self) -> str:
        if self.selector:
            return f"{self.subject}: {self.selector}"
        return f"{self.subject}: {self.source} {self.key}"

    def clean(self) -> None:
        """A selector that cannot be read would never apply, and nobody would know why."""
        if not self.selector:
            return
        if self.source == self.Source.ANNOTATION:
            raise ValidationError({"source": _("A selector looks at labels; of annotations give a key.")})
        try:
            parse(self.selector)
        except SelectorError as error:
            raise ValidationError({"selector": str(error)}) from error


class TeamRuleValue(models.Model):
    """A value that is no team's slug, and the team that it names: a Rancher project like `c-abc:p-xyz`."""

    rule = models.ForeignKey(TeamRule, models.CASCADE, related_name="values")
    value = models.CharField(max_length=LONGEST_VALUE)
    team = models.ForeignKey(Team, models.CASCADE, related_name="rule_values")

    class Meta:
        ordering = ("value",)
        constraints = [models.UniqueConstraint("rule", "value", name="one_team_of_value")]

    def __str__(self) -> str:
        return self.value


class Membership(models.Model):
    """A user's part in a team."""

    class Role(models.TextChoices):
        MEMBER = "member", _("Member")
        LEAD = "lead", _("Lead")

    class Source(models.TextChoices):
        HAND = "hand", _("by hand")
        SIGN_IN = "sign-in", _("groups of the sign-in")

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=6, choices=Role.choices, default=Role.MEMBER)
    # What groups gave they take away; what was given by hand stays.
    source = models.CharField(max_length=7, choices=Source.choices, default=Source.HAND, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("team", "user", name="one_role_in_team")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"
