"""One listing of all claims by one client; prints one JSON object. Run by `benchmarks.clients`."""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

from inventory.kube import kinds
from inventory.kube.connection import Source, connect
from inventory.kube.discovery import discover
from inventory.kube.listing import list_chunks

_LIMIT = 500


def ours(kubeconfig: str, *, streaming: bool) -> tuple[float, int]:
    """Seconds, and how many there were."""
    with connect(Source(kubeconfig)) as client:
        began = time.perf_counter()
        served = discover(client)
        chunks = list_chunks(client, kinds.RESOURCE_CLAIMS, served, limit=_LIMIT, streaming=streaming)
        count = sum(len(chunk.objects) for chunk in chunks)
        return time.perf_counter() - began, count


def official(kubeconfig: str) -> tuple[float, int]:
    from kubernetes import client, config

    new_client: Callable[[str], Any] = config.new_client_from_config

    with new_client(kubeconfig) as connection:
        api = client.ResourceV1Api(connection)
        began, count, token = time.perf_counter(), 0, None
        while True:
            page: Any = api.list_resource_claim_for_all_namespaces(limit=_LIMIT, _continue=token)
            count += len(page.items)
            token = page.metadata._continue
            if not token:
                return time.perf_counter() - began, count


_CLIENTS: dict[str, Callable[[str], tuple[float, int]]] = {
    "streamed": lambda kubeconfig: ours(kubeconfig, streaming=True),
    "paged": lambda kubeconfig: ours(kubeconfig, streaming=False),
    "official": official,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kubeconfig")
    parser.add_argument("client", choices=_CLIENTS)
    arguments = parser.parse_args()
    wall, objects = _CLIENTS[arguments.client](arguments.kubeconfig)
    print(json.dumps({"wall": wall, "objects": objects}))


if __name__ == "__main__":
    main()
