from collections import defaultdict

import django.db.models.deletion
from django.db import migrations, models

_BATCH = 2000


def _classes(spec):
    """The class that each request names, by what allocation results call the request."""
    for request in _objects(_of(_of(spec, "devices"), "requests")):
        yield request.get("name"), _of(request.get("exactly"), "deviceClassName")
        for entry in _objects(request.get("firstAvailable")):
            yield f"{request.get('name')}/{entry.get('name')}", entry.get("deviceClassName")


def _of(value, name):
    return value.get(name) if isinstance(value, dict) else None


def _objects(value):
    return (one for one in (value if isinstance(value, list) else ()) if isinstance(one, dict))


def tell_device_classes(apps, schema_editor):
    """Claims that do not change are not read again."""
    shares = apps.get_model("inventory", "Share").objects.order_by("pk")
    last = 0
    while rows := list(shares.filter(pk__gt=last).values_list("pk", "request", "claim__spec")[:_BATCH]):
        found = defaultdict(list)
        for pk, request, spec in rows:
            named = dict(_classes(spec)).get(request)
            if named and isinstance(named, str):
                found[named].append(pk)
        for named, some in found.items():
            shares.filter(pk__in=some).update(device_class=named)
        last = rows[-1][0]


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
        migrations.RunPython(tell_device_classes, migrations.RunPython.noop),
    ]
