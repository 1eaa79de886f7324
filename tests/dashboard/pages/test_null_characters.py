"""PostgreSQL takes no text with a null character: it is refused before it gets there."""

import pytest

from tests.dashboard.pages.conftest import Get
from tests.factories import make_cluster

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path",
    [
        "/search?q=%00",
        "/devices/?product=%00",
        "/devices/named/?cluster=a%00b&driver=d&pool=p&device=n",
        "/devices/named/?cluster=lab&driver=d&pool=p&device=%00",
        "/nodes/?q=%00",
        "/nodes/largest/?product=%00",
        "/nodes/largest/?cluster=%00",
        "/claims/?namespace=%00",
        "/?cluster=%00",
    ],
)
def test_a_query_with_one_is_refused(read: Get, path: str) -> None:
    make_cluster("lab")
    assert "a name has no null character" in read(path, 400)


@pytest.mark.parametrize(
    "path", ["/nodes/lab/%00/", "/nodes/%00/node-1/", "/clusters/%00/", "/devices/at/%00/"]
)
def test_an_address_with_one_leads_nowhere(read: Get, path: str) -> None:
    make_cluster("lab")
    assert "No name has a null character." in read(path, 404)
