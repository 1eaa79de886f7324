"""Whether the process lives, and whether it can serve."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@login_not_required
@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """An outage of the database, the broker or a cluster is no reason to restart the process."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    fault = _fault()
    return HttpResponse(f"{fault or 'ok'}\n", content_type="text/plain", status=503 if fault else 200)


def _fault() -> str:
    """Without the database's own words: anybody may ask."""
    try:
        executor = MigrationExecutor(connection)
    except DatabaseError:
        return "the database does not answer"
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return "the database is not migrated: run `python manage.py migrate`" if pending else ""
