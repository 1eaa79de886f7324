from django.apps import AppConfig


class InventoryConfig(AppConfig):
    """What clusters hold, and the books derived from it."""

    name = "inventory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from inventory import signals  # noqa: F401 (connects the receivers; models must be loaded)
