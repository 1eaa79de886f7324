import django.core.validators
import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone


def say_when_shares_were_seen(apps, schema_editor):
    """Those without an allocationTimestamp had no start. The next poll writes everything anew."""
    apps.get_model("inventory", "Share").objects.filter(started_at=None).update(started_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Difference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField()),
                ("what", models.TextField()),
            ],
            options={
                "ordering": ("kind", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Lease",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("part", models.CharField(max_length=10)),
                ("holder", models.CharField(blank=True, max_length=64)),
                ("until", models.DateTimeField(null=True)),
                ("number", models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="ShareInterval",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("claim_uid", models.CharField()),
                ("namespace", models.CharField()),
                ("claim_name", models.CharField()),
                ("driver", models.CharField()),
                ("pool", models.CharField()),
                ("device", models.CharField()),
                ("request", models.CharField()),
                ("share_id", models.CharField(blank=True)),
                ("dedicated", models.BooleanField()),
                ("admin_access", models.BooleanField()),
                ("consumed", models.JSONField(default=dict)),
                ("started_at", models.DateTimeField()),
                (
                    "started_source",
                    models.CharField(
                        choices=[
                            ("allocation", "the claim's allocationTimestamp"),
                            ("observed", "seen by Sliceboard"),
                        ],
                        max_length=10,
                    ),
                ),
                ("started_not_before", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(help_text="null: held", null=True)),
                ("ended_not_before", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ("started_at", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Slice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField()),
                ("uid", models.CharField()),
                ("resource_version", models.CharField()),
                ("driver", models.CharField()),
                ("pool_name", models.CharField()),
                ("body", models.TextField()),
            ],
            options={
                "ordering": ("driver", "pool_name", "name"),
            },
        ),
        migrations.RemoveField(
            model_name="cluster",
            name="lease_holder",
        ),
        migrations.RemoveField(
            model_name="cluster",
            name="lease_number",
        ),
        migrations.RemoveField(
            model_name="cluster",
            name="lease_until",
        ),
        migrations.AddField(
            model_name="claimtemplate",
            name="resource_version",
            field=models.CharField(blank=True),
        ),
        migrations.AddField(
            model_name="cluster",
            name="compared_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="cluster",
            name="comparison_begun_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="cluster",
            name="differences",
            field=models.PositiveIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="cluster",
            name="failures",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name="cluster",
            name="queue",
            field=models.CharField(
                blank=True,
                help_text="Celery queue of workers that are kept for it; empty: the one that all share",
                max_length=63,
                validators=[
                    django.core.validators.RegexValidator(
                        "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "lower-case letters, digits, '-' and '.' only"
                    )
                ],
            ),
        ),
        migrations.AddField(
            model_name="cluster",
            name="retry_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="deviceclass",
            name="resource_version",
            field=models.CharField(blank=True),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="bytes_total",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="events_total",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="failures",
            field=models.PositiveIntegerField(default=0, help_text="since the last success"),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="failures_total",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="layout",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="listed_at",
            field=models.DateTimeField(help_text="when it was last read in full", null=True),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="lists_total",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="kindstate",
            name="retry_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="namespace",
            name="resource_version",
            field=models.CharField(blank=True),
        ),
        migrations.AddField(
            model_name="node",
            name="resource_version",
            field=models.CharField(blank=True),
        ),
        migrations.AddField(
            model_name="pod",
            name="controller_uid",
            field=models.CharField(blank=True),
        ),
        migrations.AddField(
            model_name="pod",
            name="pod_group",
            field=models.CharField(blank=True, help_text="the gang that it is scheduled with"),
        ),
        migrations.AddField(
            model_name="quota",
            name="resource_version",
            field=models.CharField(blank=True),
        ),
        migrations.AddField(
            model_name="share",
            name="started_source",
            field=models.CharField(
                choices=[
                    ("allocation", "the claim's allocationTimestamp"),
                    ("observed", "seen by Sliceboard"),
                ],
                default="observed",
                max_length=10,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="skippedobject",
            name="pool",
            field=models.CharField(
                blank=True, help_text="driver/pool, where it was found in putting the pool together"
            ),
        ),
        migrations.AddField(
            model_name="taintrule",
            name="resource_version",
            field=models.CharField(blank=True),
        ),
        migrations.AlterField(
            model_name="balance",
            name="card",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="balances",
                to="inventory.card",
            ),
        ),
        migrations.AlterField(
            model_name="balance",
            name="cluster",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="balances",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="balance",
            name="device",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="balances",
                to="inventory.device",
            ),
        ),
        migrations.AlterField(
            model_name="card",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="cards",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="card",
            name="pool",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="cards",
                to="inventory.pool",
            ),
        ),
        migrations.AlterField(
            model_name="card",
            name="state",
            field=models.CharField(
                choices=[
                    ("free", "free"),
                    ("partly_allocated", "partly used"),
                    ("full", "full"),
                    ("dedicated", "held whole"),
                    ("over_allocated", "over-allocated"),
                    ("unavailable", "unavailable"),
                    ("not_published", "not published"),
                    ("unknown", "not known"),
                ],
                default="unknown",
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="claim",
            name="cluster",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="claims",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="claim",
            name="namespace",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="claims",
                to="inventory.namespace",
            ),
        ),
        migrations.AlterField(
            model_name="claimtemplate",
            name="namespace",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="claim_templates",
                to="inventory.namespace",
            ),
        ),
        migrations.AlterField(
            model_name="consumedcapacity",
            name="share",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="consumed",
                to="inventory.share",
            ),
        ),
        migrations.AlterField(
            model_name="consumer",
            name="claim",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="consumers",
                to="inventory.claim",
            ),
        ),
        migrations.AlterField(
            model_name="counterbalance",
            name="pool",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="counters",
                to="inventory.pool",
            ),
        ),
        migrations.AlterField(
            model_name="device",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="devices",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="device",
            name="pool",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="devices",
                to="inventory.pool",
            ),
        ),
        migrations.AlterField(
            model_name="device",
            name="state",
            field=models.CharField(
                choices=[
                    ("free", "free"),
                    ("partly_allocated", "partly used"),
                    ("full", "full"),
                    ("dedicated", "held whole"),
                    ("over_allocated", "over-allocated"),
                    ("unavailable", "unavailable"),
                    ("not_published", "not published"),
                    ("unknown", "not known"),
                ],
                default="unknown",
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="deviceclass",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="device_classes",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="kindstate",
            name="bytes_read",
            field=models.PositiveBigIntegerField(help_text="of the last full list", null=True),
        ),
        migrations.AlterField(
            model_name="kindstate",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="kinds",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="kindstate",
            name="seconds",
            field=models.DecimalField(
                decimal_places=3, help_text="of the last full list", max_digits=12, null=True
            ),
        ),
        migrations.AlterField(
            model_name="namespace",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="namespaces",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="node",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="nodes",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="pod",
            name="cluster",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="pods",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="pod",
            name="namespace",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="pods",
                to="inventory.namespace",
            ),
        ),
        migrations.AlterField(
            model_name="pod",
            name="node",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="pods",
                to="inventory.node",
            ),
        ),
        migrations.AlterField(
            model_name="podclaim",
            name="claim",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="pod_claims",
                to="inventory.claim",
            ),
        ),
        migrations.AlterField(
            model_name="podclaim",
            name="pod",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="pod_claims",
                to="inventory.pod",
            ),
        ),
        migrations.AlterField(
            model_name="pool",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="pools",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="quota",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="quotas",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="share",
            name="claim",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="shares",
                to="inventory.claim",
            ),
        ),
        migrations.AlterField(
            model_name="share",
            name="cluster",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="shares",
                to="inventory.cluster",
            ),
        ),
        migrations.AlterField(
            model_name="share",
            name="device",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="held_shares",
                to="inventory.device",
            ),
        ),
        migrations.RunPython(say_when_shares_were_seen, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="share",
            name="started_at",
            field=models.DateTimeField(),
        ),
        migrations.AlterField(
            model_name="taintrule",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="taint_rules",
                to="inventory.cluster",
            ),
        ),
        migrations.AddIndex(
            model_name="claim",
            index=models.Index(
                models.F("namespace"),
                models.F("owner_name"),
                condition=models.Q(("owner_kind", "PodGroup")),
                name="claim_of_pod_group",
            ),
        ),
        migrations.AddIndex(
            model_name="consumer",
            index=models.Index(models.F("uid"), name="consumer_by_uid"),
        ),
        migrations.AddIndex(
            model_name="pod",
            index=models.Index(models.F("controller_uid"), name="pod_by_controller"),
        ),
        migrations.AddIndex(
            model_name="pod",
            index=models.Index(
                models.F("namespace"),
                models.F("pod_group"),
                condition=models.Q(("pod_group", ""), _negated=True),
                name="pod_by_group",
            ),
        ),
        migrations.AddIndex(
            model_name="podclaim",
            index=models.Index(models.F("claim_name"), name="pod_claim_by_name"),
        ),
        migrations.AddField(
            model_name="difference",
            name="cluster",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="found_differences",
                to="inventory.cluster",
            ),
        ),
        migrations.AddField(
            model_name="lease",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="leases",
                to="inventory.cluster",
            ),
        ),
        migrations.AddField(
            model_name="shareinterval",
            name="cluster",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="share_intervals",
                to="inventory.cluster",
            ),
        ),
        migrations.AddField(
            model_name="slice",
            name="cluster",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="slices",
                to="inventory.cluster",
            ),
        ),
        migrations.AddConstraint(
            model_name="lease",
            constraint=models.UniqueConstraint(models.F("cluster"), models.F("part"), name="lease_of_part"),
        ),
        migrations.AddIndex(
            model_name="shareinterval",
            index=models.Index(models.F("cluster"), models.F("claim_uid"), name="interval_of_claim"),
        ),
        migrations.AddConstraint(
            model_name="shareinterval",
            constraint=models.UniqueConstraint(
                models.F("cluster"),
                models.F("claim_uid"),
                models.F("request"),
                models.F("driver"),
                models.F("pool"),
                models.F("device"),
                models.F("share_id"),
                condition=models.Q(("ended_at", None)),
                name="one_open_interval_of_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="shareinterval",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("ended_at", None), ("ended_at__gte", models.F("started_at")), _connector="OR"
                ),
                name="interval_ends_after_its_start",
            ),
        ),
        migrations.AddIndex(
            model_name="slice",
            index=models.Index(
                models.F("cluster"), models.F("driver"), models.F("pool_name"), name="slice_of_pool"
            ),
        ),
        migrations.AddConstraint(
            model_name="slice",
            constraint=models.UniqueConstraint(
                models.F("cluster"), models.F("name"), name="slice_of_cluster"
            ),
        ),
    ]
