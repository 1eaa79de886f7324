from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """The faces: pages, REST, and who sees what."""

    name = "dashboard"

    def ready(self) -> None:
        from dashboard import checks  # noqa: F401 (registers them; settings must be loaded)
