"""HTTP/1.1: one connection, its requests one after the other, watches in chunks."""

import gzip
import logging
import select
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from demo.exchange import Answer, ConnectionCut, Request
from demo.faults import Faults
from demo.refusals import Refusal
from demo.requestlog import RequestLog

logger = logging.getLogger(__name__)

# An API server compresses what is larger than this, quickly rather than well.
_COMPRESSED_FROM = 128 * 1024
_GZIP_LEVEL = 1


class Service(Protocol):
    """What stands behind the connections."""

    faults: Faults
    requests: RequestLog

    def answer(self, request: Request) -> Answer: ...

    def is_stopping(self) -> bool: ...


class Handler(BaseHTTPRequestHandler):
    """One client connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    service: Service

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionCut as cut:
            self.wfile.write(cut.rest)
            self.wfile.flush()
        except OSError as error:
            logger.debug("connection ended early: %s", error)

    def finish(self) -> None:
        try:
            super().finish()
        except OSError as error:
            logger.debug("connection ended before everything was sent: %s", error)

    def handle_request(self) -> None:
        request = self._request()
        self.service.requests.add(request)
        faults = self.service.faults.take(request)
        try:
            for fault in faults:
                fault.before(request)
            answer = self.service.answer(request)
        except Refusal as refusal:
            self._send(_refused(refusal), request)
            return
        for fault in faults:
            answer = fault.alter(answer)
        self._send(answer, request)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def log_message(self, format: str, *args: object) -> None:
        logger.debug(format, *args)

    def _request(self) -> Request:
        url = urlsplit(self.path)
        return Request(
            method=self.command,
            path=unquote(url.path),
            query=dict(parse_qsl(url.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("Content-Length") or 0)),
        )

    def _send(self, answer: Answer, request: Request) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.lines:
            self._send_lines(answer.lines)
        else:
            self._send_body(answer, request)

    def _send_body(self, answer: Answer, request: Request) -> None:
        body = answer.body
        if len(body) >= _COMPRESSED_FROM and "gzip" in request.headers.get("accept-encoding", ""):
            body = gzip.compress(body, _GZIP_LEVEL, mtime=0)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if answer.cut:
            raise ConnectionCut(body[: len(body) // 2])
        self.wfile.write(body)
        self.wfile.flush()

    def _send_lines(self, lines: Callable[[Callable[[], bool]], Iterator[bytes]]) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        try:
            for line in lines(self._is_over):
                self._send_chunk(line)
        except ConnectionCut as cut:
            raise ConnectionCut(_chunk(cut.rest) if cut.rest else b"") from cut
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _send_chunk(self, line: bytes) -> None:
        """An empty line says that nothing more is coming right now, so what is written goes out."""
        if line:
            self.wfile.write(_chunk(line))
        else:
            self.wfile.flush()

    def _is_over(self) -> bool:
        """A client says nothing during a watch; what can be read then is the end of its connection."""
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        return bool(poll.poll(0)) or self.service.is_stopping()


def _chunk(line: bytes) -> bytes:
    return f"{len(line):x}\r\n".encode() + line + b"\r\n"


def _refused(refusal: Refusal) -> Answer:
    headers = {"Content-Type": "application/json", "Cache-Control": "no-cache, private", **refusal.headers}
    return Answer(refusal.code, refusal.body() + b"\n", headers)
