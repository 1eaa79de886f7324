"""Servers that are no API server: one that always gives the same answer, and a forwarding proxy."""

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


class SameAnswer:
    """What is answered to every GET; `asked` collects the headers of the requests."""

    def __init__(
        self, status: int = 200, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        self.status, self.body, self.headers = status, body, dict(headers or {})
        self.asked: list[Mapping[str, str]] = []
        self.url = ""


@contextmanager
def answering(answer: SameAnswer, tls: ssl.SSLContext | None = None) -> Iterator[SameAnswer]:
    class Handler(_Quiet):
        def do_GET(self) -> None:
            answer.asked.append(dict(self.headers))
            self.send_response(answer.status)
            for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

    with _serving(Handler, tls) as address:
        answer.url = f"{'https' if tls else 'http'}://{address}"
        yield answer


class Proxied:
    """What went through a proxy: its address, the targets asked for and how the client signed in."""

    def __init__(self) -> None:
        self.url = ""
        self.targets: list[str] = []
        self.signed_in: list[str | None] = []


@contextmanager
def proxying() -> Iterator[Proxied]:
    """Forwards plain requests and tunnels, whatever the target is called: all targets are on this machine."""
    proxied = Proxied()

    class Handler(_Quiet):
        def do_GET(self) -> None:
            self._note()
            target = urlsplit(self.path)
            onward = http.client.HTTPConnection("127.0.0.1", target.port or 80, timeout=5)
            onward.request("GET", f"{target.path}?{target.query}", headers=dict(self.headers))
            answer = onward.getresponse()
            body = answer.read()
            onward.close()
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_CONNECT(self) -> None:
            self._note()
            port = int(self.path.rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), timeout=5) as onward:
                self.send_response(200)
                self.end_headers()
                back = threading.Thread(target=_pump, args=(onward, self.connection))
                back.start()
                _pump(self.connection, onward)
                back.join()
            self.close_connection = True

        def _note(self) -> None:
            proxied.targets.append(self.path)
            proxied.signed_in.append(self.headers.get("Proxy-Authorization"))

    with _serving(Handler) as address:
        proxied.url = f"http://{address}"
        yield proxied


class _Quiet(BaseHTTPRequestHandler):
    timeout = 5

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def _serving(handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    class Server(ThreadingHTTPServer):
        daemon_threads = False

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that turns away in the middle is what some tests are about."""

        def finish_request(self, request: Any, client_address: Any) -> None:
            connection = tls.wrap_socket(request, server_side=True) if tls else request
            super().finish_request(connection, client_address)
            connection.close()

    server = Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Until one side is done; then the other side is told."""
    try:
        while chunk := source.recv(65_536):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
