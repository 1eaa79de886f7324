"""Writing of entries."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model

from dashboard.access.audit.origin import origin
from dashboard.access.models import AuditEntry

Values = dict[str, Any]


def record(
    action: AuditEntry.Action,
    thing: Model | None = None,
    *,
    before: Values | None = None,
    after: Values | None = None,
    user: User | None = None,
) -> None:
    """`user`: who acts, where that is not the user of the request."""
    what = _named(thing) if thing is not None else {}
    AuditEntry.objects.create(action=action, before=before, after=after, **origin(user), **what)


def _named(thing: Model) -> dict[str, str]:
    return {
        "kind": thing._meta.label_lower,
        "object_id": str(thing.pk)[:64],
        "object_name": str(thing)[:300],
    }
