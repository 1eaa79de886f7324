from contextlib import closing

from inventory.kube import kinds
from inventory.kube.objects import Metadata, Namespace, ResourceClaim
from inventory.sync.spool import Spool


def _namespace(number: int) -> Namespace:
    return Namespace(metadata=Metadata(name=f"n-{number}", uid=str(number), labels={"text": "\u4e2d" * 50}))


def test_chunks_come_back_as_they_were_put_there_as_often_as_asked() -> None:
    with closing(Spool(kinds.NAMESPACES)) as spool:
        chunks = [[_namespace(number) for number in range(start, start + 500)] for start in (0, 500)]
        for chunk in chunks:
            spool.put(chunk)
        assert list(spool.chunks()) == chunks
        assert list(spool.chunks()) == chunks
        assert spool.count == 1000


def test_what_does_not_fit_into_memory_lies_on_disk() -> None:
    with closing(Spool(kinds.NAMESPACES)) as spool:
        chunks = [
            [_namespace(number) for number in range(start, start + 500)] for start in range(0, 10_000, 500)
        ]
        for chunk in chunks:
            spool.put(chunk)
        assert list(spool.chunks()) == chunks


def test_an_empty_chunk_is_none() -> None:
    with closing(Spool(kinds.NAMESPACES)) as spool:
        spool.put([])
        assert list(spool.chunks()) == []


def test_numbers_beyond_64_bits_survive() -> None:
    claim = ResourceClaim(metadata=Metadata(name="c", uid="u"), spec={"opaque": 10**40})
    with closing(Spool(kinds.RESOURCE_CLAIMS)) as spool:
        spool.put([claim])
        assert list(spool.chunks()) == [[claim]]
