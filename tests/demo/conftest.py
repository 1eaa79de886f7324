from collections.abc import Iterator

import pytest

from demo import recorded
from demo.server import ApiServer


@pytest.fixture(scope="session")
def recorded_url() -> Iterator[str]:
    with ApiServer(recorded.store()) as server:
        yield server.url
