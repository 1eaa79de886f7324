"""The official client library's configuration of one connection: credentials, CA, proxies, connection pool.

The only module that imports `kubernetes`.
"""

import ipaddress
import os

import urllib3
from kubernetes.client import Configuration
from kubernetes.client.rest import RESTClientObject
from kubernetes.config import ConfigException, load_incluster_config, load_kube_config

from inventory.kube.credential import plugin_error, plugin_failures
from inventory.kube.errors import KubeconfigError
from inventory.kube.kubeconfig import Selection

# One for each kind that is watched, and some for what is asked meanwhile. More are opened where needed, and
# then not kept.
_CONNECTIONS_KEPT = 16


def of_service_account() -> Configuration:
    """The Pod's own account. Raises KubeconfigError."""
    configuration = Configuration()
    try:
        load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
    except (ConfigException, OSError) as error:
        raise KubeconfigError(
            f"Not inside a cluster: {error} Run Sliceboard in a Pod with a service account token, "
            "or give it a kubeconfig."
        ) from None
    return configuration


def of_selection(selection: Selection) -> Configuration:
    """One context of a kubeconfig; runs its credential plugin. Raises KubeconfigError."""
    configuration = Configuration()
    with plugin_failures() as failures:
        try:
            _load(selection, configuration)
        # Whatever it is: the library answers odd entries with any exception, and some texts quote the token.
        except Exception as error:
            raise KubeconfigError(f"The {selection} cannot be used: {_told(error)}.") from None
    if failures.texts or (selection.plugin and not _has_credential(configuration)):
        raise plugin_error(str(selection), selection.plugin, failures)
    _leave_loopback_alone(configuration, selection)
    return configuration


def authorization(configuration: Configuration) -> str | None:
    """The Authorization header; renews a token whose time is over."""
    return configuration.get_api_key_with_prefix("BearerToken", alias="authorization")


def pool_of(configuration: Configuration, origin: str) -> urllib3.PoolManager:
    """Raises KubeconfigError for a proxy that cannot be used."""
    try:
        _sign_in_at_the_proxy(configuration)
        configuration.connection_pool_maxsize = _CONNECTIONS_KEPT
        return RESTClientObject(configuration).pool_manager
    except (urllib3.exceptions.HTTPError, ValueError, ImportError) as error:
        raise KubeconfigError(
            f"The proxy of {origin} cannot be used ({type(error).__name__}): expected http://host:port or "
            "https://host:port; a SOCKS proxy needs the package PySocks."
        ) from None


def _load(selection: Selection, configuration: Configuration) -> None:
    load_kube_config(  # type: ignore[no-untyped-call]
        config_file=os.pathsep.join(selection.paths),
        context=selection.context,
        client_configuration=configuration,
        # A renewed OIDC token goes back to the file as with kubectl, unless it is mounted read-only.
        persist_config=all(os.access(path, os.W_OK) for path in selection.paths),
    )


def _told(error: Exception) -> str:
    text = str(error)
    safe = text.startswith(("File does not exist: ", "[Errno "))
    return text if safe else f"an entry is not as Kubernetes defines it ({type(error).__name__})"


def _has_credential(configuration: Configuration) -> bool:
    return bool(configuration.api_key or configuration.cert_file)


def _leave_loopback_alone(configuration: Configuration, selection: Selection) -> None:
    """As Go clients do: a proxy from the environment is not asked for this machine itself."""
    host = urllib3.util.parse_url(configuration.host).host or ""
    if not selection.proxy_url and _is_loopback(host.strip("[]")):
        configuration.proxy = None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _sign_in_at_the_proxy(configuration: Configuration) -> None:
    """urllib3 leaves a user and password in the proxy's URL unused."""
    sign_in = urllib3.util.parse_url(configuration.proxy).auth if configuration.proxy else None
    if sign_in and not configuration.proxy_headers:
        configuration.proxy_headers = urllib3.util.make_headers(proxy_basic_auth=sign_in)
