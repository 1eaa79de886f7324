"""Continue tokens: where a chunked list goes on, and at which revision it is read."""

import base64
import binascii
import posixpath
import string

import msgspec

from demo.refusals import Refusal, bad_request
from demo.store import Key

LATEST = -1
_VERSION = "meta.k8s.io/v1"
_ALPHABET = frozenset(string.ascii_letters + string.digits + "-_")


class _Token(msgspec.Struct):
    v: str = ""
    rv: int = 0
    start: str = ""


class Continuation(msgspec.Struct, frozen=True):
    """The rest of a list, from the first key that is not below `start`."""

    revision: int
    start: Key


def encode(revision: int, after: Key, within: str) -> str:
    """The token that goes on behind a key; `within` is the namespace of a list of one namespace."""
    namespace, name = after
    path = f"/{namespace}/{name}" if namespace and not within else f"/{name}"
    text = msgspec.json.encode(_Token(_VERSION, revision, path + "\x00"))
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def decode(token: str, within: str, *, namespaced: bool) -> Continuation:
    """Raises Refusal with what an API server says of a token that it has not made."""
    try:
        read = msgspec.json.decode(_from_base64(token), type=_Token)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _refusal(f"continue key is not valid: {error}") from error
    if read.v != _VERSION:
        raise _refusal(
            f'continue key is not valid: server does not recognize this encoded version "{read.v}"'
        )
    if read.rv == 0:
        raise _refusal(
            f"continue key is not valid: incorrect encoded start resourceVersion (version {_VERSION})"
        )
    if not read.start:
        raise _refusal(f"continue key is not valid: encoded start key empty (version {_VERSION})")
    return Continuation(read.rv, _start_key(read.start, within, namespaced=namespaced))


def renewed(token: str, within: str) -> str:
    """The same place in the list, to be read at the latest revision: what a 410 offers."""
    read = msgspec.json.decode(_from_base64(token), type=_Token)
    parts = read.start.rstrip("\x00").strip("/").split("/")
    return encode(LATEST, (parts[0] if len(parts) == 2 else "", parts[-1]), within)


def _from_base64(token: str) -> bytes:
    """Unpadded URL alphabet, with the position of the first fault told as Go tells it."""
    wrong = next((at for at, letter in enumerate(token) if letter not in _ALPHABET), None)
    if wrong is None and len(token) % 4 == 1:
        wrong = len(token) - 1
    if wrong is not None:
        raise _refusal(f"continue key is not valid: illegal base64 data at input byte {wrong}")
    try:
        return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except binascii.Error as error:
        raise _refusal(f"continue key is not valid: {error}") from error


def _start_key(start: str, within: str, *, namespaced: bool) -> Key:
    path = start if start.startswith("/") else f"/{start}"
    parts = path[1:].split("/")
    expected = 2 if namespaced and not within else 1
    if posixpath.normpath(path) != path or len(parts) != expected:
        raise _refusal(f"continue key is not valid: {start}")
    return (parts[0], parts[1]) if expected == 2 else (within, parts[0])


def _refusal(message: str) -> Refusal:
    return bad_request(f"invalid continue token: {message}")
