from pathlib import Path

import pytest

from dashboard.supervisor.errors import SupervisorError
from dashboard.supervisor.state import claimed, ensure_secret_key


def test_a_state_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "state"
    with claimed(folder):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_second_one_with_the_same_state_is_refused(tmp_path: Path) -> None:
    with (
        claimed(tmp_path),
        pytest.raises(SupervisorError, match="already runs with the state"),
        claimed(tmp_path),
    ):
        pass


def test_a_state_folder_can_be_claimed_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with claimed(tmp_path):
            pass


def test_a_state_folder_that_cannot_be_made_is_told_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(SupervisorError, match=r"file.*SLICEBOARD_STATE"),
        claimed(tmp_path / "file" / "state"),
    ):
        pass


def test_the_secret_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    key = tmp_path / "secret-key"
    ensure_secret_key(tmp_path)
    made = key.read_text()
    ensure_secret_key(tmp_path)
    assert key.read_text() == made
    assert len(made) >= 64
    assert key.stat().st_mode & 0o777 == 0o600
