from django.db import models

from inventory.models.devices import Card
from inventory.models.teams import Team


class CardHolding(models.Model):
    """What somebody holds of one card, kept by polls for those who add up over many cards.

    Admin access holds nothing. `part` of `per` is how much of the card that is, the larger share of any
    dimension, as a fraction in lowest terms; null where it is not known, and `problem` then says why.
    """

    class Scope(models.TextChoices):
        """Whose shares it is about: what two hold of a card together is not the sum of what each holds."""

        EVERYBODY = "everybody"
        TEAM = "team", "a team, or nobody's"
        # Only where a team holds a card through several of them.
        CLASS = "class", "one device class of a team"

    # Everything is found by its card; a card is one of its cluster.
    card = models.ForeignKey(
        Card, models.CASCADE, related_name="holdings", db_index=False, db_constraint=False
    )
    scope = models.CharField(max_length=9, choices=Scope.choices)
    # When a team goes, its rows stay until what it held is given to somebody else, in the same transaction.
    team = models.ForeignKey(
        Team, models.DO_NOTHING, null=True, related_name="holdings", db_index=False, db_constraint=False
    )
    device_class = models.CharField(
        blank=True, help_text="through which it is held; empty where that is none, or several"
    )
    single_class = models.BooleanField(
        default=False, help_text="of a team: all of it is held through `device_class`"
    )
    shares = models.PositiveIntegerField()
    gone = models.PositiveIntegerField(help_text="shares on devices that no resource slice lists any more")
    unreadable = models.PositiveIntegerField(help_text="shares that say nothing of how much they hold")
    whole = models.BooleanField(help_text="a share has all of the card to itself")
    part = models.BigIntegerField(null=True)
    per = models.BigIntegerField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        ordering = ("card", "scope", "team", "device_class")
        constraints = [
            models.UniqueConstraint("card", "scope", "team", "device_class", name="holding_of_card")
        ]

    def __str__(self) -> str:
        return f"{self.part} of {self.per} of {self.card_id}"
