"""What can keep Sliceboard from reading a cluster.

`reason` is stable (pages, API and metrics use it); the message is for the operator: where, what, what to do.
No message holds a credential. Servers are quoted, so what no database takes is replaced in every message.
"""

from typing import ClassVar

from inventory.kube.untrusted import printable

_LONGEST = 2000


class ClusterError(Exception):
    """Base of all: one cluster could not be read, others are not concerned.

    `retry_after`: seconds for which the API server asks to be left alone, None when it names no time.
    """

    reason: ClassVar[str]

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(printable(message, _LONGEST))
        self.retry_after = retry_after


class KubeconfigError(ClusterError):
    """The connection cannot even be tried: file, context or credential plugin."""

    reason = "kubeconfig"


class UnreachableError(ClusterError):
    """No connection, or one that broke."""

    reason = "unreachable"


class TlsError(ClusterError):
    """The two sides do not trust or understand each other."""

    reason = "tls"


class TimedOutError(ClusterError):
    """No answer in time, or the API server gave up waiting itself."""

    reason = "timeout"


class UnauthorizedError(ClusterError):
    """401: the credential was not accepted."""

    reason = "unauthorized"


class ForbiddenError(ClusterError):
    """403: the credential is fine, a rule is missing."""

    reason = "forbidden"


class NotServedError(ClusterError):
    """404: the API server does not know the path, group or version."""

    reason = "not_served"


class ExpiredError(ClusterError):
    """410: a continue token or resource version is too old; only a list from the start helps."""

    reason = "expired"


class ThrottledError(ClusterError):
    """429: the API server asks to wait."""

    reason = "throttled"


class ServerError(ClusterError):
    """Any other refusal by the API server."""

    reason = "server_error"


class RejectedError(ServerError):
    """400 or 422: the API server does not take the request as it is put."""


class BadAnswerError(ClusterError):
    """An answer that no API server gives: no JSON, another kind, a redirect."""

    reason = "bad_answer"
