"""How often a database was asked."""

from django.test.utils import CaptureQueriesContext


def questions(captured: CaptureQueriesContext) -> int:
    """Without what PostgreSQL is told of how to look for answers."""
    return sum(not one["sql"].startswith("SET LOCAL") for one in captured)
