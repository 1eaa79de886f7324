"""A real OpenID provider for tests, over HTTPS on a free port: pyop, which shares no code with us.

What a dishonest or broken provider would say is asked of it by attributes of `IdentityProvider`.
"""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from Cryptodome.PublicKey import RSA
from jwkest.jwk import RSAKey
from pyop.authz_state import AuthorizationState
from pyop.exceptions import OAuthError
from pyop.provider import Provider
from pyop.subject_identifier import HashBasedSubjectIdentifierFactory
from pyop.userinfo import Userinfo

from tests.services.certificate import make_certificate

CLIENT_ID, CLIENT_SECRET = "sliceboard", "a secret of two"


class IdentityProvider:
    """Whoever comes is `person`, with `claims`; what he is said to be in an ID token is in `in_token`."""

    def __init__(self, issuer: str, certificate: Path) -> None:
        self.issuer = issuer
        self.certificate = certificate
        self.people: dict[str, dict[str, Any]] = {}
        self.person = ""
        self.in_token: dict[str, Any] = {}
        self.lies = Lies()
        self.refuses = False
        # Last of all what a client sent to the authorization endpoint.
        self.asked: dict[str, Any] = {}
        self._provider = self._make()

    def add(self, person: str, **claims: Any) -> None:
        """He is the one who signs in next."""
        self.people[person] = {"sub": f"subject-of-{person}", **claims}
        self.person = person

    def metadata(self) -> Any:
        return {**self._provider.provider_configuration.to_dict(), **self.lies.metadata}

    def keys(self) -> Any:
        if self.lies.keys is not None:
            return self.lies.keys
        return {"keys": [_signing_key("forger").serialize()]} if self.lies.withdrawn else self._provider.jwks

    def authorize(self, query: str) -> str:
        request = self._provider.parse_authentication_request(query)
        self.asked = request.to_dict()
        if self.refuses:
            return f"{request['redirect_uri']}?error=access_denied&state={request['state']}"
        answer = self._provider.authorize(request, self.person)
        return str(answer.request(request["redirect_uri"]))

    def token(self, body: str, headers: dict[str, str]) -> dict[str, Any]:
        answer = self._provider.handle_token_request(body, headers, dict(self.in_token))
        return dict(answer.to_dict())

    def userinfo(self, headers: dict[str, str]) -> dict[str, Any]:
        answer = self._provider.handle_userinfo_request("", headers)
        return dict(answer.to_dict())

    def _make(self) -> "_Provider":
        paths = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "userinfo_endpoint": "userinfo",
            "jwks_uri": "keys",
            "end_session_endpoint": "leave",
        }
        configuration = {
            "issuer": self.issuer,
            **{name: f"{self.issuer}/{path}" for name, path in paths.items()},
            "scopes_supported": ["openid", "profile", "email"],
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
        }
        clients = {CLIENT_ID: _client(CLIENT_SECRET), "another": _client("another secret")}
        state = AuthorizationState(HashBasedSubjectIdentifierFactory("salt"))
        return _Provider(
            _signing_key("provider"),
            configuration,
            state,
            clients,
            Userinfo(self.people),
            extra_scopes={"profile": ["preferred_username", "groups"]},
            lies=self.lies,
        )


class Lies:
    """What of an ID token is not as it should be."""

    def __init__(self) -> None:
        self.audience = ""
        self.nonce = ""
        self.seconds = 3600
        self.issuer = ""
        self.other_key = False
        self.unsigned = False
        # Its own key is no longer published; another one is, under the same name.
        self.withdrawn = False
        self.metadata: dict[str, Any] = {}
        # Whatever it is, in the place of the keys.
        self.keys: Any = None


class _Provider(Provider):  # type: ignore[misc]
    signing_key: Any

    def __init__(self, *args: Any, lies: Lies, **options: Any) -> None:
        super().__init__(*args, **options)
        self._lies = lies
        self._other_key = _signing_key("forger")

    def _create_signed_id_token(
        self, client_id: str, sub: str, user_claims: Any = None, nonce: Any = None, *rest: Any
    ) -> str:
        lies, issuer = self._lies, self.configuration_information["issuer"]
        own_key = self.signing_key
        self.id_token_lifetime = lies.seconds
        self.configuration_information["issuer"] = lies.issuer or issuer
        if lies.other_key:
            self.signing_key = self._other_key
        self.clients[CLIENT_ID]["id_token_signed_response_alg"] = "none" if lies.unsigned else "RS256"
        try:
            made = super()._create_signed_id_token(
                lies.audience or client_id, sub, user_claims, lies.nonce or nonce, *rest
            )
        finally:
            self.signing_key, self.configuration_information["issuer"] = own_key, issuer
        return str(made)


def _client(secret: str) -> dict[str, Any]:
    return {"client_secret": secret, "redirect_uris": _Anywhere(), "response_types": ["code"]}


class _Anywhere(list[Any]):
    """The tests do not know beforehand which port their server listens on."""

    def __contains__(self, address: object) -> bool:
        return urlsplit(str(address)).path == "/sign-in/openid/callback/"


@cache
def _signing_key(owner: str) -> Any:
    """Always under the same name: a forger says that his key is the right one."""
    return RSAKey(key=RSA.generate(2048), kid="signing", alg="RS256", use="sig")


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        provider = self.server.provider
        if address.path == "/.well-known/openid-configuration":
            self._send(200, provider.metadata())
        elif address.path == "/keys":
            self._send(200, provider.keys())
        elif address.path == "/userinfo":
            self._send(200, provider.userinfo(dict(self.headers)))
        elif address.path == "/authorize":
            self.send_response(302)
            self.send_header("Location", provider.authorize(address.query))
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._send(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        try:
            self._send(200, self.server.provider.token(body, dict(self.headers)))
        except OAuthError as error:
            self._send(400, {"error": error.oauth_error, "error_description": str(error)})

    def log_message(self, *args: Any) -> None:
        """The tests say themselves what went wrong."""

    def _send(self, status: int, answer: Any) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    provider: IdentityProvider


@contextmanager
def running_identity_provider(folder: Path) -> Iterator[IdentityProvider]:
    certificate, key = make_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.provider = IdentityProvider(f"https://127.0.0.1:{server.server_port}", certificate)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.provider
        finally:
            server.shutdown()
            thread.join()
