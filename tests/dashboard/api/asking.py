"""Questions to the API about where a claim fits."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from django.test import Client

from tests.dashboard.api.conftest import decoded

PATH = "/api/v1/fit/"
HAMI = "hami-core-gpu.project-hami.io"


def claim(*requests: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Of half a HAMi card, if nothing else is asked for."""
    wanted = list(requests) or [request()]
    return {
        "metadata": {"name": "asked", "namespace": "team-vision"},
        "spec": {"devices": {"requests": wanted}},
        **fields,
    }


def request(**exactly: Any) -> dict[str, Any]:
    half = {"deviceClassName": HAMI, "capacity": {"requests": {"memory": "8Gi", "cores": "10"}}}
    return {"name": "gpu", "exactly": {**half, **exactly}}


def selecting(expression: str) -> dict[str, Any]:
    return request(selectors=[{"cel": {"expression": expression}}])


class Asking:
    def __init__(self, client: Client) -> None:
        self.client = client

    def raw(self, body: bytes, content_type: str = "application/json") -> Any:
        return self.client.post(PATH, body, content_type=content_type)

    def response(self, **question: Any) -> Any:
        return self.client.post(PATH, question, content_type="application/json")

    def in_chunks(
        self, body: BytesIO, *, ended: bool = True, headers: Mapping[str, str] | None = None
    ) -> Any:
        """As a server hands on a body without a length; `ended`: it stops where the last chunk does."""
        environ: dict[str, Any] = {
            "wsgi.input": body,
            "wsgi.input_terminated": ended,
            "HTTP_TRANSFER_ENCODING": "chunked",
            "CONTENT_TYPE": "application/json",
        }
        return self.client.generic("POST", PATH, headers=headers, **environ)

    def answer(self, **question: Any) -> Any:
        """The only one."""
        response = self.response(**question)
        assert response.status_code == 200, response.content
        (found,) = decoded(response)["answers"]
        return found

    def refused(self, **question: Any) -> dict[str, str]:
        """What a 400 says, by field; without a field under an empty name."""
        return faults(self.response(**question))


def faults(response: Any) -> dict[str, str]:
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    told = decoded(response)
    return {one.get("field", ""): one["detail"] for one in told.get("errors", [{"detail": told["detail"]}])}
