"""Who may ask for what: bearer tokens with their rights."""

from collections.abc import Mapping

import msgspec

from demo import refusals
from demo.resources import Resource

ANONYMOUS = "system:anonymous"
_OPEN_PATHS = frozenset({"/version", "/livez", "/readyz", "/healthz"})


class Grant(msgspec.Struct, frozen=True):
    """The rights of one token. None means all kinds, or all verbs."""

    user: str
    kinds: frozenset[str] | None = None
    verbs: frozenset[str] | None = None

    def covers(self, verb: str, resource: Resource) -> bool:
        return (self.kinds is None or resource.plural in self.kinds) and (
            self.verbs is None or verb in self.verbs
        )


class Access:
    """The grants by token. Without any token the server is open to everyone."""

    def __init__(self, tokens: Mapping[str, Grant] | None = None) -> None:
        self._tokens = dict(tokens or {})

    def identify(self, authorization: str) -> Grant:
        """Raises Refusal for a token that is not known."""
        if not self._tokens:
            return Grant("system:admin")
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            return Grant(ANONYMOUS, frozenset())
        if token.strip() not in self._tokens:
            raise refusals.unauthorized()
        return self._tokens[token.strip()]

    def check(self, grant: Grant, verb: str, resource: Resource, namespace: str, name: str) -> None:
        if not grant.covers(verb, resource):
            raise refusals.forbidden(grant.user, verb, resource, namespace, name)

    def check_path(self, grant: Grant, path: str) -> None:
        """Discovery is for everyone who is known, health and version for everyone."""
        if grant.user == ANONYMOUS and path not in _OPEN_PATHS:
            raise refusals.path_forbidden(grant.user, "get", path)
