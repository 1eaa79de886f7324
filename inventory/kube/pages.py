"""A list read page by page, each with the token that leads to the next."""

from collections.abc import Iterator, Mapping

import msgspec

from inventory.kube.client import JSON, Client
from inventory.kube.decoding import Chunk, ChunkDecoder
from inventory.kube.discovery import Served
from inventory.kube.errors import BadAnswerError
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.refusals import not_an_api_server

# A server that does not know the short form sends whole objects; their metadata is read just the same.
_METADATA_ONLY = f"{JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, {JSON}"
# A continue token names the version itself; an API server refuses another one beside it.
_OF_THE_FIRST = ("resourceVersion", "resourceVersionMatch")


def pages(
    client: Client, kind: Kind[ObjectT], served: Served, params: Mapping[str, str], namespace: str = ""
) -> Iterator[Chunk[ObjectT]]:
    """`params` are those of the first request. Every chunk has the resource version of the list."""
    decoder = ChunkDecoder(kind, kind.lift(served))
    path, asked = kind.path(served, namespace), dict(params)
    while True:
        body = client.get(path, asked, _METADATA_ONLY if kind.metadata_only else JSON)
        chunk = _decoded(body, decoder, kind, client.url(path))
        yield chunk
        token = chunk.metadata.continue_
        if not token:
            return
        if token == asked.get("continue"):
            raise BadAnswerError(
                f"{client.url(path)} gave the same continue token twice: the list would never end."
            )
        asked = {name: value for name, value in params.items() if name not in _OF_THE_FIRST}
        asked["continue"] = token


def _decoded(body: bytes, decoder: ChunkDecoder[ObjectT], kind: Kind[ObjectT], url: str) -> Chunk[ObjectT]:
    expected = {f"{kind.kind}List"} | ({"PartialObjectMetadataList"} if kind.metadata_only else set())
    try:
        chunk = decoder.decode(body)
    except msgspec.DecodeError as error:
        raise not_an_api_server(url, f"200 with something that is no {kind.kind}List: {error}") from error
    if chunk.kind not in expected:
        raise not_an_api_server(url, f"200 with a {chunk.kind[:100]!r} where a {kind.kind}List belongs")
    return chunk
