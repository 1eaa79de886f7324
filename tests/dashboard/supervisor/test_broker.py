from pathlib import Path

from kombu import Connection

from dashboard.supervisor import broker
from dashboard.supervisor.processes import Processes
from tests.dashboard.supervisor.test_processes import until


def test_the_embedded_broker_passes_messages_through_a_socket_that_only_its_owner_can_open(
    tmp_path: Path,
) -> None:
    with broker.socket_path(tmp_path) as socket, Processes(tmp_path) as processes:
        processes.start(broker.program(socket))
        until(socket.exists)
        assert socket.stat().st_mode & 0o077 == 0
        with Connection(broker.url(socket)) as connection, connection.SimpleQueue("polls") as queue:
            queue.put({"cluster": 1})
            message = queue.get(timeout=10)
            assert message.payload == {"cluster": 1}
            message.ack()


def test_a_state_folder_whose_path_is_too_long_for_a_socket_gets_one_elsewhere(tmp_path: Path) -> None:
    with broker.socket_path(tmp_path / ("deep" * 30)) as socket:
        assert len(str(socket)) <= 100
        assert socket.parent.stat().st_mode & 0o077 == 0
    assert not socket.parent.exists()


def test_a_socket_that_a_killed_broker_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "broker.sock").touch()
    with broker.socket_path(tmp_path) as socket:
        assert not socket.exists()
