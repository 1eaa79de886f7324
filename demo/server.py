"""A demo cluster's API server: starts on a free port, stops without leaving anything behind."""

import socket
import ssl
import threading
from collections.abc import Collection, Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from demo import kubeconfig
from demo.access import Access, Grant
from demo.api import Api
from demo.discovery import DRA_VERSIONS, GIT_VERSION, Discovery
from demo.exchange import Answer, Request
from demo.faults import Faults
from demo.handler import Handler
from demo.requestlog import RequestLog
from demo.store import Store


class Tls(NamedTuple):
    """PEM files; the certificate must name the host that clients connect to."""

    certificate: Path
    key: Path


class ApiServer:
    """Serves a store until it is stopped; also a context manager.

    Without tokens everyone may do everything. `faults` makes requests go wrong, `requests` tells
    what was asked.
    """

    def __init__(
        self,
        store: Store,
        *,
        dra_versions: Collection[str] = DRA_VERSIONS,
        tokens: Mapping[str, Grant] | None = None,
        tls: Tls | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        bookmark_seconds: float = 60.0,
        version: str = GIT_VERSION,
    ) -> None:
        self.store = store
        self.faults = Faults()
        self.requests = RequestLog()
        self._api = Api(store, Access(tokens), Discovery(dra_versions, version), bookmark_seconds)
        self._tls = tls
        self._stopping = threading.Event()
        self._connections = _Connections((host, port), self, tls)
        self._thread = threading.Thread(target=self._connections.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        host, port = self._connections.server_address[:2]
        return f"{'https' if self._tls else 'http'}://{host!s}:{port}"

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        """End all watches and connections, and wait for their threads."""
        self._stopping.set()
        if self._thread.is_alive():
            self._connections.shutdown()
            self._thread.join()
        self._connections.close_all()
        self._connections.server_close()

    def kubeconfig(self, path: Path | str, *, token: str | None = None, name: str = "demo") -> Path:
        """Write a kubeconfig file for this server, with one context of the given name."""
        ca_file = self._tls.certificate if self._tls else None
        return kubeconfig.write(Path(path), self.url, name=name, token=token, ca_file=ca_file)

    def answer(self, request: Request) -> Answer:
        """Raises Refusal."""
        return self._api.answer(request)

    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


class _Connections(ThreadingHTTPServer):
    """The listening socket, and the open connections, which must be closed to end their threads."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], service: ApiServer, tls: Tls | None) -> None:
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._context = _server_context(tls) if tls else None
        super().__init__(address, type("BoundHandler", (Handler,), {"service": service}))

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In the thread of the connection, so that a slow TLS handshake holds up nobody else."""
        try:
            connection = self._context.wrap_socket(request, server_side=True) if self._context else request
        except OSError:
            return
        with self._lock:
            self._open.add(connection)
        try:
            super().finish_request(connection, client_address)
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def close_all(self) -> None:
        with self._lock:
            for connection in self._open:
                # shutdown() reaches a thread that waits in recv(); close() alone would not.
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue


def _server_context(tls: Tls) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls.certificate, tls.key)
    return context
