from datetime import UTC, datetime, timedelta

from inventory.sync.watches import Calm

START = datetime(2026, 11, 29, 8, 0, tzinfo=UTC)


def _at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_kind_is_silent_since_before_it_was_listened_to_for_long_enough() -> None:
    calm = Calm()
    for number in range(4):
        calm.note(_at(number * 0.2), 0.2, {"pods"})
    assert calm.since("resourceclaims") == _at(0.2)
    assert calm.since("pods") is None


def test_who_has_just_spoken_is_not_silent() -> None:
    calm = Calm()
    calm.note(_at(0), 0.5, set())
    calm.note(_at(1), 0.1, {"pods"})
    calm.note(_at(2), 0.3, set())
    assert calm.since("pods") is None
    calm.note(_at(3), 0.3, set())
    assert calm.since("pods") == _at(2)


def test_time_in_which_nobody_listened_does_not_count() -> None:
    calm = Calm()
    calm.note(_at(0), 0.1, set())
    # Stopped for an hour.
    calm.note(_at(3600), 0.1, set())
    assert calm.since("pods") is None
