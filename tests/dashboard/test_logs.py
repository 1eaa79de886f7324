import logging

from dashboard.logs import PairsFormatter


def line(message: str, *arguments: object) -> str:
    record = logging.LogRecord("inventory.sync", logging.INFO, __file__, 1, message, arguments, None)
    record.created = 0.0
    record.request_id = "-"
    return PairsFormatter().format(record)


def test_a_line_has_its_time_in_utc_its_level_and_its_logger() -> None:
    assert line("poll ended cluster=%s", "lab").startswith(
        "time=1970-01-01T00:00:00Z level=INFO logger=inventory.sync "
    )


def test_what_a_cluster_says_cannot_look_like_another_line() -> None:
    told = line("skipped name=%s", "a\ntime=… level=ERROR\x1b[2J\u2028")
    assert "\n" not in told
    assert "\x1b" not in told
    assert r"name=a\ntime=… level=ERROR\x1b[2J\u2028" in told
