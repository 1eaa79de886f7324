import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0010_generations_of_shares"),
    ]

    operations = [
        migrations.AddField(
            model_name="share",
            name="device_class",
            field=models.CharField(blank=True, help_text="that its request names; empty where it names none"),
        ),
        migrations.CreateModel(
            name="CardHolding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("everybody", "Everybody"),
                            ("team", "a team, or nobody's"),
                            ("class", "one device class of a team"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "device_class",
                    models.CharField(
                        blank=True,
                        help_text="through which it is held; empty where that is none, or several",
                    ),
                ),
                (
                    "single_class",
                    models.BooleanField(
                        default=False, help_text="of a team: all of it is held through `device_class`"
                    ),
                ),
                ("shares", models.PositiveIntegerField()),
                (
                    "gone",
                    models.PositiveIntegerField(
                        help_text="shares on devices that no resource slice lists any more"
                    ),
                ),
                (
                    "unreadable",
                    models.PositiveIntegerField(help_text="shares that say nothing of how much they hold"),
                ),
                ("whole", models.BooleanField(help_text="a share has all of the card to itself")),
                ("part", models.BigIntegerField(null=True)),
                ("per", models.BigIntegerField(null=True)),
                ("problem", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="holdings",
                        to="inventory.card",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="holdings",
                        to="inventory.team",
                    ),
                ),
            ],
            options={"ordering": ("card", "scope", "team", "device_class")},
        ),
        migrations.AddConstraint(
            model_name="cardholding",
            constraint=models.UniqueConstraint(
                models.F("card"),
                models.F("scope"),
                models.F("team"),
                models.F("device_class"),
                name="holding_of_card",
            ),
        ),
    ]
