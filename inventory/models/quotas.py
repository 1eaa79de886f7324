import re
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from inventory.kube.quantity import NANO, Notation, Quantity, QuantityError, parse
from inventory.models.amounts import AmountError, NotationChoices, exponent_for, to_amount, to_quantity
from inventory.models.clusters import Cluster
from inventory.models.teams import Team

CARDS = "cards"
CARD_EQUIVALENTS = "card_equivalents"
# A name of a dimension as drivers give it: with a domain or without (API type QualifiedName).
_DIMENSION = re.compile(r"(?:[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?/)?[A-Za-z_][A-Za-z0-9_-]{0,62}")


class TeamQuotaQuerySet(models.QuerySet["TeamQuota"]):
    def in_force(self, now: datetime) -> "TeamQuotaQuerySet":
        """From its start on, and no longer from its end on."""
        begun = Q(starts_at=None) | Q(starts_at__lte=now)
        return self.filter(begun, Q(ends_at=None) | Q(ends_at__gt=now))


class TeamQuota(models.Model):
    """What a team should hold at most of one dimension of a set of devices.

    Nothing of it is enforced in a cluster. An empty cluster, product, driver or device class is any of them.
    """

    team = models.ForeignKey(Team, models.CASCADE, related_name="quotas")
    dimension = models.CharField(
        max_length=127,
        help_text=_(
            "memory, cores, cards, card_equivalents (per card the larger share of any dimension), "
            "or a dimension as a driver names it"
        ),
    )
    quantity = models.CharField(max_length=64, help_text=_("as Kubernetes writes amounts: 320Gi, 600, 2.5"))
    # The same as an exact number, for the database to compare.
    exponent = models.SmallIntegerField(default=0, editable=False)
    notation = models.CharField(max_length=15, choices=NotationChoices.choices, editable=False)
    amount = models.BigIntegerField(editable=False)

    cluster = models.ForeignKey(
        Cluster,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="team_quotas",
        help_text=_("empty: every cluster"),
    )
    driver = models.CharField(max_length=253, blank=True, help_text=_("empty: every driver"))
    product = models.CharField(blank=True, help_text=_("empty: every product"))
    device_class = models.CharField(
        max_length=253, blank=True, help_text=_("the DeviceClass that a request names; empty: every class")
    )

    hard = models.BooleanField(
        default=False, help_text=_("more than this is a breach; of a soft limit, a warning")
    )
    starts_at = models.DateTimeField(null=True, blank=True, help_text=_("empty: it has always been so"))
    ends_at = models.DateTimeField(
        null=True, blank=True, help_text=_("from then on it is void; empty: never")
    )
    note = models.CharField(max_length=200, blank=True)

    objects = models.Manager.from_queryset(TeamQuotaQuerySet)()

    class Meta:
        ordering = ("team", "dimension", "pk")
        verbose_name = _("team quota")
        verbose_name_plural = _("team quotas")
        constraints = [
            models.CheckConstraint(condition=Q(amount__gte=0), name="team_quota_is_not_negative"),
            models.CheckConstraint(
                condition=Q(starts_at=None) | Q(ends_at=None) | Q(ends_at__gt=models.F("starts_at")),
                name="team_quota_ends_after_its_start",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team}: {self.dimension} {self.quantity}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Raises ValueError where the quantity cannot be used."""
        self._read_quantity()
        super().save(*args, **kwargs)

    @property
    def limit(self) -> Quantity:
        found = to_quantity(self.amount, self.exponent, self.notation)
        assert found is not None  # noqa: S101 (the column is not null)
        return found

    def clean(self) -> None:
        """Inside of a transaction: until its end, nobody else writes a quota of the team."""
        errors: dict[str, Any] = {}
        if not _DIMENSION.fullmatch(self.dimension):
            errors["dimension"] = _(
                "“%(text)s” is no name of a dimension; expected memory, cores, cards, card_equivalents, "
                "or a driver's own such as gpu.example.com/memory."
            ) % {"text": self.dimension}
        try:
            self._read_quantity()
        except ValueError as error:
            errors["quantity"] = str(error)
        if self.starts_at and self.ends_at and self.ends_at <= self.starts_at:
            errors["ends_at"] = _("It would end before it begins: choose an end after the start.")
        if errors:
            raise ValidationError(errors)
        self._refuse_twin()

    def _read_quantity(self) -> None:
        found = parse(self.quantity)
        if found.nanos < 0:
            raise QuantityError(str(_("A limit is not below zero.")))
        if self.dimension == CARDS and found.nanos % NANO:
            raise QuantityError(str(_("Cards are counted whole; for parts of cards limit card_equivalents.")))
        try:
            self.exponent = exponent_for(found)
        except AmountError as error:
            raise QuantityError(str(_("So large an amount cannot be kept."))) from error
        amount = to_amount(found, self.exponent)
        assert amount is not None  # noqa: S101 (a quantity was given)
        self.amount, self.notation = amount, Notation(found.notation).value

    def _refuse_twin(self) -> None:
        """Of two such limits on the same devices at the same time, nobody could tell which counts."""
        # Polls may go on to write whose a claim is.
        Team.objects.select_for_update(no_key=True).filter(pk=self.team_id).first()
        same = {
            name: getattr(self, name)
            for name in ("dimension", "cluster_id", "driver", "product", "device_class", "hard")
        }
        others: QuerySet[TeamQuota] = TeamQuota.objects.filter(team_id=self.team_id, **same).exclude(
            pk=self.pk
        )
        if self.ends_at:
            others = others.filter(Q(starts_at=None) | Q(starts_at__lt=self.ends_at))
        if self.starts_at:
            others = others.filter(Q(ends_at=None) | Q(ends_at__gt=self.starts_at))
        if other := others.first():
            raise ValidationError(
                _(
                    "The team already has such a limit on the same devices at that time: %(other)s. "
                    "Change that one, or let one end before the other begins."
                )
                % {"other": other}
            )
