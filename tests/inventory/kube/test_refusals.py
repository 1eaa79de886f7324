import pytest

from inventory.kube import errors
from inventory.kube.refusals import (
    refusal,
    refusal_in_a_watch,
    retry_after_seconds,
    rule_to_grant,
    said_by_the_server,
)

URL = "https://lab.example:6443/api/v1/pods"


def refused(code: int, body: bytes = b"") -> errors.ClusterError:
    return refusal(URL, "/api/v1/pods", code, {}, body)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (307, "bad_answer"),
        (400, "server_error"),
        (401, "unauthorized"),
        (403, "forbidden"),
        (404, "not_served"),
        (406, "server_error"),
        (408, "timeout"),
        (410, "expired"),
        (422, "server_error"),
        (429, "throttled"),
        (500, "server_error"),
        (503, "server_error"),
        (504, "timeout"),
    ],
)
def test_every_refusal_has_a_stable_reason_and_says_where(code: int, reason: str) -> None:
    error = refused(code)

    assert error.reason == reason
    assert str(error).startswith(f"{URL} answered {code}")


def test_the_message_of_a_status_is_quoted() -> None:
    body = b'{"kind": "Status", "message": "etcdserver: request timed out", "code": 500}'

    assert str(refused(500, body)) == (
        f"{URL} answered 500: etcdserver: request timed out. The API server's own log tells more."
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "nothing"),
        (b'{"kind": "Status", "reason": "Forbidden"}', "Forbidden"),
        (b"<html>\n <b>Bad Gateway</b>\n</html>", "<html> <b>Bad Gateway</b> </html>"),
        (b'{"message": 5}', '{"message": 5}'),
        (b"\xff", "\ufffd"),
        (b"[" * 9000, "[" * 300 + "\u2026"),
    ],
)
def test_any_other_body_is_quoted_on_one_short_line(body: bytes, said: str) -> None:
    assert said_by_the_server(body) == said


@pytest.mark.parametrize("code", [403, 429, 500])
def test_what_a_server_says_reaches_nobody_with_characters_that_no_database_takes(code: int) -> None:
    error = refused(code, rb'{"kind": "Status", "message": "no\u0000thing \u0007here"}')

    assert f"answered {code}: no\ufffdthing \ufffdhere" in str(error)


def test_no_message_is_longer_than_a_page() -> None:
    assert len(str(errors.NotServedError("x" * 9000))) == 2000


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/api/v1/pods", 'verb "list" on "pods" in API group ""'),
        ("/apis/apps/v1/replicasets", 'verb "list" on "replicasets" in API group "apps"'),
        ("/api/v1/namespaces/team-a/pods", 'verb "list" on "pods" in API group ""'),
        ("/apis/batch/v1/namespaces/team-a/jobs", 'verb "list" on "jobs" in API group "batch"'),
        ("/version", 'verb "get" on the non-resource URL /version'),
        ("/apis/resource.k8s.io", 'verb "get" on the non-resource URL /apis/resource.k8s.io'),
    ],
)
def test_the_missing_rule_is_named(path: str, rule: str) -> None:
    assert rule in rule_to_grant(path)


def test_the_rule_for_a_watch_has_another_verb() -> None:
    assert 'verb "watch" on "pods"' in rule_to_grant("/api/v1/pods", "watch")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (b'{"kind": "Status", "code": 410, "message": "too old resource version"}', errors.ExpiredError),
        (b'{"kind": "Status", "code": 403, "message": "no longer"}', errors.ForbiddenError),
        (b'{"kind": "Status", "code": 504, "message": "too large"}', errors.TimedOutError),
        (b'{"kind": "Status", "message": "unable to decode"}', errors.ServerError),
        (b'{"kind": "Status", "code": "410"}', errors.ServerError),
        (b"5", errors.ServerError),
    ],
)
def test_an_error_in_a_watch_is_told_by_its_code(status: bytes, error: type[errors.ClusterError]) -> None:
    assert type(refusal_in_a_watch(URL, "/api/v1/pods", status)) is error


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("0", 0), ("", None), ("-1", None), ("Wed, 21 Oct 2026 07:28:00 GMT", None)],
)
def test_the_time_to_wait_is_read_in_seconds(header: str, seconds: float | None) -> None:
    assert retry_after_seconds({"Retry-After": header}) == seconds


def test_without_the_header_there_is_no_time_to_wait() -> None:
    assert retry_after_seconds({}) is None
