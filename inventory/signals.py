"""What must follow a change made in the admin, without waiting for the next poll."""

from typing import Any

from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from inventory.models import TeamNamespace
from inventory.teams import assign_namespaces


@receiver([post_save, post_delete], sender=TeamNamespace)
def assignments_changed(sender: Any, **kwargs: Any) -> None:
    assign_namespaces()
