import logging

import pytest

from inventory.kube.credential import Credential, plugin_failures
from inventory.kube.errors import KubeconfigError

SECRET = "a-token-nobody-may-read"


def test_without_a_credential_there_is_no_header() -> None:
    assert Credential(lambda: None, "here").headers() == {}


@pytest.mark.parametrize("token", ["line\nbreak", "nul\0", "umlaut-ä"])
def test_a_token_no_header_can_hold_is_refused(token: str) -> None:
    with pytest.raises(KubeconfigError, match="The token of here holds"):
        Credential(lambda: f"Bearer {token}", "here").headers()


def test_a_credential_that_cannot_be_renewed_is_told_without_what_was_tried() -> None:
    def renewed() -> str:
        raise OSError(f"cannot read {SECRET}")

    with pytest.raises(
        KubeconfigError, match=r"credential of here could not be renewed \(OSError\)"
    ) as raised:
        Credential(renewed, "here").headers()

    assert SECRET not in str(raised.value)
    assert raised.value.__suppress_context__


def test_other_records_reach_the_log_while_a_credential_is_loaded(caplog: pytest.LogCaptureFixture) -> None:
    with plugin_failures() as failures:
        logging.getLogger().warning("something else")

    assert "something else" in caplog.text
    assert failures.texts == []


def test_nothing_stays_behind_at_the_root_logger() -> None:
    root = logging.getLogger()
    before = (list(root.filters), list(root.handlers))

    with plugin_failures():
        pass

    assert (root.filters, root.handlers) == before
