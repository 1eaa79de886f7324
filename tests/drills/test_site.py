"""The tools of the drills do what the drills rely on."""

from pathlib import Path
from random import Random

import psycopg
import pytest
import redis

from dashboard.supervisor.broker import server_binary
from demo import generated, recorded
from demo.churn import Churn
from tests.drills.conftest import QUEUE, MakeSite, SiteOn, eventually, wait_until_equal
from tests.services.broker import Broker, own_broker
from tests.services.postgresql import Postgresql


def test_a_postgresql_started_again_has_what_was_committed(own_postgresql: Postgresql) -> None:
    with psycopg.connect(own_postgresql.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    own_postgresql.stop()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(own_postgresql.url)
    own_postgresql.start()
    with psycopg.connect(own_postgresql.url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (7,)


@pytest.mark.parametrize("keeps", [False, True])
def test_a_broker_started_again_answers_under_its_url(*, keeps: bool) -> None:
    with own_broker(server_binary(), keeps=keeps) as broker:
        with redis.Redis.from_url(broker.url) as client:
            client.set("slice", "0")
        broker.stop()
        with redis.Redis.from_url(broker.url) as client, pytest.raises(redis.ConnectionError):
            client.ping()
        broker.start()
        with redis.Redis.from_url(broker.url) as client:
            assert client.get("slice") == (b"0" if keeps else None)


def test_workers_that_are_killed_and_replaced_end_with_what_the_cluster_holds(make_site: MakeSite) -> None:
    held, random = generated.cluster(16, 60, seed=1), Random(4)
    site, churn = make_site(held), Churn(held, 3)
    workers = site.start_workers(2, "--pool", "solo")
    for turn in range(2):
        for _ in range(100):
            churn.step()
        site.send_poll()
        workers[turn] = site.kill_and_replace(workers[turn], random, within_seconds=3)
    wait_until_equal(site)


def test_a_site_lives_on_when_its_database_and_its_broker_come_back(
    own_postgresql: Postgresql, own_broker: Broker, site_on: SiteOn
) -> None:
    held = generated.cluster(16, 60, seed=1)
    site, churn = site_on(own_postgresql.url, own_broker.url, held), Churn(held, 3)
    site.start_worker("--pool", "solo")
    wait_until_equal(site)
    for service in (own_postgresql, own_broker):
        for _ in range(100):
            churn.step()
        service.stop()
        service.start()
        wait_until_equal(site)


def test_beat_and_a_worker_follow_the_cluster_by_themselves(
    own_broker: Broker, site_on: SiteOn, tmp_path: Path
) -> None:
    site = site_on(f"sqlite:///{tmp_path / 'drill.sqlite3'}", own_broker.url, recorded.store(), queue=QUEUE)
    site.start_worker("--pool", "solo")
    site.start_beat()
    wait_until_equal(site, send_polls=False)


def test_a_reader_that_looks_all_the_time_tells_of_books_that_do_not_balance(make_site: MakeSite) -> None:
    site = make_site(generated.cluster(4, 8, seed=1))
    site.manage("poll")
    site.write("UPDATE inventory_balance SET allocated = allocated + 1 WHERE allocated IS NOT NULL")
    with pytest.raises(AssertionError, match="is stored"), site.sampled() as reader:
        eventually(lambda: "FAULT" in reader.log.read_text(), "a look at the books")
