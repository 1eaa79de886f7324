"""Celery tasks: what is not kept for ever."""

from datetime import timedelta

from axes.models import AccessAttempt
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from dashboard.access.models import AuditEntry, UserSession


@shared_task(ignore_result=True)
def forget_what_is_old() -> None:
    """Sessions that are over, sign-ins that nobody is held back for, and the end of the audit log."""
    now = timezone.now()
    AccessAttempt.objects.filter(attempt_time__lt=now - settings.AXES_COOLOFF_TIME).delete()
    UserSession.objects.filter(expire_date__lt=now).delete()
    AuditEntry.objects.all().forget(now - timedelta(days=settings.SLICEBOARD_AUDIT_DAYS))
