"""A plain HTTP client for the tests: what was answered, byte for byte."""

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

CAPTURES = Path(__file__).parent / "captures"
CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
PODS = "/api/v1/pods"


class Answered(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def captured(name: str) -> Any:
    return json.loads((CAPTURES / name).read_text())


def captured_refusal(name: str) -> tuple[int, Any]:
    head, body = (CAPTURES / name).read_text().split("\n", 1)
    return int(head.removeprefix("HTTP ")), json.loads(body)


def connect(url: str) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)


def ask(url: str, path: str, headers: Mapping[str, str] | None = None, /, **query: str | int) -> Answered:
    return _exchange(url, "GET", path, query, headers=headers or {})


def send(method: str, url: str, path: str, body: Any, /, **query: str | int) -> Answered:
    """A body that is no bytes is sent as JSON."""
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    return _exchange(url, method, path, query, body=encoded)


def _exchange(
    url: str,
    method: str,
    path: str,
    query: Mapping[str, str | int],
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> Answered:
    connection = connect(url)
    target = f"{path}?{urlencode(query)}" if query else path
    try:
        connection.request(method, target, body=body, headers=headers or {})
        response = connection.getresponse()
        return Answered(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


def names(answered: Answered) -> list[str]:
    return [item["metadata"]["name"] for item in answered.json["items"]]


@contextmanager
def watching(url: str, path: str, /, **query: str | int) -> Iterator[Iterator[Any]]:
    """The events of a watch, one after the other; it ends with the block."""
    connection = connect(url)
    try:
        connection.request("GET", f"{path}?{urlencode({'watch': 1, **query})}")
        response = connection.getresponse()
        assert response.status == 200, response.read()
        yield (json.loads(line) for line in iter(response.readline, b""))
    finally:
        connection.close()
