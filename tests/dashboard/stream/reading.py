"""Reading a stream of events, whole or as it comes."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    name: str
    id: str
    content: dict[str, Any]

    @property
    def change(self) -> tuple[str, str]:
        """Of a share: what happened, and the claim."""
        return self.content["change"], self.content["share"]["claim"]["name"]


def events_of(lines: Iterable[str]) -> Iterator[Event]:
    """As a browser understands them: comments and `retry` are passed over."""
    fields: dict[str, str] = {}
    for line in lines:
        if line.strip():
            name, _, value = line.rstrip("\n").partition(": ")
            fields[name] = value
            continue
        if "data" in fields:
            yield Event(fields["event"], fields["id"], json.loads(fields["data"]))
        fields = {}


def text_events(response: Any) -> list[Event]:
    """Of an answer that is there as a whole."""
    return list(events_of(b"".join(response.streaming_content).decode().splitlines(keepends=True)))
