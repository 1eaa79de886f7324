"""From "which cluster" to a client for it, through the official client library's configuration.

The only module that imports `kubernetes`, and only when a connection is made: the import takes a second.
"""

import ipaddress
import os
from typing import TYPE_CHECKING

import msgspec
import urllib3

from inventory.kube.client import Client, Timeouts
from inventory.kube.credential import Credential, plugin_error, plugin_failures
from inventory.kube.errors import KubeconfigError
from inventory.kube.kubeconfig import Selection, select

if TYPE_CHECKING:
    from kubernetes.client import Configuration


class Source(msgspec.Struct, frozen=True):
    """Where the access to a cluster comes from.

    `kubeconfig` and `context` empty: what kubectl would use. `in_cluster`: the Pod's own service account.
    """

    kubeconfig: str = ""
    context: str = ""
    in_cluster: bool = False


def connect(source: Source, timeouts: Timeouts | None = None) -> Client:
    """A client for the cluster; no request is made yet. Raises KubeconfigError."""
    from kubernetes.client import Configuration

    configuration = Configuration()
    origin, plugin = _load(source, configuration)
    credential = Credential(lambda: _authorization(configuration), origin, plugin)
    return Client(_pool(configuration, origin), configuration.host, credential, timeouts or Timeouts())


def _load(source: Source, configuration: "Configuration") -> tuple[str, str]:
    if source.in_cluster:
        _load_service_account(configuration)
        return "the Pod's service account", ""
    selection = select(source.kubeconfig, source.context)
    _load_selection(selection, configuration)
    _leave_loopback_alone(configuration, selection)
    return str(selection), selection.plugin


def _load_service_account(configuration: "Configuration") -> None:
    from kubernetes.config import ConfigException, load_incluster_config

    try:
        load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
    except (ConfigException, OSError) as error:
        raise KubeconfigError(
            f"Not inside a cluster: {error} Run Sliceboard in a Pod with a service account token, or give a kubeconfig."
        ) from None


def _load_selection(selection: Selection, configuration: "Configuration") -> None:
    from kubernetes.config import load_kube_config

    with plugin_failures() as failures:
        try:
            load_kube_config(  # type: ignore[no-untyped-call]
                config_file=os.pathsep.join(selection.paths),
                context=selection.context,
                client_configuration=configuration,
                # A renewed OIDC token goes back to the file as with kubectl, unless it is mounted read-only.
                persist_config=all(os.access(path, os.W_OK) for path in selection.paths),
            )
        # Whatever it is: the library answers odd entries with any exception, and some texts quote the token.
        except Exception as error:
            raise KubeconfigError(f"The {selection} cannot be used: {_told(error)}.") from None
    if failures.texts or (selection.plugin and not _has_credential(configuration)):
        raise plugin_error(str(selection), selection.plugin, failures)


def _told(error: Exception) -> str:
    text = str(error)
    safe = text.startswith(("File does not exist: ", "[Errno "))
    return text if safe else f"an entry is not as Kubernetes defines it ({type(error).__name__})"


def _has_credential(configuration: "Configuration") -> bool:
    return bool(configuration.api_key or configuration.cert_file)


def _leave_loopback_alone(configuration: "Configuration", selection: Selection) -> None:
    """As Go clients do: a proxy from the environment is not asked for this machine itself."""
    host = urllib3.util.parse_url(configuration.host).host or ""
    if not selection.proxy_url and _is_loopback(host.strip("[]")):
        configuration.proxy = None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _authorization(configuration: "Configuration") -> str | None:
    return configuration.get_api_key_with_prefix("BearerToken", alias="authorization")


def _pool(configuration: "Configuration", origin: str) -> urllib3.PoolManager:
    from kubernetes.client.rest import RESTClientObject

    try:
        _sign_in_at_the_proxy(configuration)
        return RESTClientObject(configuration).pool_manager
    except (urllib3.exceptions.HTTPError, ValueError, ImportError) as error:
        raise KubeconfigError(
            f"The proxy of {origin} cannot be used ({type(error).__name__}): expected http://host:port or "
            "https://host:port; SOCKS proxies need the package PySocks."
        ) from None


def _sign_in_at_the_proxy(configuration: "Configuration") -> None:
    """urllib3 leaves a user and password in the proxy's URL unused."""
    sign_in = urllib3.util.parse_url(configuration.proxy).auth if configuration.proxy else None
    if sign_in and not configuration.proxy_headers:
        configuration.proxy_headers = urllib3.util.make_headers(proxy_basic_auth=sign_in)
