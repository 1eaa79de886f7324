"""Objects that wait on disk for the transaction that writes them.

A list of 50,000 claims must be complete before the first row of it is written, and a worker has no memory for
all of them. They are kept in the form in which they are used, a few hundred bytes each.
"""

import struct
import tempfile
from collections.abc import Iterator, Sequence
from typing import Generic

import msgspec

from inventory.kube.kinds import Kind, ObjectT

# Up to here they stay in memory all the same: most clusters are small.
_IN_MEMORY = 2 * 2**20
_LENGTH = struct.Struct("<Q")


class Spool(Generic[ObjectT]):
    """Chunks of objects of one kind, in the order in which they were put there."""

    def __init__(self, kind: Kind[ObjectT]) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, prefix="sliceboard-")  # noqa: SIM115
        self._decoder = msgspec.json.Decoder(list[kind.struct])  # type: ignore[name-defined]
        self.count = 0

    def put(self, objects: Sequence[ObjectT]) -> None:
        if objects:
            # Not in a shorter binary form: what drivers publish may hold numbers beyond 64 bits.
            body = msgspec.json.encode(objects)
            self._file.write(_LENGTH.pack(len(body)))
            self._file.write(body)
            self.count += len(objects)

    def chunks(self) -> Iterator[list[ObjectT]]:
        """From the beginning, each time it is asked."""
        self._file.seek(0)
        while length := self._file.read(_LENGTH.size):
            yield self._decoder.decode(self._file.read(_LENGTH.unpack(length)[0]))

    def close(self) -> None:
        self._file.close()
