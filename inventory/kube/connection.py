"""From "which cluster" to a client for it."""

import msgspec

from inventory.kube.client import Client, Timeouts
from inventory.kube.credential import Credential
from inventory.kube.kubeconfig import select


class Source(msgspec.Struct, frozen=True):
    """Where the access to a cluster comes from.

    `kubeconfig` and `context` empty: what kubectl would use. `in_cluster`: the Pod's own service account.
    """

    kubeconfig: str = ""
    context: str = ""
    in_cluster: bool = False


def connect(source: Source, timeouts: Timeouts | None = None) -> Client:
    """A client for the cluster; no request is made yet. Raises KubeconfigError."""
    # Importing the client library takes a second or two; web processes never need it.
    from inventory.kube import configuration as official

    if source.in_cluster:
        configuration, origin, plugin = official.of_service_account(), "the Pod's service account", ""
    else:
        selection = select(source.kubeconfig, source.context)
        configuration, origin, plugin = official.of_selection(selection), str(selection), selection.plugin
    credential = Credential(lambda: official.authorization(configuration), origin, plugin)
    pool = official.pool_of(configuration, origin)
    return Client(pool, configuration.host, credential, timeouts or Timeouts())
