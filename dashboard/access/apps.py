from django.apps import AppConfig


class AccessConfig(AppConfig):
    """Who may come in, with which rights, and the record of what was done."""

    name = "dashboard.access"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from dashboard.access import signals  # noqa: F401 (connects the receivers; models must be loaded)
