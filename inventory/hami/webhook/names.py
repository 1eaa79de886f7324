"""How the webhook names a claim.

Where a part is random, the name shows a placeholder for it; what is cut off, is cut off as if the random
characters stood there.
"""

import re
from hashlib import sha256

# Of k8s.io/apimachinery's rand.String: any five of them.
RANDOM_LENGTH = 5
_HASH_LENGTH = 8
_LONGEST = 63
_KEPT = _LONGEST - _HASH_LENGTH - 1
_UNKNOWN_HASH = f"<hash{_HASH_LENGTH}>"
_PLACEHOLDER = re.compile(r"<(?:rand|hash)(\d)>")


def claim_name(namespace: str, pod: str, container: str, suffix: str) -> str:
    """A Pod without a name has a random part instead, which only the creation of the claim decides."""
    head, tail = f"{namespace}-", f"-{container}" + (f"-{suffix}" if suffix else "")
    if pod:
        return _shortened(head + pod + tail)
    return _shortened_around(head, tail)


def unbounded_name(namespace: str, pod: str, container: str) -> str:
    return f"{namespace}-{pod}-{container}"


def is_random(name: str) -> bool:
    return _PLACEHOLDER.search(name) is not None


def sample(name: str) -> str:
    """The name with characters that may come in place of each placeholder."""
    return _PLACEHOLDER.sub(lambda match: "b" * int(match[1]), name)


def _shortened(name: str) -> str:
    written = name.encode()
    if len(written) <= _LONGEST:
        return name
    return _cut(written, sha256(written).hexdigest()[:_HASH_LENGTH])


def _shortened_around(head: str, tail: str) -> str:
    random = f"<rand{RANDOM_LENGTH}>"
    length = len(head.encode()) + RANDOM_LENGTH + len(tail.encode())
    if length <= _LONGEST:
        return head + random + tail
    left = _KEPT - len(head.encode())
    if left <= 0:
        return _cut(head.encode(), _UNKNOWN_HASH)
    if left < RANDOM_LENGTH:
        return f"{head}<rand{left}>-{_UNKNOWN_HASH}"
    return head + random + _trimmed(tail.encode()[: left - RANDOM_LENGTH]) + f"-{_UNKNOWN_HASH}"


def _cut(written: bytes, hash_: str) -> str:
    start = _trimmed(written[:_KEPT])
    return f"{start}-{hash_}" if start else hash_


def _trimmed(written: bytes) -> str:
    return written.rstrip(b"-").decode(errors="replace")
