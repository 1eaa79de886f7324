import time
from collections.abc import Callable, Iterator

import pytest

from demo import recorded
from demo.server import ApiServer


@pytest.fixture(scope="session")
def recorded_url() -> Iterator[str]:
    with ApiServer(recorded.store()) as server:
        yield server.url


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits for something to come true, and fails when it does not within 20 seconds."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < deadline, "it did not come true"
            time.sleep(0.01)

    return wait
