"""An HTTP answer that is not 200, as one of our errors with advice for the operator."""

from collections.abc import Mapping

import msgspec

from inventory.kube import errors

_QUOTED = 300


class Status(msgspec.Struct, frozen=True):
    """The metav1.Status object that an API server refuses with."""

    kind: str = ""
    message: str = ""
    reason: str = ""
    code: int = 0


def refusal(
    url: str, path: str, code: int, headers: Mapping[str, str], body: bytes, verb: str = "list"
) -> errors.ClusterError:
    """`url` is the address without credentials or query, `path` its part that names the API."""
    said = said_by_the_server(body)
    where = f"{url} answered {code}: {said}"
    wait = retry_after_seconds(headers)
    if _status(body).reason in _EXPIRED:
        code = 410
    match code:
        case 400 | 422:
            return errors.RejectedError(f"{where}. {_OWN_LOG}")
        case 401:
            return errors.UnauthorizedError(f"{where}. {_RENEW}")
        case 403:
            return errors.ForbiddenError(f"{where}. {rule_to_grant(path, verb)}")
        case 404:
            return errors.NotServedError(f"{where}. This API server does not serve {path}.")
        case 408 | 504:
            return errors.TimedOutError(
                f"{where}. The API server was too slow; the next poll tries again.", wait
            )
        case 410:
            return errors.ExpiredError(f"{where}. The list has to start over.")
        case 429:
            return errors.ThrottledError(f"{where}. {_SLOWER}", wait)
        case _ if 300 <= code < 400:
            return errors.BadAnswerError(f"{url} answered {code}, a redirect. {_NO_API_SERVER}")
        case _:
            return errors.ServerError(f"{where}. {_OWN_LOG}", wait)


# As the API server also calls what is 410: in events of a watch it is not always numbered.
_EXPIRED = ("Expired", "Gone")
_TOO_SLOW = "The API server was too slow; the next poll tries again."
_OWN_LOG = "The API server's own log tells more."

_RENEW = (
    "The API server does not accept this credential: renew the token or client certificate, "
    "or run the credential plugin of the kubeconfig by hand to see what it says."
)
_SLOWER = (
    "The API server asks for fewer requests: lengthen the poll interval, or give Sliceboard a priority level "
    "of its own there."
)
_NO_API_SERVER = (
    "This does not look like a Kubernetes API server, rather like a sign-in page or proxy in front of it: "
    "check `server` in the kubeconfig."
)


def not_an_api_server(url: str, found: str) -> errors.BadAnswerError:
    return errors.BadAnswerError(f"{url} answered {found}. {_NO_API_SERVER}")


def said_by_the_server(body: bytes) -> str:
    """The message of a Status; of any other body its beginning, on one line."""
    status = _status(body)
    return _one_line(status.message or status.reason or body.decode(errors="replace")) or "nothing"


def refusal_in_a_watch(url: str, path: str, status: bytes) -> errors.ClusterError:
    """What an event of type ERROR says: an answer that began with 200 cannot be refused otherwise."""
    return refusal(url, path, _status(status).code, {}, status, verb="watch")


def _status(body: bytes) -> Status:
    try:
        return msgspec.json.decode(body, type=Status)
    except (msgspec.MsgspecError, RecursionError):
        return Status()


def rule_to_grant(path: str, verb: str = "list") -> str:
    """Which RBAC rule a refused request needs."""
    group, resource = _group_and_resource(path)
    if not resource:
        return (
            f'Grant the verb "get" on the non-resource URL {path}: the ClusterRole system:discovery has it.'
        )
    return f'Grant the verb "{verb}" on "{resource}" in API group "{group}" in the ClusterRole of Sliceboard.'


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """API servers send whole seconds; a date, which only proxies send, is not read."""
    text = headers.get("Retry-After", "").strip()
    return float(text) if text.isascii() and text.isdecimal() else None


def _group_and_resource(path: str) -> tuple[str, str]:
    match path.strip("/").split("/"):
        case ["api", _, resource] | ["api", _, "namespaces", _, resource]:
            return "", resource
        case ["apis", group, _, resource] | ["apis", group, _, "namespaces", _, resource]:
            return group, resource
        case _:
            return "", ""


def _one_line(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _QUOTED else line[:_QUOTED] + "…"
