"""What urllib3 raises when no answer comes, as one of our errors with advice for the operator."""

import re

import urllib3.exceptions as http

from inventory.kube import errors

_CHECK_SERVER = (
    "Check that the API server runs and that `server` in the kubeconfig is right, from where the worker runs."
)


def failure(url: str, error: Exception) -> errors.ClusterError:
    """`url` is the address without credentials or query."""
    match error:
        case http.ProxyError():
            return errors.UnreachableError(
                f"Cannot reach {url} through the proxy: {_cause(error)}. "
                "Check proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY."
            )
        case http.SSLError():
            return errors.TlsError(f"No TLS connection to {url}: {_cause(error)}. {_tls_advice(str(error))}")
        case http.NameResolutionError():
            return errors.UnreachableError(
                f"The host name of {url} is not known: {_cause(error)}. {_CHECK_SERVER}"
            )
        case http.NewConnectionError():
            return errors.UnreachableError(f"Cannot connect to {url}: {_cause(error)}. {_CHECK_SERVER}")
        case http.TimeoutError():
            return errors.TimedOutError(f"{url} did not answer in time: {_cause(error)}. {_CHECK_SERVER}")
        case _:
            return errors.UnreachableError(
                f"The connection to {url} broke: {_cause(error)}. The next poll tries again; if it stays, "
                "look at the API server and at proxies or load balancers before it."
            )


_OTHER_NAME = (
    "The certificate is for another name: correct `server`, or set tls-server-name in the kubeconfig."
)
_TLS_ADVICE = {
    "hostname mismatch": _OTHER_NAME,
    "IP address mismatch": _OTHER_NAME,
    "certificate has expired": "The API server's certificate has expired: renew it there.",
    "CERTIFICATE_VERIFY_FAILED": (
        "Set certificate-authority or certificate-authority-data of the cluster in the kubeconfig "
        "to the CA that signed the API server's certificate."
    ),
    "CERTIFICATE_REQUIRED": "It wants a client certificate: set client-certificate and client-key.",
    "EOF occurred": "It broke off the handshake: it may want a client certificate, or is no TLS server.",
    "WRONG_VERSION_NUMBER": "It does not speak TLS: check scheme and port of `server` in the kubeconfig.",
    "KEY_VALUES_MISMATCH": "client-certificate and client-key in the kubeconfig do not belong together.",
}
_OTHER_TLS_ADVICE = (
    "Check certificate-authority, client-certificate and client-key in the kubeconfig: each has to be PEM."
)

# Where in Python's own sources an error was found.
_OF_PYTHON = re.compile(r"\s*\(_ssl\.c:\d+\)")


def _tls_advice(said: str) -> str:
    return next(
        (advice for sign, advice in _TLS_ADVICE.items() if sign.lower() in said.lower()), _OTHER_TLS_ADVICE
    )


def _cause(error: BaseException) -> str:
    """The innermost cause in the words of the operating system, where there is one."""
    while (inner := _inner(error)) is not None:
        error = inner
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _OF_PYTHON.sub("", said).rstrip(".") or type(error).__name__


def _inner(error: BaseException) -> BaseException | None:
    named = error.__cause__ or error.__context__
    if named is not None:
        return named
    return next((part for part in error.args if isinstance(part, BaseException)), None)
