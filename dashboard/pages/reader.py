"""Who looks at a page."""

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


def reader(request: HttpRequest) -> User:
    """Raises PermissionDenied for somebody who is not signed in, whom no page lets in anyway."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
