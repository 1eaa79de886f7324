import threading

import pytest
from django.db import connection

from inventory.models import Cluster
from inventory.snapshot import by_index, snapshot
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


@pytest.mark.django_db
def test_what_lasted_at_some_time_is_found_by_its_index() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL has to be told")
    with snapshot():
        with by_index():
            assert _setting("enable_seqscan") == "off"
        assert _setting("enable_seqscan") == "on"


def _setting(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [name])
        return str(cursor.fetchone()[0])


def _in_another_connection(name: str) -> None:
    def write() -> None:
        make_cluster(name)
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    writer.join()
