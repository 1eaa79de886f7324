import pytest
from django.db import DatabaseError, connection
from django.test import Client
from pytest_django.fixtures import Settings


def test_alive_asks_no_database(client: Client) -> None:
    answer = client.get("/livez")
    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_ready_once_the_database_is_migrated(client: Client) -> None:
    assert client.get("/readyz").content == b"ok\n"


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'inventory'")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert b"not migrated" in answer.content


@pytest.mark.django_db
def test_not_ready_while_the_database_does_not_answer(client: Client) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError("password of board is s3cret")

    with connection.execute_wrapper(refuse):
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.content == b"the database does not answer\n"


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
@pytest.mark.django_db
def test_who_probes_knows_no_host_name_and_no_https(path: str, client: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert client.get(path, headers={"host": "10.1.2.3"}).status_code == 200


def test_only_reading_is_answered(client: Client) -> None:
    assert client.post("/livez").status_code == 405
