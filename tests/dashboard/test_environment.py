from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard import environment

NAME = "SLICEBOARD_TESTED"


@pytest.fixture(autouse=True)
def _unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)


def test_a_variable_that_is_not_set_has_its_default() -> None:
    assert environment.text(NAME, "default") == "default"
    assert environment.boolean(NAME, default=True) is True
    assert environment.whole(NAME, 7, least=1, most=9) == 7
    assert environment.listing(NAME, ("a", "b")) == ["a", "b"]


def test_an_empty_variable_is_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "  ")
    assert environment.text(NAME, "default") == "default"
    assert environment.boolean(NAME, default=True) is True
    assert environment.whole(NAME, 7, least=1, most=9) == 7
    assert environment.listing(NAME, ("a",)) == ["a"]


def test_a_secret_may_be_in_a_file_whose_last_line_break_is_not_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("s3cret\n")
    monkeypatch.setenv(f"{NAME}_FILE", str(tmp_path / "secret"))
    assert environment.text(NAME) == "s3cret"


def test_a_value_that_begins_with_a_dollar_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "$HOME")
    assert environment.text(NAME) == "$HOME"


def test_a_file_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{NAME}_FILE", "/nowhere/secret")
    with pytest.raises(ImproperlyConfigured, match=f"{NAME}_FILE: /nowhere/secret: No such file"):
        environment.text(NAME)


@pytest.mark.parametrize(
    ("value", "meaning"), [("1", True), ("True", True), ("on", True), ("0", False), ("NO", False)]
)
def test_yes_and_no_have_a_few_spellings(value: str, meaning: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, value)
    assert environment.boolean(NAME, default=not meaning) is meaning


def test_neither_yes_nor_no_is_refused_and_not_taken_for_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "ture")
    with pytest.raises(ImproperlyConfigured, match=f"{NAME}: 'ture' is neither true nor false"):
        environment.boolean(NAME, default=False)


@pytest.mark.parametrize("value", ["0", "11", "-1", "1.5", "1e1", "ten", "٣"])
def test_a_number_out_of_its_range_is_refused_with_the_range(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=f"{NAME}: .* is not a whole number from 1 to 10"):
        environment.whole(NAME, 5, least=1, most=10)


def test_a_word_that_is_no_choice_is_refused_with_the_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "LOUD")
    with pytest.raises(ImproperlyConfigured, match=f"{NAME}: 'LOUD' is none of INFO, ERROR"):
        environment.choice(NAME, "INFO", ("INFO", "ERROR"))


def test_a_listing_has_no_empty_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, " a, b ,,c,")
    assert environment.listing(NAME) == ["a", "b", "c"]


def test_a_database_is_a_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "postgresql://board:p%40ss@db.example.org:5433/sliceboard?sslmode=require")
    found = environment.database(NAME, "")
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example.org", 5433, "sliceboard")
    assert (found["USER"], found["PASSWORD"]) == ("board", "p@ss")
    assert found["OPTIONS"] == {"sslmode": "require"}


@pytest.mark.parametrize("url", ["mysql://db/sliceboard", "sliceboard.sqlite3"])
def test_a_database_of_another_kind_is_refused_with_those_that_are_known(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, url)
    with pytest.raises(ImproperlyConfigured, match=f"{NAME}: .*postgresql://user"):
        environment.database(NAME, "")


def test_a_database_url_that_cannot_be_read_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "postgresql://board:s3cret#@db:port/name")
    with pytest.raises(ImproperlyConfigured) as refused:
        environment.database(NAME, "")
    assert NAME in str(refused.value)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("broker", "location"),
    [
        ("rediss://redis.example.org:6379/0", "rediss://redis.example.org:6379/0"),
        ("redis+socket:///run/broker.sock", "unix:///run/broker.sock"),
        ("amqp://rabbit.example.org", None),
        ("", None),
    ],
)
def test_the_cache_is_the_redis_that_is_the_broker(broker: str, location: str | None) -> None:
    assert environment.cache(broker).get("LOCATION") == location
