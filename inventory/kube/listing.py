"""Whole lists of one kind, and single objects."""

import logging
import re
from collections.abc import Iterator

from inventory.kube import streamedlist
from inventory.kube.client import Client
from inventory.kube.decoding import Chunk
from inventory.kube.discovery import Served
from inventory.kube.errors import ForbiddenError, RejectedError
from inventory.kube.kinds import Kind, ObjectT
from inventory.kube.pages import pages
from inventory.kube.streaming import Stream

logger = logging.getLogger(__name__)

CHUNK = 500
_NAME = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")


def list_chunks(
    client: Client,
    kind: Kind[ObjectT],
    served: Served,
    *,
    limit: int = CHUNK,
    exactly_at: str = "",
    streaming: bool = True,
) -> Iterator[Chunk[ObjectT]]:
    """All objects of a kind. Raises ClusterError, after which the chunks before it are no list either.

    `exactly_at`: as it was at a resource version. `streaming`: as a streaming list where the API server has
    it, else page by page. ExpiredError: the list has to start over, since what a continue token would go on
    with is another moment, and the books would not balance.
    """
    stream = _opened(client, kind, served) if streaming and not exactly_at else None
    if stream is not None:
        yield from streamedlist.chunks(stream, client, kind, served, limit)
        return
    exact = {"resourceVersion": exactly_at, "resourceVersionMatch": "Exact"} if exactly_at else {}
    yield from pages(client, kind, served, {"limit": str(limit), **exact})


def _opened(client: Client, kind: Kind[ObjectT], served: Served) -> Stream | None:
    """None where the list has to be read in pages."""
    if not served.streams_lists():
        return None
    try:
        return streamedlist.open_list(client, kind, served)
    # The gate WatchList is off; or the role may list and not watch.
    except (RejectedError, ForbiddenError) as error:
        logger.info("read in pages kind=%s reason=%s message=%s", kind.resource, error.reason, error)
        return None


def find_named(
    client: Client, kind: Kind[ObjectT], served: Served, namespace: str, name: str
) -> ObjectT | None:
    """One object by its name, read as a list, for which the role needs no further verb. Raises ClusterError.

    None: there is none, or it is malformed. What cannot be a name, as in a reference that somebody wrote by
    hand, is not asked for: a comma in it would begin another condition.
    """
    if not _NAME.fullmatch(name) or (namespace and not _NAME.fullmatch(namespace)):
        return None
    selector = {"fieldSelector": f"metadata.name={name}"}
    for chunk in pages(client, kind, served, selector, namespace):
        for found in chunk.objects:
            if (found.metadata.namespace, found.metadata.name) == (namespace, name):
                return found
    return None
