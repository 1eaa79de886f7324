"""One measured process of the benchmarks; prints one JSON object. Run by `benchmarks.surroundings`."""

import argparse
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import django

Measure = Callable[[Path], dict[str, Any]]


def _measures(seconds: float) -> Mapping[str, Measure]:
    """They import models, so Django has to be set up before."""
    from benchmarks import events, floor, following, full

    return {
        "full": full.full,
        "floor": floor.floor,
        "unchanged": following.unchanged,
        "changed": following.changed,
        "events": events.events,
        "latency": partial(following.latency, seconds=seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=0)
    arguments = parser.parse_args()
    django.setup()
    print(json.dumps(_measures(arguments.seconds)[arguments.what](arguments.folder)))


if __name__ == "__main__":
    main()
