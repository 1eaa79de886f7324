"""Celery tasks: what is not kept for ever."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from dashboard.access.models import AuditEntry, UserSession


@shared_task(ignore_result=True)
def forget_what_is_old() -> None:
    """Sessions that are over, and what the audit log has kept for long enough."""
    now = timezone.now()
    UserSession.objects.filter(expire_date__lt=now).delete()
    AuditEntry.objects.all().forget(now - timedelta(days=settings.SLICEBOARD_AUDIT_DAYS))
