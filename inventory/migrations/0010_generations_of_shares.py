from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0009_history"),
    ]

    operations = [
        migrations.AddField(
            model_name="shareinterval",
            name="began_in",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="shareinterval",
            name="told_in",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="shareinterval",
            name="ended_in",
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.AddIndex(
            model_name="shareinterval",
            index=models.Index(models.F("cluster"), models.F("told_in"), name="interval_by_generation"),
        ),
    ]
