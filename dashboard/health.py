"""Whether the process lives, and whether it can serve."""

from collections.abc import Callable

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed


class HealthMiddleware:
    """Answers /livez and /readyz ahead of everything else.

    Whoever probes knows no host name, no HTTPS and no sign-in: the checks behind this one would refuse him.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe = _PROBES.get(request.path_info)
        if probe is None:
            return self._get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        fault = probe()
        response = HttpResponse(f"{fault or 'ok'}\n", content_type="text/plain", status=503 if fault else 200)
        response["Cache-Control"] = "no-store"
        return response


def _alive() -> str:
    """An outage of the database, the broker or a cluster is no reason to restart the process."""
    return ""


def _ready() -> str:
    """Without the database's own words: anybody may ask."""
    try:
        executor = MigrationExecutor(connection)
    except DatabaseError:
        return "the database does not answer"
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return "the database is not migrated: run `python manage.py prepare`" if pending else ""


_PROBES = {"/livez": _alive, "/readyz": _ready}
