import threading

import pytest
from django.db import connection

from inventory.models import Cluster
from inventory.snapshot import snapshot
from tests.factories import make_cluster


@pytest.mark.django_db(transaction=True)
def test_a_reader_sees_none_of_what_is_committed_meanwhile() -> None:
    if "mode=memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("SQLite in memory locks whole tables; a file and PostgreSQL do not")
    make_cluster("first")
    with snapshot():
        assert Cluster.objects.count() == 1
        _in_another_connection("second")
        assert Cluster.objects.count() == 1
    assert Cluster.objects.count() == 2


@pytest.mark.django_db
def test_inside_a_transaction_it_is_that_one() -> None:
    with snapshot():
        make_cluster("first")
    assert connection.in_atomic_block
    assert Cluster.objects.count() == 1


def _in_another_connection(name: str) -> None:
    def write() -> None:
        make_cluster(name)
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    writer.join()
