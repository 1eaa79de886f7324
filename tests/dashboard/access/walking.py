"""Going over every route as somebody, and comparing what is answered."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from dashboard.access.models import ApiToken
from tests.dashboard.access.routes import every_route

# They begin and end sessions.
_SESSIONS = ("login", "logout")
# Of one question to the next these differ by themselves.
_CHANGING = re.compile(
    r'name="csrfmiddlewaretoken" value="\w+"|nonce-[\w=/+-]+|Expires: .*|[0-9TZ:.-]{19,}|'
    r"(?<=id: )[0-9a-f]{10}|"
    r'[0-9-]{10} [0-9:]{8}|datetime="[^"]*"|"lag_seconds":\d+|(?:\d+ (?:s|min|h)\b\s*)+(?:ago)?'
)
_CHANGING_HEADERS = ("X-Request-ID", "Content-Length", "Sliceboard-As-Of")


class Viewer(NamedTuple):
    """`token`: the API is asked with one that may "read", or "read-write", as programs have one."""

    username: str
    token: str = ""
    expired: bool = False

    def __str__(self) -> str:
        named = self.username or "anonymous"
        return "-".join([named, self.token, "expired" if self.expired else ""]).strip("-")

    def client(self, path: str = "/") -> Client:
        if not self.username:
            return Client()
        user = User.objects.get(username=self.username)
        if self.token and path.startswith("/api/v1/"):
            life = timedelta(seconds=-1) if self.expired else timedelta(days=1)
            _, token = ApiToken.issue(user, "of the walk", self.token, life)
            return Client(headers={"Authorization": f"Bearer {token}"})
        client = Client()
        if not self.expired:
            client.force_login(user)
        return client


def walk(viewer: Viewer, *, briefly: bool = False) -> Iterator[tuple[str, Any]]:
    """The answer to everything that can be asked without a name of others, and the address.

    `briefly`: every path once, without parameters that it does not need.
    """
    client, tokened = viewer.client(), viewer.client("/api/v1/")
    for route in every_route():
        asking = tokened if route.is_api else client
        if route.name in _SESSIONS:
            asking = viewer.client()
        for path in route.paths():
            for query in [route.least] if briefly else route.queries():
                address = f"{path}?{query}" if query else path
                yield address, asking.get(address)
            cache.clear()


def text_of(response: Any) -> str:
    """Everything that goes over the wire: body and headers."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    return f"{headers}\n{body.decode(errors='replace')}"


def settled(response: Any) -> tuple[int, str]:
    """The status and the text without what changes by itself."""
    for header in _CHANGING_HEADERS:
        if response.has_header(header):
            del response[header]
    return response.status_code, _CHANGING.sub("", text_of(response))
