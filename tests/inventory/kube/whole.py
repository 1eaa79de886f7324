"""Whole lists in memory, as tests compare them."""

from collections.abc import Callable
from typing import Generic

import msgspec

from inventory.kube.client import Client
from inventory.kube.decoding import Skipped
from inventory.kube.discovery import Served
from inventory.kube.errors import ExpiredError
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.listing import CHUNK, list_chunks

_ATTEMPTS = 3


class Listing(msgspec.Struct, Generic[ObjectT], frozen=True):
    """A complete list; an incomplete one is never returned.

    `bytes` is the size of all bodies, decompressed. `resource_version` is where a watch would go on.
    """

    objects: list[ObjectT]
    skipped: tuple[Skipped, ...]
    resource_version: str
    bytes: int


def list_all(
    client: Client,
    kind: Kind[ObjectT],
    served: Served,
    keep: Callable[[ObjectT], bool] | None = None,
    limit: int = CHUNK,
) -> Listing[ObjectT]:
    """All objects of a kind for which `keep` holds, in the cluster's order. Raises ClusterError.

    `keep` is asked after each chunk, so what it refuses never piles up. A list that expires on the way starts
    over.
    """
    for _ in range(_ATTEMPTS):
        try:
            return _list_once(client, kind, served, keep, limit)
        except ExpiredError as error:
            last = error
    raise ExpiredError(
        f"The list of {kind.resource} at {client.url(kind.path(served))} expired {_ATTEMPTS} times before it "
        "was complete: it is read too slowly for the API server, which keeps a moment for some minutes. "
        "Look at the network between the two and at their load."
    ) from last


def _list_once(
    client: Client, kind: Kind[ObjectT], served: Served, keep: Callable[[ObjectT], bool] | None, limit: int
) -> Listing[ObjectT]:
    objects: list[ObjectT] = []
    skipped: list[Skipped] = []
    size, resource_version = 0, ""
    for chunk in list_chunks(client, kind, served, limit=limit, streaming=False):
        objects += filter(keep, chunk.objects) if keep else chunk.objects
        skipped += chunk.skipped
        size += chunk.bytes
        resource_version = chunk.resource_version
    return Listing(objects, tuple(skipped), resource_version, size)
