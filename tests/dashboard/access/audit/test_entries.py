from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard.access.models import AuditEntry, ForeverError, UserSession
from dashboard.access.tasks import forget_what_is_old

pytestmark = pytest.mark.django_db


def test_an_entry_is_neither_changed_nor_deleted() -> None:
    entry = AuditEntry.objects.create(action="created")
    for attempt in (
        entry.save,
        entry.delete,
        AuditEntry.objects.all().delete,
        lambda: AuditEntry.objects.update(username="x"),
        lambda: AuditEntry.objects.bulk_update([entry], ["username"]),
    ):
        with pytest.raises(ForeverError):
            attempt()
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEntry(pk=entry.pk, action="deleted").save()
    assert AuditEntry.objects.get().action == "created"


def test_an_entry_outlives_whoever_it_is_of(client: Client, ada: User) -> None:
    client.force_login(ada)
    ada.delete()
    assert AuditEntry.objects.filter(action="signed in", username="ada").exists()


def test_the_oldest_are_forgotten_and_what_is_over(settings: Settings) -> None:
    settings.SLICEBOARD_AUDIT_DAYS = 30
    now = timezone.now()
    for days in (31, 29):
        AuditEntry.objects.create(action="created", at=now - timedelta(days=days))
    for hours in (-1, 1):
        UserSession.objects.create(session_key=f"s{hours}", expire_date=now + timedelta(hours=hours))
        AccessAttempt.objects.create(username=f"u{hours}", failures_since_start=1)
    AccessAttempt.objects.filter(username="u-1").update(attempt_time=now - timedelta(hours=1))
    forget_what_is_old()
    assert [one.at for one in AuditEntry.objects.all()] == [now - timedelta(days=29)]
    assert [one.session_key for one in UserSession.objects.all()] == ["s1"]
    assert [one.username for one in AccessAttempt.objects.all()] == ["u1"]


def test_operators_read_it_and_nobody_writes_there(administration: Client, ada: User) -> None:
    entry = AuditEntry.objects.create(
        action="created", username="<script>", object_name="<b>", address="192.0.2.1"
    )
    text = administration.get("/admin/access/auditentry/?q=192.0.2.1&action=created").content.decode()
    assert "&lt;script&gt;" in text
    assert "<script>" not in text.partition("<thead>")[2]
    for path in ("add/", f"{entry.pk}/delete/"):
        assert administration.post(f"/admin/access/auditentry/{path}").status_code == 403
    assert administration.post(f"/admin/access/auditentry/{entry.pk}/change/", {}).status_code == 403
    assert administration.get(f"/admin/access/auditentry/{entry.pk}/change/").status_code == 200


def test_nobody_else_reads_it(ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    assert browser.get("/admin/access/auditentry/").status_code == 302
