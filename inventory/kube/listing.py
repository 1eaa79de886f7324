"""Whole lists of one kind, chunk by chunk."""

from collections.abc import Callable
from typing import Generic

import msgspec

from inventory.kube.client import JSON, Client
from inventory.kube.decoding import Chunk, ChunkDecoder, Skipped
from inventory.kube.discovery import Served
from inventory.kube.errors import BadAnswerError, ExpiredError
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.refusals import not_an_api_server
from inventory.kube.untrusted import printable

CHUNK = 500
_ATTEMPTS = 3
# A server that does not know the short form sends whole objects; their metadata is read just the same.
_METADATA_ONLY = f"{JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, {JSON}"


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

    `keep` is asked after each chunk, so what it refuses never piles up.
    A continue token that expires on the way (410) starts the list over: what the token of the refusal would
    go on with is another moment, and the books would not balance.
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
    decoder = ChunkDecoder(kind, kind.lift(served))
    path, params = kind.path(served), {"limit": str(limit)}
    objects: list[ObjectT] = []
    skipped: list[Skipped] = []
    size = 0
    while True:
        body = client.get(path, params, _METADATA_ONLY if kind.metadata_only else JSON)
        chunk = _decoded(body, decoder, kind, client.url(path))
        objects += filter(keep, chunk.objects) if keep else chunk.objects
        skipped += chunk.skipped
        size += len(body)
        token = chunk.metadata.continue_
        if not token:
            return Listing(objects, tuple(skipped), printable(chunk.metadata.resource_version), size)
        if token == params.get("continue"):
            raise BadAnswerError(
                f"{client.url(path)} gave the same continue token twice: the list would never end."
            )
        params["continue"] = token


def _decoded(body: bytes, decoder: ChunkDecoder[ObjectT], kind: Kind[ObjectT], url: str) -> Chunk[ObjectT]:
    expected = {f"{kind.kind}List"} | ({"PartialObjectMetadataList"} if kind.metadata_only else set())
    try:
        chunk = decoder.decode(body)
    except msgspec.DecodeError as error:
        raise not_an_api_server(url, f"200 with something that is no {kind.kind}List: {error}") from error
    if chunk.kind not in expected:
        raise not_an_api_server(url, f"200 with a {chunk.kind[:100]!r} where a {kind.kind}List belongs")
    return chunk
