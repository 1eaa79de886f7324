"""GET requests to one API server."""

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self
from urllib.parse import urlencode

import msgspec
import urllib3

from inventory.kube import errors
from inventory.kube.credential import Credential
from inventory.kube.refusals import refusal
from inventory.kube.streaming import Stream
from inventory.kube.transport import failure
from inventory.version import VERSION

JSON = "application/json"
_BLOCK = 256 * 1024
_USER_AGENT = f"sliceboard/{VERSION}"


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds to connect, seconds without a single byte while reading, and seconds for a whole answer."""

    connect: float = 10.0
    read: float = 60.0
    whole: float = 300.0


class Client:
    """One API server over a pool of connections that stay open. Several threads may use it at once."""

    def __init__(
        self, pool: urllib3.PoolManager, server: str, credential: Credential, timeouts: Timeouts
    ) -> None:
        self._pool, self._server, self._credential = pool, server.rstrip("/"), credential
        self._timeouts = timeouts

    def get(self, path: str, params: Mapping[str, str] | None = None, accept: str = JSON) -> bytes:
        """The body of a 200 answer, decompressed; any other answer or none raises a ClusterError."""
        headers = {"Accept": accept, "Accept-Encoding": "gzip"}
        try:
            response = self._answer(self._target(path, params), headers, self._timeouts.read)
            body = self._body(response, self.url(path))
        except urllib3.exceptions.HTTPError as error:
            raise failure(self.url(path), error) from error
        if response.status != 200:
            raise refusal(self.url(path), path, response.status, response.headers, body)
        return body

    def stream(
        self,
        path: str,
        params: Mapping[str, str],
        accept: str = JSON,
        *,
        seconds: float,
        read_timeout: float | None = None,
    ) -> Stream:
        """A watch: the body of a 200 answer as it arrives; any other answer or none raises a ClusterError.

        `seconds` is for all of it, `read_timeout` for the answer and each silence in it; without one that of
        the client counts.
        """
        timeout = self._timeouts.read if read_timeout is None else read_timeout
        try:
            response = self._answer(self._target(path, params), {"Accept": accept}, timeout)
            body = b"" if response.status == 200 else self._body(response, self.url(path))
        except urllib3.exceptions.HTTPError as error:
            raise failure(self.url(path), error) from error
        if response.status != 200:
            raise refusal(self.url(path), path, response.status, response.headers, body, verb="watch")
        return Stream(response, self.url(path), seconds)

    def url(self, path: str) -> str:
        """The address for messages, without a user or password."""
        return urllib3.util.parse_url(self._server)._replace(auth=None).url + path

    def close(self) -> None:
        self._pool.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _target(self, path: str, params: Mapping[str, str] | None) -> str:
        return f"{self._server}{path}?{urlencode(params)}" if params else f"{self._server}{path}"

    def _answer(
        self, target: str, headers: Mapping[str, str], read_timeout: float
    ) -> urllib3.BaseHTTPResponse:
        headers = {**headers, "User-Agent": _USER_AGENT, **self._credential.headers()}
        try:
            return self._send(target, headers, read_timeout)
        except urllib3.exceptions.ProtocolError:
            # A connection that stayed open can be closed by the other side just as it is used again:
            # nothing was answered, and asking twice for a GET does no harm.
            return self._send(target, headers, read_timeout)

    def _send(self, target: str, headers: Mapping[str, str], read_timeout: float) -> urllib3.BaseHTTPResponse:
        return self._pool.request(
            "GET",
            target,
            headers=headers,
            timeout=urllib3.Timeout(connect=self._timeouts.connect, read=read_timeout),
            retries=False,
            redirect=False,
            preload_content=False,
        )

    def _body(self, response: urllib3.BaseHTTPResponse, url: str) -> bytes:
        ends_at, blocks = time.monotonic() + self._timeouts.whole, []
        try:
            # As it comes: with a whole block to wait for, nobody would look at the time.
            while block := response.read1(_BLOCK):
                blocks.append(block)
                if time.monotonic() > ends_at:
                    raise errors.TimedOutError(
                        f"{url} did not answer in full within {self._timeouts.whole:.0f} s. Look at the "
                        "network between Sliceboard and the API server, and at their load."
                    )
            return b"".join(blocks)
        finally:
            response.close()
